/* SPDX-License-Identifier: Apache-2.0
 *
 * Between calls.c, which starts jails, and calls_reports.c, which reads what comes from one.
 */
#ifndef JUDGE_CALLS_PARTS_H
#define JUDGE_CALLS_PARTS_H

#include "judge/channel.h"
#include "judge/parts.h"

#define NO_CASE SIZE_MAX

/* One jail. */
struct batch {
    struct judge *judge;
    const size_t *numbers;
    size_t n;
    size_t begun;                  /* the case under way, or NO_CASE */
    int64_t begun_ns, earliest_ns; /* when its begin was read; when all reports before it were */
    int64_t fed_ns, before_ns;     /* when the channel was read from: now, and the last time */
    bool ready;                    /* the driver runs */
    bool prepared; /* so is the setup, if there is one: from here on the candidate may run */
    bool loaded, load_failed, ended;
    struct channel channel;
};

/* Of struct channel; ctx is a batch. */
void calls_report(void *ctx, const struct report *report);
/* All cases left in the batch fail for one reason, which the caller keeps. */
void calls_fail_rest(struct batch *b, const struct case_result *why);
/* The first case that has no verdict; NO_CASE. */
size_t calls_first_pending(const struct batch *b);

#endif
