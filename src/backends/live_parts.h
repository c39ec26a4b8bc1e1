/* SPDX-License-Identifier: Apache-2.0
 *
 * What live.c and live_start.c share. Nobody else includes it.
 */
#ifndef BACKENDS_LIVE_PARTS_H
#define BACKENDS_LIVE_PARTS_H

#include "backends/live.h"
#include "backends/pump.h"
#include "jail/cgroup.h"

#define SETUP_LIMIT_MS 30000 /* from start to the guest's first program */

struct live {
    const struct backend_job *job;
    const struct backend_sink *sink;
    struct backend_outcome *out;
    struct jail_spec spec;
    struct jail *jail;
    struct cgroup *group;
    struct pump pump;
    int lay_write; /* files go in here, until they are in */
    int oom_fd;
    int64_t start_ns, deadline_ms;
    int64_t oom_until_ms; /* memory was out; until then a kill may follow */
    uint64_t cpu_ns;      /* used when a limit ended it */
    int64_t watch_ms;     /* when to look next */
    int work_fd;          /* opened when asked for */
    bool over;            /* no guest is alive any more */
    struct err error;     /* why nothing was started */
};

/* Starts it, warm where one waits. After -1 what there is is live_done's to take down. */
int live_start(struct live *l, struct err *err);

#endif
