/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the reports of the driver inside, four lines each. The candidate can write there as well,
 * so a report is only a claim.
 */
#ifndef JUDGE_CHANNEL_H
#define JUDGE_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum report_kind {
    REPORT_READY,    /* the driver runs, and nothing else yet */
    REPORT_PREPARED, /* the setup is done, and nothing of the candidate's has run */
    REPORT_SETUP,    /* ... or failed */
    REPORT_LOAD,
    REPORT_BEGIN,
    REPORT_CASE,
    REPORT_END,
};

struct report {
    enum report_kind kind;
    size_t number;
    char how[16]; /* "ok", "timeout", "lost", "garbled" */
    int status;   /* as from wait() */
    int64_t us;
    struct str payload;  /* JSON */
    struct str out, err; /* JSON strings */
};

struct channel {
    struct buf bytes; /* of the report that is coming in */
    size_t scanned;   /* no line ends before it but those that are counted */
    unsigned lines;
    size_t ends[4];
    bool broken; /* it was invalid: nothing more is read */
    void (*report)(void *ctx, const struct report *report);
    void *ctx;
};

void channel_init(struct channel *c, size_t limit);
void channel_done(struct channel *c);
void channel_feed(struct channel *c, struct str bytes);

#endif
