/* SPDX-License-Identifier: Apache-2.0
 *
 * Code out of a model's reply.
 *
 *     struct code_blocks blocks;
 *     blocks_read(reply, &blocks);
 *     blocks_keep_code(&blocks);
 *     blocks_join(&blocks, &code);
 *     blocks_done(&blocks);
 *
 * Any bytes may come in, and time is linear in their number. Reading goes from the front and never
 * takes back what it is sure of: a block with `closed` set is the same, at the same place, in every
 * longer text that begins with this one. So of a reply that is still arriving, the closed blocks of
 * the whole lines so far may be used already.
 */
#ifndef TEXT_BLOCKS_H
#define TEXT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* The section of a reply, opened by a line such as `Thought:`, in which a block stands. */
enum block_section {
    SECTION_NONE,
    SECTION_THOUGHT,
    SECTION_CODE,
    SECTION_OUTPUT, /* the next block shows what a program printed */
};

struct code_block {
    struct str language;         /* "python" for ```py too; empty when the block does not say */
    struct str info;             /* all that stands behind the opening fence */
    struct str code;             /* without the end of its last line */
    size_t start, end;           /* bytes of the text, fences and tags included */
    size_t code_start, code_end; /* the code as it stands in the text, indented and all */
    bool closed;                 /* its end is known for certain */
    bool tagged;                 /* between <code> and </code>, or delimiters of the caller's */
    enum block_section section;
};

struct code_blocks {
    struct arena arena; /* of what is not a piece of the text; the text must outlive the blocks */
    struct code_block *at;
    size_t n, room;
    bool code_section;           /* the reply has a `Code:` section */
    struct code_blocks *wrapper; /* of blocks_keep_code: the block that these were in, or NULL */
};

/* A pair of delimiters, such as "```tool_code\n" and "\n```". Neither may be empty. */
struct block_pair {
    struct str open, close;
};

/* ---- the default reader ----
 *
 * CommonMark's fences, and what models write besides: fences after a list marker, a quote's `>` or
 * a label, at any indentation (which is taken off the code); a whole block on one line; inner
 * fences in ```markdown and in Python's long strings; <code> tags; a last fence that is missing. */
void blocks_read(struct str text, struct code_blocks *ret);
void blocks_done(struct code_blocks *blocks);

/* Leaves the blocks in one of these languages. Those that name none stay when no other does, if
 * they look like one. No languages: all. */
void blocks_keep_languages(struct code_blocks *blocks, const struct str *languages, size_t n);
/* Leaves what the reply means to be run: the blocks of its `Code:` section if there is one, else
 * all but shown output; of those the ones between tags, else in a programming language, else in a
 * shell's, else without a label, else the rest. */
void blocks_keep_code(struct code_blocks *blocks);
/* Their code with an empty line between. -1 at the buffer's ceiling. */
int blocks_join(const struct code_blocks *blocks, struct buf *out);

/* ---- by delimiters ---- */

/* All that stands between the pairs, in the order of the text; the leftmost opener counts. */
void blocks_read_pairs(struct str text, const struct block_pair *pairs, size_t n,
                       struct code_blocks *ret);
/* "OPEN..CLOSE" or "OPEN CLOSE", in which \n, \t, \s and \\ may stand, into the arena. */
int block_pair_parse(struct arena *arena, struct str text, struct block_pair *ret, struct err *err);

/* ---- the readers of other systems, exactly ---- */

/* google/adk: what separates code from prose, as its Go and Python versions have it. */
extern const struct block_pair blocks_adk_pairs[];
enum { BLOCKS_ADK_PAIRS = 5 };

/* The first block, stripped; the whole text when there is none. Always one. */
void blocks_read_chapter(struct str text, struct code_blocks *ret);
/* Markdown blocks, then those of each pair, those at the same place once. */
void blocks_read_adk(struct str text, const struct block_pair *pairs, size_t n,
                     struct code_blocks *ret);
/* Leaves the blocks whose language is one of these words, whatever their case. No words: all. */
void blocks_keep_named(struct code_blocks *blocks, const struct str *names, size_t n);
/* The first code between any opener and any closer. False when there is none, or it is empty. */
bool blocks_first_adk(struct str text, const struct block_pair *pairs, size_t n,
                      struct code_block *ret);
/* Blocks between the tags (pair NULL: <code>), else in ```python and ```py; else the whole text if
 * it is Python. Else none, and `complaint` is the message for the model. */
void blocks_read_smolagents(struct str text, const struct block_pair *pair, struct code_blocks *ret,
                            struct buf *complaint);

/* The pair that smolagents calls "markdown"; its opener also means ```py. */
extern const struct block_pair blocks_markdown_pair;

/* ---- for the readers ---- */

/* What adk concludes from an opener: "python" for "```tool_code\n", "" when it concludes nothing.
 */
struct str blocks_pair_language(struct block_pair pair);
/* A new block, zeroed but for these. */
struct code_block *blocks_add(struct code_blocks *blocks, size_t start, size_t end);
/* White space off both ends, as Python's str.strip() sees it. */
struct str blocks_strip(struct str s);
/* How many bytes of white space, by Python's opinion, s begins with: one character or none. */
size_t blocks_space(struct str s);
/* Whether the word is the name of a language, so that it is no code. */
bool blocks_is_language(struct str word);
/* "python" for "py", "Python3" and "{.python .numberLines}", "kotlin" for "Kotlin". */
struct str blocks_language(struct arena *arena, struct str info);

#endif
