/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the local_*.c files, and included by no others.
 */
#ifndef BACKENDS_LOCAL_PARTS_H
#define BACKENDS_LOCAL_PARTS_H

#include <pthread.h>

#include "backends/guests_memory.h"
#include "backends/local.h"
#include "backends/local_seal.h"
#include "backends/pump.h"
#include "jail/cgroup.h"
#include "jail/jail.h"
#include "jail/pool.h"

#define SETUP_LIMIT_MS 30000 /* from start to the guest's first program */

/* Guests of one nest that are forks of each other. Their jails lie one below the other, so what a
 * guest leaves is kept as long as a member is below it.
 *
 * Owners of the tree: its members, counted in `alive`. Each guest leaves it once
 * (fork_tree_leave), in any thread. The member that takes the count to 0, under `members`, frees
 * the tree; any other one must not touch it after it has let go of that lock. A member belongs to
 * the tree, and is freed with what its guest left by the thread that took it out under the same
 * lock. */
struct fork_member {
    struct fork_member *parent;
    unsigned below; /* number of its children */
    bool ended;     /* and then what it left: */
    struct jail *jail;
    struct cgroup *group;
};
struct fork_tree {
    pthread_mutex_t lock;    /* one fork at a time: they share the gate of the first jail's init */
    pthread_mutex_t members; /* over `first` and `alive`; the others never change */
    struct pool *pool;
    struct pool_nest *nest; /* held once a member, until after it has left the tree */
    struct jail *root;      /* of the first: there while a member is alive */
    struct fork_member *first;
    unsigned alive;
};

struct local_guest {
    struct backend_guest base;
    const struct backend_job *job; /* as the next two, lent until local_end */
    const struct backend_sink *sink;
    struct backend_outcome *out;
    struct jail_spec spec;
    struct jail *jail;
    struct cgroup *group;
    struct cgroup_usage usage; /* when its guest was about to exit, if it was looked at */
    struct pump pump;
    int lay_write; /* files go in here, until they are in */
    int oom_fd;
    int64_t start_ns, deadline_ms;
    int64_t oom_until_ms;   /* memory was out; until then a kill may follow */
    uint64_t cpu_ns;        /* used when a limit ended it */
    int64_t watch_ms;       /* when to look next */
    uint64_t looked_cpu_ns; /* at the last look while it was not stepped */
    int64_t sockets_ms;     /* when to look at sockets next */
    uint64_t sockets_peak;  /* most that was seen in their buffers */
    struct counted_guest counted;
    int work_fd;       /* opened when asked for, or at the end */
    int channel[3];    /* its own, until local_channel */
    char *box_host;    /* where its disk may lie on the host */
    char *inside;      /* how it names its workspace, once asked for */
    struct pool *pool; /* which it was taken from */
    bool has_root;
    bool host_oom;              /* a process of it was killed because the host's memory was out */
    bool over;                  /* no guest is alive any more */
    bool ended;                 /* we have ended it */
    bool orphaned;              /* its guest died with its zygote */
    bool leaving;               /* its guest has begun to exit, and its status is known */
    struct fork_tree *tree;     /* with job.forks, when it can have some */
    struct fork_member *member; /* in it; NULL: the first */
    const struct local_guest *origin; /* of a fork, until it is sealed */
    struct local_seal seal;           /* of a copy in reserve */
    int64_t leave_until_ms;           /* it was asked to end without its forks */
    struct fork_tree *forking;        /* the tree that it has locked while it is being forked */
    struct err error;                 /* why nothing was started */
};

/* Starts it, warm where one waits. After -1 local_leave and local_close take down what there is. */
int local_start(struct local_guest *l, struct err *err);
/* Fails when required layers are missing in its control group. */
int local_require_groups(const struct local_guest *l, struct err *err);
/* Lays the job's files. The reader is the jail's init: when it dies early, the write fails without
 * an error here, since the init's own message is the better one. */
int local_send_files(struct local_guest *l, struct err *err);

/* local_warm.c. Starts it from the pool. True when it was started, or failed for good
 * (*ret_result); false when it has to start cold. */
bool local_start_warm(struct local_guest *l, int *ret_result, struct err *err);
/* After a cold start, when the guest's control group can be inspected: the pool may start the next
 * one early. */
void local_teach(const struct local_guest *l);
/* A guest that was taken out of a pool. */
void local_adopt(struct local_guest *l, const struct pool_jail *warm);

/* local_fork.c. A new tree of one guest; NULL stays NULL in all of these. */
struct fork_tree *fork_tree_new(struct pool *pool, struct pool_nest *nest, struct jail *root);
/* Whether it has forks, which need its jail. */
bool fork_tree_has_below(struct local_guest *l);
/* Of a member that ended: keeps its jail and group, which the guest then has no more, as long as
 * others are below it; the last one below others takes theirs down. */
void fork_tree_leave(struct local_guest *l);
void fork_tree_let_fork(struct local_guest *l);

/* local_sockets.c: when to look, in the time of clock_mono_ms; and when it was due, the limit that
 * they exceed, or 0. */
int64_t local_sockets_due(const struct local_guest *l);
enum jail_limit_hit local_sockets_over(struct local_guest *l);

/* local_end.c. Of a guest that has ended: its figures into the outcome. -1 with *err when its
 * program was never started. */
int local_finish(struct local_guest *l, struct err *err);
/* Releases everything but what backend_close releases. What was lent is not used afterwards. */
void local_leave(struct local_guest *l);

/* local.c: the kernel killed a process of it because memory was out: notes what for. */
void local_hit_memory(struct local_guest *l);
/* A guest before its start. */
struct local_guest *local_new(const struct backend_job *job, const struct backend_sink *sink,
                              struct backend_outcome *out);
/* Notes a limit that was met, once, and reports it. */
void local_hit(struct local_guest *l, enum jail_limit_hit limit);
/* Layers that the jail had to do without, into the outcome. */
void local_note_lost(struct local_guest *l);
int local_open_work(const struct local_guest *l); /* a descriptor of the workspace, or -1 */
struct local_guest *local_of(struct backend_guest *guest);

#endif
