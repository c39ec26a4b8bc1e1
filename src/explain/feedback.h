/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program's author, mostly a model, should know about a run that failed: pieces of advice,
 * the most useful first, each once; and all of it as one message. It lives here and not with the
 * judge because every failing result has it; the judge adds its tests.
 *
 * All that the guest wrote and that is repeated here is valid UTF-8 without control characters.
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
    const struct jail_limits *limits; /* what it was allowed; may be NULL */
    const struct feedback_test *tests;
    size_t test_count;
    size_t max_chars; /* of the message; 0: FEEDBACK_CHARS */
};

enum { FEEDBACK_CHARS = 4000 };

/* Nothing for a run that succeeded and whose tests, if any, all passed. End with feedback_done. */
void feedback_make(const struct feedback_input *in, struct feedback *ret);

/* What failed, where, the line, the advice, the end of the error stream: for a model to read. What
 * had to be left out is said. "" when there is nothing. The caller frees. */
char *feedback_text(const struct feedback_input *in, const struct feedback *f);

/* Row S11: the last five lines of an error stream that has more. */
struct str feedback_excerpt(struct str stderr_text);

#endif
