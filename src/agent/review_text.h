/* SPDX-License-Identifier: Apache-2.0
 *
 * What the reviewer reads. Between review.c and review_text.c.
 */
#ifndef AGENT_REVIEW_TEXT_H
#define AGENT_REVIEW_TEXT_H

#include "llm/llm.h"
#include "request/reviewer.h"

enum {
    REVIEW_CODE_MAX = 256 << 10, /* bytes of a program that is sent to a model */
    REVIEW_MARK = 33,            /* 32 digits and the NUL */
};

/* The n-th try. */
typedef void (*review_draw_fn)(void *ctx, unsigned n, char ret[REVIEW_MARK]);
/* Draws until the mark does not occur in the text. */
void review_mark(struct str text, review_draw_fn draw, void *ctx, char ret[REVIEW_MARK]);
/* Draws of random digits; -1 in *ctx, an int, when this host has none. */
void review_draw_random(void *ctx, unsigned n, char ret[REVIEW_MARK]);
/* Draws that depend on the text alone, which cannot contain them either: for a request that must
 * be the same in a replay. *ctx is a struct str. */
void review_draw_sum(void *ctx, unsigned n, char ret[REVIEW_MARK]);

/* The sandbox's rules. What fails here is a mistake in the request, and *err is for its client. */
int review_add_rules(const struct review_question *question, struct buf *ret, struct err *err);
/* The system prompt with these rules; `prompts` as in prompt_make. */
int review_add_system(const struct review_question *question, struct str rules, const char *prompts,
                      struct buf *ret, struct err *err);
/* Everything of the client's that would run, as one text for between the marks: the program, and
 * each text beside it below a line with the mark, which no text can have, and its name. */
void review_add_texts(const struct review_question *question, const char *mark, struct buf *ret);
void review_add_program(struct str text, const char *mark, struct buf *ret);
/* {"is_secure": bool, "reason": text}, both required; the caller's. */
json_t *review_schema(void);

#endif
