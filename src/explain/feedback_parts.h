/* SPDX-License-Identifier: Apache-2.0
 *
 * Between feedback.c, which decides the order of the advice, and feedback_ends.c, which has the
 * causes that end a run other than an error of the program's own.
 */
#ifndef EXPLAIN_FEEDBACK_PARTS_H
#define EXPLAIN_FEEDBACK_PARTS_H

#include "explain/feedback.h"
#include "explain/feedback_advice.h"
#include "result/result.h"

struct collector {
    const struct feedback_input *in;
    const struct result *result;
    struct feedback *to;
    unsigned reported; /* topics, as bits */
};

/* Adds a text, unless it is there already or its topic was used. Takes the text over, which may be
 * NULL. */
void collect_text(struct collector *c, enum advice_topic topic, char *text);

/* Refused, stopped, a limit, our own failure, a signal. */
void collect_ends(struct collector *c);
/* Calls that the wall refused. */
void collect_denied(struct collector *c);
/* An exit status that has a meaning, or that has no other explanation. */
void collect_status(struct collector *c);
/* The cause of the run's end in a few words: "ended by signal 11 (SIGSEGV)"; false when it was the
 * program's own error. */
bool feedback_end(const struct feedback_input *in, struct buf *b);

/* "KeyError on line 3: 'a'", with the message cut to that length. */
void feedback_add_error(struct buf *b, const struct result_exception *e, size_t chars);

/* Used when nothing better is known: the only text, the beginning of the last one, and that of the
 * text about a program without output. */
#define FEEDBACK_GENERAL "Code failed to execute. Check logic and edge cases."
#define FEEDBACK_ERROR   "Error: "
#define FEEDBACK_SILENT  "The program ended with exit status "

#endif
