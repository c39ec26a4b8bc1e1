/* SPDX-License-Identifier: Apache-2.0
 *
 * An answer as it is built, from a whole document or from the events of a stream. Every length has
 * a ceiling, and a member of the wrong type counts as missing.
 */
#ifndef LLM_READING_H
#define LLM_READING_H

#include "llm/llm.h"

enum {
    READING_TEXT_MAX = 8 << 20,
    READING_ARGUMENTS_MAX = 1 << 20, /* of one call */
    /* every call needs a reply; a flow replies with a refusal to calls above its own limit */
    READING_CALLS_MAX = 4096,
    READING_BLOCKS_MAX = 4096,
    READING_EVENT_MAX = 8 << 20, /* bytes of one document or event */
    READING_VALUES_MAX = 400000, /* values in it, so that a short string cannot take much memory */
};

struct reading_call {
    struct buf id, name, arguments;
};

/* A part of an answer that must be sent back unchanged (Anthropic, Gemini). */
struct reading_block {
    json_t *value;
    struct buf text, input, signature; /* text that later events added to the block */
};

struct reading {
    struct llm_answer *answer;
    const struct llm_watch *watch;
    const char *key; /* watch->text must not receive it; NULL: none */
    size_t shown_n;  /* bytes of the text that watch->text has received */
    bool shown;      /* watch->text has received something */
    bool complete;   /* the protocol's own sign that the answer is complete */
    bool full;       /* a ceiling was reached */
    bool has_finish;
    struct reading_call *calls; /* by index */
    size_t call_n;
    struct reading_block *blocks;
    size_t block_n;
};

void reading_init(struct reading *r, struct llm_answer *answer, const struct llm_watch *watch);
/* Call it when the text is complete: shows the rest, held back because a key might have begun
 * there. */
void reading_show_rest(struct reading *r);
void reading_done(struct reading *r);
/* Puts calls and blocks into the answer. -1 with ERR_LIMIT when a ceiling was reached. */
int reading_finish(struct reading *r, struct err *err);

/* Parses JSON of any type that a server sent. NULL with ERR_GUEST if it is invalid; the caller
 * frees the result. */
json_t *reading_parse(struct str text, struct err *err);
/* As reading_parse, for JSON that the model itself wrote: no name may occur twice in an object, for
 * the two values could contradict each other. */
json_t *reading_parse_strictly(struct str text, struct err *err);

void reading_text(struct reading *r, struct str piece);
/* The call with this index; NULL above the ceiling. */
struct reading_call *reading_call(struct reading *r, size_t index);
void reading_add(struct reading *r, struct buf *b, struct str piece);
struct reading_block *reading_block(struct reading *r, size_t index);
/* A word and its meaning; a table ends with an empty row. A word that is not in the table is
 * LLM_FINISH_UNKNOWN. */
struct finish_word {
    const char *word;
    enum llm_finish finish;
};
void reading_finish_word(struct reading *r, const struct finish_word *table, const json_t *word);
/* Returns a count of tokens; 0 if it is negative or not a number. */
int64_t reading_count(const json_t *object, const char *name);
/* Sets these counts; they stay unknown when `usage` is not an object. */
void reading_usage(struct reading *r, const json_t *usage, int64_t prompt, int64_t completion,
                   int64_t cached);

/* A NULL-terminated list of strings as JSON. */
json_t *reading_texts(const char *const *texts);
/* A call's arguments as an object; an empty object when they are not a valid one. */
json_t *reading_arguments(const struct llm_call *call);
/* Appends {"role", KEY: pieces}; takes over `pieces`. Turns of the same role in a row become one
 * turn, because the results of several calls must be in one. */
void reading_add_turn(json_t *turns, const char *role, const char *key, json_t *pieces);

/* The message in a server's error: {"error": {"message"}}, {"error": "..."}, {"detail"},
 * {"message"}, [{...}]; NULL for none. */
const json_t *reading_error(const json_t *document);
/* -1 with ERR_SYSTEM "the server reports: ..." if the document is an error; else 0. */
int reading_check_error(const json_t *document, struct err *err);

#endif
