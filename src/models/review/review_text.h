/* SPDX-License-Identifier: Apache-2.0
 *
 * The text that the reviewer reads. Only review.c uses it.
 */
#ifndef REVIEW_REVIEW_TEXT_H
#define REVIEW_REVIEW_TEXT_H

#include "llm/llm.h"
#include "request/reviewer.h"

enum {
    REVIEW_CODE_MAX = 256 << 10, /* bytes of a program that is sent to a model */
    REVIEW_MARK = 33,            /* 32 digits and the NUL */
};

/* Makes the mark of the n-th try. */
typedef void (*review_draw_fn)(void *ctx, unsigned n, char ret[REVIEW_MARK]);
/* Draws until the mark does not occur in the text. */
void review_mark(struct str text, review_draw_fn draw, void *ctx, char ret[REVIEW_MARK]);
/* A review_draw_fn: random digits. Sets *ctx, an int, to -1 when this host has no random numbers.
 */
void review_draw_random(void *ctx, unsigned n, char ret[REVIEW_MARK]);
/* A review_draw_fn whose digits depend on the text alone (*ctx, a struct str), so that a replay
 * sends the same request. The text cannot contain such a mark either: it is made of the text's
 * hash. */
void review_draw_sum(void *ctx, unsigned n, char ret[REVIEW_MARK]);

/* Appends the sandbox's rules. -1 means a mistake in the request; *err is meant for its client. */
int review_add_rules(const struct review_question *question, struct buf *ret, struct err *err);
/* The system prompt with these rules; `prompts` as in prompt_make. */
int review_add_system(const struct review_question *question, struct str rules, const char *prompts,
                      struct buf *ret, struct err *err);
/* Appends all texts of the client that would run, to be put between the marks: the program, then
 * each text that runs beside it. Before each of these is a line with the mark, which no text can
 * contain, and the text's name. */
void review_add_texts(const struct review_question *question, const char *mark, struct buf *ret);
void review_add_program(struct str text, const char *mark, struct buf *ret);
/* The schema {"is_secure": bool, "reason": string}, both required. The caller owns it. */
json_t *review_schema(void);

#endif
