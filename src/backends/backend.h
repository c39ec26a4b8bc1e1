/* SPDX-License-Identifier: Apache-2.0
 *
 * One interface for every way to run. A backend takes a job (plain data and two callbacks), streams
 * what happens into a sink, and leaves an outcome. It knows nothing of languages, checks, results
 * or logs.
 */
#ifndef BACKENDS_BACKEND_H
#define BACKENDS_BACKEND_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "jail/cgroup.h"
#include "jail/jail.h"
#include "jail/limits.h"
#include "jail/pool.h"
#include "languages/interpreter.h"

/* What a pool may start ahead of a run that comes without a zygote. */
enum backend_ahead {
    AHEAD_NOTHING,
    AHEAD_JAIL,    /* all but the program */
    AHEAD_PROGRAM, /* the program as well, with the job's argv and zygote_env. It waits: for what
                      comes on its channel, or for its own text, when it opens the file `waits_for`
                    */
};

struct backend_job {
    const char *exec_path; /* as seen inside */
    char **argv;           /* NULL-terminated, as is env */
    char **env;
    const struct host_view *views;
    size_t view_count;

    /* Writes the workspace's files to fd as jail/lay.h says. May be NULL. */
    int (*lay)(void *ctx, int fd, struct err *err);
    void *lay_ctx;

    int stdin_fd; /* relayed to the guest; -1 for an empty one. Stays the caller's. */
    /* What the guest has as descriptors 3 (to read) and 4 (to write), lent until it has started; -1
     * for none. */
    int channel[2];
    /* Warm jails to take one from; NULL for none. What is started in advance, and then told argv
     * and env: a zygote (jail/zygote.h). NULL where the language has none. */
    struct pool *pool;
    char **zygote_argv; /* NULL-terminated, as is its environment */
    char **zygote_env;
    char **warm_argv;         /* instead of argv, for a fork of that */
    enum backend_ahead ahead; /* without a zygote */
    const char *waits_for;    /* a name in the workspace, or NULL */
    struct str ahead_text;    /* and what its channel already gave it */
    bool forks;               /* the guest is to have forks (live.h): it starts warm, or has none */
    struct jail_limits limits;
    layer_mask layers;     /* to apply where the host can */
    layer_mask required;   /* else nothing runs */
    layer_mask for_limits; /* of those: what a limit needs that the user asked for */
    bool net_host;
};

/* What happens, as it happens. Any member may be NULL. */
struct backend_sink {
    void *ctx;
    void (*started)(void *ctx, layer_mask held);
    void (*output)(void *ctx, int stream, const char *p, size_t n); /* stream 1 or 2 */
    /* Whether output of this stream may come now. When not, the guest's pipe is left alone, so that
     * the guest waits; *ret is what to poll before asking again. Must not block: the limits are
     * enforced by the thread that asks. NULL: always. */
    bool (*room)(void *ctx, int stream, struct pollfd *ret);
    void (*denied)(void *ctx, const char *name, uint64_t count);
    void (*limit)(void *ctx, enum jail_limit_hit hit);
    int cancel_fd; /* readable: the run is to end at once; -1 for none */
    /* Told when channel_fd, the other end of what the guest writes, can be read. -1 for none. */
    int channel_fd;
    void (*channel)(void *ctx);
};

struct backend_phase {
    const char *name;
    int64_t at_ns; /* CLOCK_MONOTONIC */
};

#define BACKEND_PHASES_MAX 16

struct backend_outcome {
    bool started;
    bool cancelled;
    int status; /* as from wait(); meaningless when a limit or a cancel ended it */
    unsigned limits_hit;
    const char *failure; /* what ended it that was neither the program nor a limit, and so the
                            status is SIGKILL; or NULL */
    layer_mask wanted, held;
    layer_mask lacking; /* of what did not start: those that were required */
    char no_fork[200];  /* with job.forks: why the guest can have none, or "" */
    int64_t wall_ns, cpu_us;
    uint64_t memory_peak;
    struct jail_denial denied[JAIL_DENIED_MAX];
    size_t denied_count;
    struct jail_lost lost[JAIL_LOST_MAX];
    size_t lost_count;
    struct backend_phase phases[BACKEND_PHASES_MAX];
    size_t phase_count;
    struct jail *jail; /* still being taken down; outcome_done waits for it */
    struct cgroup *group;
    struct pool *pool; /* that the jail came from; outcome_done tells it that the run is over */
    bool was_ahead;    /* its program was started ahead, and has the job's ahead_text */
    int channel[3];    /* of a guest that was started ahead with one of its own: our ends of it, to
                          write and to read, and the one it reads, instead of those of job.channel. May
                          be taken; else -1 */
    int work_fd;       /* the workspace as the run left it, or -1 */
    char *box_host;    /* where it may lie on the host's disk; outcome_done removes what is there */
};

struct backend_ops {
    const char *name;
    const char *alias;
    const char *summary;
    bool unsafe; /* no wall: only with the user's explicit word */
    bool absent; /* its name is part of the contract; this version cannot run anything with it */
    /* 0 and *ret filled whatever the guest did; -1 when the failure is ours or the host's. */
    int (*run)(const struct backend_job *job, const struct backend_sink *sink,
               struct backend_outcome *ret, struct err *err);
};

extern const struct backend_ops *const backends[]; /* NULL-terminated */
const struct backend_ops *backend_find(struct str name, struct err *err);
/* ERR_UNSUPPORTED with the names that exist, for one that is absent. Nothing falls back. */
int backend_check(const struct backend_ops *backend, struct err *err);

/* Notes that a phase ended now, for --trace-time. */
void outcome_phase(struct backend_outcome *outcome, const char *name);
void outcome_init(struct backend_outcome *outcome);
/* After a start that failed: as after outcome_init, but what is known of the layers stays. */
void outcome_reset(struct backend_outcome *outcome);
/* Waits until nothing of the run is left on the host, and frees. */
void outcome_done(struct backend_outcome *outcome);

#endif
