/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by calls.c, which starts jails, and calls_reports.c, which reads their reports.
 */
#ifndef JUDGE_CALLS_PARTS_H
#define JUDGE_CALLS_PARTS_H

#include "judge/channel.h"
#include "judge/parts.h"

#define NO_CASE SIZE_MAX

/* The cases of one jail. */
struct batch {
    struct judge *judge;
    const size_t *numbers;
    size_t n;
    size_t begun;                  /* the case that has begun, or NO_CASE */
    int64_t begun_ns, earliest_ns; /* when we read that the case has begun, and when it may have
                                      begun at the earliest */
    int64_t fed_ns, before_ns;     /* when the channel was last read, and when it was read before
                                      that */
    bool ready;                    /* the driver runs */
    bool prepared; /* the setup, if any, is done: from now on the candidate may run */
    bool loaded, load_failed, ended;
    struct channel channel;
};

/* The callback of struct channel; ctx is a batch. */
void calls_report(void *ctx, const struct report *report);
/* All cases of the batch without a verdict fail for this reason; the caller still owns it. */
void calls_fail_rest(struct batch *b, const struct case_result *why);
/* Returns the first case that has no verdict, or NO_CASE. */
size_t calls_first_pending(const struct batch *b);

#endif
