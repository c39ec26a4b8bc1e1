/* SPDX-License-Identifier: Apache-2.0
 *
 * The outcome of a guest in plain figures: they can be copied, and nothing has to be freed.
 */
#ifndef BACKENDS_OUTCOME_H
#define BACKENDS_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "limits/figures.h"
#include "limits/layers.h"
#include "limits/limits.h"

struct backend;

struct backend_phase {
    const char *name;
    int64_t at_ns; /* CLOCK_MONOTONIC */
};

#define BACKEND_PHASES_MAX 16

struct backend_outcome {
    bool started;
    bool prestarted; /* its program was started before there was a job, with the arguments and
                        environment of the job's struct backend_warm */
    bool cancelled;
    int status; /* as from wait(); meaningless after a limit or a cancellation */
    unsigned limits_hit;
    const char *failure; /* the cause if neither the program nor a limit ended it, and the status is
                            therefore SIGKILL; or NULL */
    layer_mask wanted, held;
    const struct backend *backend; /* the backend that was to start it; NULL before */
    layer_mask absent;      /* layers that do not exist there and are not wanted: nothing is lost */
    const char *absent_why; /* the reason, if any is absent */
    layer_mask lacking;     /* missing required layers, so that nothing was started */
    char no_fork[200];      /* with job.forks: the reason why the guest can have no forks, or "" */
    int64_t wall_ns, cpu_us;
    uint64_t memory_peak;
    struct jail_denial denied[JAIL_DENIED_MAX];
    size_t denied_count;
    struct jail_lost lost[JAIL_LOST_MAX];
    size_t lost_count;
    struct backend_phase phases[BACKEND_PHASES_MAX];
    size_t phase_count;
};

/* Notes that a phase ended now, for --trace-time. */
void outcome_phase(struct backend_outcome *outcome, const char *name);
/* Resets it after a failed start; keeps only the facts about layers. */
void outcome_reset(struct backend_outcome *outcome);

#endif
