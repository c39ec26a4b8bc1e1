/* SPDX-License-Identifier: Apache-2.0
 *
 * The results of an earlier run. A result counts for a sample with the same id, number and hash.
 * The name of the suite counts only where the run has several: the file may have been moved or
 * packed since.
 */
#ifndef JUDGE_SUITE_EARLIER_H
#define JUDGE_SUITE_EARLIER_H

#include "judge/suite.h"

struct suite_earlier {
    bool one_suite;
    struct tally keys;         /* of each verdict */
    struct suite_result *rows; /* by the index in keys */
    size_t room;
    struct tally samples; /* those that have a verdict, whatever their hash */
};

/* Opens the file of results, and with `resume` reads it. Returns a descriptor for appending, or -1
 * with *err; a file of anything else is refused before something is written. End with
 * suite_earlier_done, also after -1. */
int suite_earlier_open(struct suite_earlier *e, const struct suite_request *q, struct err *err);
/* Returns the verdict about the sample; or NULL, with *ret_changed if there is one about another
 * text or other settings. */
const struct suite_result *suite_earlier_find(const struct suite_earlier *e, const char *suite,
                                              const struct suite_task *task, bool *ret_changed);
void suite_earlier_done(struct suite_earlier *e);

#endif
