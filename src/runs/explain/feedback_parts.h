/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that are shared by feedback.c, which decides the order of the advice, and
 * feedback_ends.c, which handles all causes of a run's end except the program's own error.
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
    unsigned reported; /* topics that have advice already, as bits */
};

/* Adds a text, unless it is already there or its topic is used. Takes over the text, which may be
 * NULL. */
void collect_text(struct collector *c, enum advice_topic topic, char *text);

/* Adds advice about a refusal, a cancellation, a limit, our own failure, or a signal. */
void collect_ends(struct collector *c);
/* Adds advice about system calls that the wall refused. */
void collect_network(struct collector *c);
void collect_denied(struct collector *c);
/* Adds advice about an exit status that has a meaning, or that has no other explanation. */
void collect_status(struct collector *c);
/* Appends the cause of the run's end: "ended by signal 11 (SIGSEGV)"; false if it was the program's
 * own error. */
bool feedback_end(const struct feedback_input *in, struct buf *b);

/* Appends "KeyError on line 3: 'a'"; the message is cut to `chars`. */
void feedback_add_error(struct buf *b, const struct result_exception *e, size_t chars);

/* Used if nothing better is known: a general text, the beginning of the text after it, and the
 * beginnings of the texts about a program without output and about other signals. */
#define FEEDBACK_GENERAL "Code failed to execute. Check logic and edge cases."
#define FEEDBACK_ERROR   "Error: "
#define FEEDBACK_SILENT  "The program ended with exit status "
#define FEEDBACK_SIGNAL  "The program was ended by signal "

#endif
