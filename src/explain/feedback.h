/* SPDX-License-Identifier: Apache-2.0
 *
 * Advice for a program's author, usually a model, about a run that failed: the most useful piece
 * first, each once; and all of it as one message. It is here and not in the judge because every
 * failing result has it; the judge adds its tests.
 *
 * Text from the guest that is repeated here is valid UTF-8 without control characters.
 */
#ifndef EXPLAIN_FEEDBACK_H
#define EXPLAIN_FEEDBACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "jail/limits.h"
#include "result/result.h"

struct feedback_test {
    const char *name;
    bool passed;
    const char *detail;
};

struct feedback_input {
    const struct result *result;
    const struct jail_limits *limits; /* the limits of the run; may be NULL */
    const struct feedback_test *tests;
    size_t test_count;
    size_t max_chars; /* limit of the message; 0: FEEDBACK_CHARS */
};

enum { FEEDBACK_CHARS = 4000 };

/* Whether an advice says no more than that the program failed. */
bool feedback_is_general(const char *text);

/* Nothing for a run that succeeded and passed all of its tests, if any. Free it with
 * feedback_done. */
void feedback_make(const struct feedback_input *in, struct feedback *ret);

/* The failure, its place, the line, the advice, the end of the error stream: for a model to
 * read. The text mentions the parts that had to be left out. "" when there is nothing. The
 * caller frees. */
char *feedback_text(const struct feedback_input *in, const struct feedback *f);

/* Row S11: the last five lines of an error stream that has more. */
struct str feedback_excerpt(struct str stderr_text);

#endif
