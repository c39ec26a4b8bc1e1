/* SPDX-License-Identifier: Apache-2.0
 *
 * An answer that grows, from a whole document or from the events of a stream. Every length has a
 * ceiling, and what a server sends with a wrong type reads as missing.
 */
#ifndef LLM_READING_H
#define LLM_READING_H

#include "llm/llm.h"

enum {
    READING_TEXT_MAX = 8 << 20,
    READING_ARGUMENTS_MAX = 1 << 20, /* of one call */
    READING_CALLS_MAX = 4096, /* each must be answered: a flow refuses in words those beyond its own
                                 bound */
    READING_BLOCKS_MAX = 4096,
    READING_EVENT_MAX = 8 << 20, /* bytes of one document or event */
    READING_VALUES_MAX = 400000, /* values in it, so that a small text cannot take much memory */
};

struct reading_call {
    struct buf id, name, arguments;
};

/* A piece of an answer that must go back as it came (Anthropic, Gemini). */
struct reading_block {
    json_t *value;
    struct buf text, input, signature; /* what came for it later */
};

struct reading {
    struct llm_answer *answer;
    const struct llm_watch *watch;
    const char *key; /* that watch->text must not receive; NULL: none */
    size_t shown_n;  /* bytes of the text that watch->text has been shown, */
    bool shown;      /* which are some */
    bool complete;   /* the protocol's own sign that nothing is missing */
    bool full;       /* a ceiling was reached */
    bool has_finish;
    struct reading_call *calls; /* by index */
    size_t call_n;
    struct reading_block *blocks;
    size_t block_n;
};

void reading_init(struct reading *r, struct llm_answer *answer, const struct llm_watch *watch);
/* Shows what was held back because a key might have begun with it: the text is complete. */
void reading_show_rest(struct reading *r);
void reading_done(struct reading *r);
/* Puts calls and blocks into the answer. ERR_LIMIT when a ceiling was reached. */
int reading_finish(struct reading *r, struct err *err);

/* JSON that a server sent, of any type. NULL with ERR_GUEST; the caller's. */
json_t *reading_parse(struct str text, struct err *err);
/* The same of a model's own words, in which no name may occur twice in an object: the two values
 * could contradict each other. */
json_t *reading_parse_strictly(struct str text, struct err *err);

void reading_text(struct reading *r, struct str piece);
/* The call with this index; NULL beyond the ceiling. */
struct reading_call *reading_call(struct reading *r, size_t index);
void reading_add(struct reading *r, struct buf *b, struct str piece);
struct reading_block *reading_block(struct reading *r, size_t index);
/* A word and its meaning; ends with an empty row. A word that is not in the table is unknown. */
struct finish_word {
    const char *word;
    enum llm_finish finish;
};
void reading_finish_word(struct reading *r, const struct finish_word *table, const json_t *word);
/* A count of tokens; negative and wrong ones are 0. */
int64_t reading_count(const json_t *object, const char *name);
/* Sets these counts; unknown when there is no such object. */
void reading_usage(struct reading *r, const json_t *usage, int64_t prompt, int64_t completion,
                   int64_t cached);

/* A list of texts, which ends with NULL, as JSON. */
json_t *reading_texts(const char *const *texts);

/* The message in a server's error: {"error": {"message"}}, {"error": "..."}, {"detail"},
 * {"message"}, [{...}]; NULL for none. */
const json_t *reading_error(const json_t *document);
/* ERR_SYSTEM "the server reports: ..." if the document is an error; else 0. */
int reading_check_error(const json_t *document, struct err *err);

#endif
