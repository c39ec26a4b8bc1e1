/* SPDX-License-Identifier: Apache-2.0
 *
 * Advice for a program's author, usually a model, about a run that failed: a list without
 * duplicates, with the most useful piece first, and all of it as one message. It is here and not in
 * the judge because every failed result has it; the judge adds its tests.
 *
 * Text from the guest that is repeated in the advice is valid UTF-8 without control characters.
 */
#ifndef EXPLAIN_FEEDBACK_H
#define EXPLAIN_FEEDBACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "result/result.h"

struct feedback_test {
    const char *name;
    bool passed;
    const char *detail;
};

struct feedback_input {
    const struct result *result;
    const struct feedback_test *tests;
    size_t test_count;
    size_t max_chars; /* maximum length of the message; 0: FEEDBACK_CHARS */
};

enum { FEEDBACK_CHARS = 4000 };

/* The beginning of the text about a test that failed. */
#define FEEDBACK_TEST "Test '"

/* True if the advice says only that the program failed. */
bool feedback_is_general(const char *text);

/* Makes the list. It is empty for a run that succeeded and passed all of its tests, if any. Free it
 * with feedback_done. */
void feedback_make(const struct feedback_input *in, struct feedback *ret);
/* Replaces an exception's hint that there is no network by what the network refused (--net). */
void feedback_network(struct result *r);

/* Returns the message for a model: the failure, its location, the line, the advice, the end of the
 * error stream. The message mentions the parts that had to be left out. "" if there is no advice.
 * The caller frees. */
char *feedback_text(const struct feedback_input *in, const struct feedback *f);

/* Returns the last five lines of an error stream that has more, as agentos shows them. */
struct str feedback_excerpt(struct str stderr_text);

#endif
