/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the code in a model's reply.
 *
 *     struct code_blocks blocks;
 *     blocks_read(reply, &blocks);
 *     blocks_keep_code(&blocks);
 *     blocks_join(&blocks, &code);
 *     blocks_done(&blocks);
 *
 * The text may be any bytes, and time is linear in their number. A block with `closed` set is
 * final: it is the same, at the same offset, in every longer text that begins with this one. So
 * while a reply is still arriving, the closed blocks of its complete lines can be used already.
 */
#ifndef TEXT_BLOCKS_H
#define TEXT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* The section of a reply that a block is in; a line such as `Thought:` opens it. */
enum block_section {
    SECTION_NONE,
    SECTION_THOUGHT,
    SECTION_CODE,
    SECTION_OUTPUT, /* the next block shows a program's output */
};

struct code_block {
    struct str language;         /* "python" also for ```py; empty if the block names none */
    struct str info;             /* all text after the opening fence */
    struct str code;             /* without the end of its last line */
    size_t start, end;           /* byte offsets, fences and tags included */
    size_t code_start, code_end; /* the code's bytes in the text, with any indentation */
    bool closed;                 /* its end is certain */
    bool tagged;                 /* between <code> and </code>, or the caller's delimiters */
    enum block_section section;
};

struct code_blocks {
    struct arena arena; /* holds what is not part of the text; the text must outlive the blocks */
    struct code_block *at;
    size_t n, room;
    bool code_section;           /* the reply has a `Code:` section */
    struct code_blocks *wrapper; /* after blocks_keep_code: the block that these were in, or NULL */
};

/* A pair of delimiters, such as "```tool_code\n" and "\n```". Neither may be empty. */
struct block_pair {
    struct str open, close;
};

/* ---- the default reader ----
 *
 * Reads CommonMark's fences, and other forms that models write: fences after a list marker, a
 * quote's `>` or a label, at any indentation (which is removed from the code); a whole block on one
 * line; inner fences in ```markdown and in Python's long strings; <code> tags; a missing last
 * fence. */
void blocks_read(struct str text, struct code_blocks *ret);
void blocks_done(struct code_blocks *blocks);

/* Keeps the blocks in these languages; n = 0 keeps all. Blocks that name no language are kept if no
 * block names one of these, and their code looks like one. */
void blocks_keep_languages(struct code_blocks *blocks, const struct str *languages, size_t n);
/* Keeps the blocks that the reply means to be run: those of its `Code:` section if it has one, else
 * all but shown output. Of these it keeps the blocks between tags; if there are none, those in a
 * programming language, else in a shell's language, else without a label, else the rest. */
void blocks_keep_code(struct code_blocks *blocks);
/* Appends the code of the blocks, with an empty line between two. -1 at the buffer's ceiling. */
int blocks_join(const struct code_blocks *blocks, struct buf *out);

/* ---- by delimiters ---- */

/* Reads the text between the pairs, in its order; the leftmost opener counts. */
void blocks_read_pairs(struct str text, const struct block_pair *pairs, size_t n,
                       struct code_blocks *ret);
/* Parses "OPEN..CLOSE" or "OPEN CLOSE", in which \n, \t, \s and \\ are escapes, into the arena. */
int block_pair_parse(struct arena *arena, struct str text, struct block_pair *ret, struct err *err);

/* ---- the readers of other systems, exactly ---- */

/* google/adk: the delimiters of code, as in its Go and Python versions. */
extern const struct block_pair blocks_adk_pairs[];
enum { BLOCKS_ADK_PAIRS = 5 };

/* Returns the first block, stripped; without a block, the whole text. Always exactly one. */
void blocks_read_chapter(struct str text, struct code_blocks *ret);
/* Reads the Markdown blocks, then those of each pair; of blocks at one offset only the first is
 * kept. */
void blocks_read_adk(struct str text, const struct block_pair *pairs, size_t n,
                     struct code_blocks *ret);
/* Keeps the blocks whose language is one of these words, in any case. n = 0 keeps all. */
void blocks_keep_named(struct code_blocks *blocks, const struct str *names, size_t n);
/* Finds the first code between any opener and any closer. False if there is none, or it is empty.
 */
bool blocks_first_adk(struct str text, const struct block_pair *pairs, size_t n,
                      struct code_block *ret);
/* Reads the blocks between the tags (pair NULL: <code>), else those in ```python and ```py, else
 * the whole text if it is Python. Otherwise there is no block, and `complaint` is the message for
 * the model. */
void blocks_read_smolagents(struct str text, const struct block_pair *pair, struct code_blocks *ret,
                            struct buf *complaint);

/* The pair that smolagents calls "markdown"; its opener also matches ```py. */
extern const struct block_pair blocks_markdown_pair;

/* ---- for the readers ---- */

/* The language that adk derives from an opener: "python" for "```tool_code\n", or "". */
struct str blocks_pair_language(struct block_pair pair);
/* Adds a block with this start and end; its other members are zero. */
struct code_block *blocks_add(struct code_blocks *blocks, size_t start, size_t end);
/* Removes white space at both ends, like Python's str.strip(). */
struct str blocks_strip(struct str s);
/* The length of the white-space character, as Python defines it, at the start of s; 0 if none. */
size_t blocks_space(struct str s);
/* True if the word is the name of a language, and so is not code. */
bool blocks_is_language(struct str word);
/* The language's usual name: "python" for "py", "Python3" and "{.python .numberLines}", "kotlin"
 * for "Kotlin". */
struct str blocks_language(struct arena *arena, struct str info);

#endif
