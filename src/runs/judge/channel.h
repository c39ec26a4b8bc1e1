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
    REPORT_READY,    /* the driver has started, and nothing else */
    REPORT_PREPARED, /* the setup succeeded, and no code of the candidate has run */
    REPORT_SETUP,    /* the setup failed */
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
    struct buf bytes; /* of the report that is being received */
    size_t scanned;   /* bytes in which all line ends have been found */
    unsigned lines;
    size_t ends[4];
    bool broken; /* the input was invalid: no more is read */
    void (*report)(void *ctx, const struct report *report);
    void *ctx;
};

void channel_init(struct channel *c, size_t limit);
void channel_done(struct channel *c);
void channel_feed(struct channel *c, struct str bytes);

#endif
