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
#include "jail/jail.h"
#include "jail/pool.h"
#include "limits/cgroup.h"
#include "network/network.h"

#define SETUP_LIMIT_MS 30000 /* from start to the guest's first program */

/* Guests of one nest that are forks of each other. Their jails are nested, so an ended guest's jail
 * is kept while a member is below it.
 *
 * Owners of the tree: its members, counted in `alive`. Each guest leaves it once (fork_tree_leave),
 * in any thread. The member that takes the count to 0, under `members`, frees the tree; any other
 * one must not touch it after it has released that lock. A member belongs to the tree. The thread
 * that takes it out under the same lock frees it, with the jail and group that its guest left. */
struct fork_member {
    struct fork_member *parent;
    unsigned below; /* number of its children */
    bool ended;     /* then the next members are set */
    struct jail *jail;
    struct cgroup *group;
    struct counted_guest counted;
};
struct fork_tree {
    pthread_mutex_t lock;    /* one fork at a time: they share the gate of the first jail's init */
    pthread_mutex_t members; /* protects `first` and `alive`; the other members never change */
    struct pool *pool;
    struct pool_nest *nest;     /* each member holds a reference until after it has left the tree */
    struct jail *root;          /* of the first guest: exists while a member is alive */
    struct watch_family family; /* they are in one network */
    struct fork_member *first;
    unsigned alive;
};

struct local_guest {
    struct backend_guest base;
    const struct backend_job *job; /* this and the next two are lent until local_end */
    const struct backend_sink *sink;
    struct backend_outcome *out;
    struct jail_spec spec;
    struct jail *jail;
    struct cgroup *group;
    struct cgroup_usage usage; /* read when its guest was about to exit; or zero */
    struct pump pump;
    int lay_write; /* the pipe for the files, until all are sent */
    int oom_fd;
    int64_t start_ns, deadline_ms;
    int64_t oom_until_ms;             /* memory ran out: a kill may follow until then */
    uint64_t cpu_ns;                  /* processor time when a limit ended it */
    int64_t watch_ms;                 /* when to watch its limits next */
    uint64_t watched_cpu_ns;          /* processor time that was watched last */
    struct watch_inherited inherited; /* if memory is watched */
    uint64_t looked_cpu_ns;           /* processor time at the last local_look */
    int64_t sockets_ms;               /* when to inspect sockets next */
    uint64_t sockets_peak;            /* the maximum seen in their buffers */
    struct counted_guest counted;
    int work_fd;         /* opened on request, or at the end */
    int box_fd;          /* after the end: used instead of the jail's */
    bool kept_for_forks; /* the tree keeps its jail, with the disk */
    int channel[3];      /* its own channel, until local_channel takes it */
    char *box_host;      /* where its disk may be on the host */
    char *inside;        /* its path of the workspace; set on request */
    struct pool *pool;   /* the pool from which it was taken */
    bool has_root;
    bool host_oom;              /* a process of it was killed because the host's memory ran out */
    bool over;                  /* no guest is alive any more */
    bool ended;                 /* we have ended it */
    bool orphaned;              /* its guest died with its zygote */
    bool leaving;               /* its guest has begun to exit, and its status is known */
    struct fork_tree *tree;     /* with job.forks, if it can have forks */
    struct fork_member *member; /* its member in the tree; NULL for the first guest */
    struct local_guest *origin; /* of a fork, until it is sealed */
    struct local_seal seal;     /* for a copy in reserve */
    int64_t leave_until_ms;     /* until then its init may end it without its forks */
    struct fork_tree *forking;  /* the tree that it has locked while it is being forked */
    struct net_line *line;      /* with job.net_rules; shared with its forks and its origin */
    struct err error;           /* why nothing was started */
};

/* Starts the guest, warm if a jail waits. After -1, local_leave and local_close remove everything
 * that was made. */
int local_start(struct local_guest *l, struct err *err);
/* Fails when required layers are missing in its control group. */
int local_require_groups(const struct local_guest *l, struct err *err);
/* Lays the job's files. The reader is the jail's init: when it dies early, the write fails without
 * an error here, since the init's own message is the better one. */
int local_send_files(struct local_guest *l, struct err *err);

/* local_warm.c. Starts the guest from the pool. Returns true if it was started, or failed for good
 * (*ret_result); false if it has to start cold. */
bool local_start_warm(struct local_guest *l, int *ret_result, struct err *err);
/* After a cold start: the pool may start the next one early. */
void local_teach(const struct local_guest *l);
/* Makes a guest of a jail that was taken from a pool. */
void local_adopt(struct local_guest *l, const struct pool_jail *warm);

/* local_fork.c. Makes a tree of one guest. All these functions accept a NULL tree. */
struct fork_tree *fork_tree_new(struct pool *pool, struct pool_nest *nest, struct jail *root);
struct watch_family fork_tree_family(const struct local_guest *l);
/* True if it has forks, which need its jail. */
bool fork_tree_has_below(struct local_guest *l);
/* Takes an ended guest out of the tree. While members are below it, the tree keeps its jail and
 * group, which the guest then no longer owns; when the last member below goes, they are removed. */
void fork_tree_leave(struct local_guest *l);
void fork_tree_let_fork(struct local_guest *l);

/* local_watch.c. Notes what a guest inherits, before it can add to that: the memory of a parked
 * guest, or that of the origin before it is forked. */
void local_watch_begin(struct local_guest *l);
/* When to watch, in the time of clock_mono_ms. When that is due, returns the limit that is
 * exceeded, or 0. */
int64_t local_watch_due(const struct local_guest *l);
enum jail_limit_hit local_watch_over(struct local_guest *l);
/* Its processes, for the watcher. False if they are not known, or gone. */
bool local_tree(struct local_guest *l, struct watch_tree *ret);
/* Returns their count, at most `max` and CGROUP_LIST_MAX. */
size_t local_processes(struct local_guest *l, int *ret_pids, size_t max);
uint64_t local_cpu_ns(struct local_guest *l);

/* local_net.c: fails, before anything is started, if a network by name cannot be had. */
int local_net_ready(const struct local_guest *l, struct err *err);
/* The guest is about to run: hands its network over to glovebox-net. */
int local_net_open(struct local_guest *l, struct err *err);

/* local_sockets.c: when to inspect the sockets, in the time of clock_mono_ms. When that is due,
 * returns the limit that they exceed, or 0. */
int64_t local_sockets_due(const struct local_guest *l);
enum jail_limit_hit local_sockets_over(struct local_guest *l);

/* local_end.c. Writes the figures of a guest that has ended into the outcome. Returns -1 with *err
 * if its program was never started. */
int local_finish(struct local_guest *l, struct err *err);
/* Releases everything that backend_close does not release. Lent members are not used afterwards. */
void local_leave(struct local_guest *l);

/* local_counted.c. Called when the guest was started: from now on it is counted and may be killed.
 */
void local_join(struct local_guest *l);
/* Called at its end: its files may still be released. */
void local_note_files(struct local_guest *l);
void local_open_work(struct local_guest *l); /* opens work_fd, if it can be */

/* local.c: notes why the kernel killed a process of it for lack of memory. */
void local_hit_memory(struct local_guest *l);
/* Makes a guest that is not started yet. */
struct local_guest *local_new(const struct backend_job *job, const struct backend_sink *sink,
                              struct backend_outcome *out);
/* Notes a limit that was hit, once, and reports it. */
void local_hit(struct local_guest *l, enum jail_limit_hit limit);
/* Writes the layers that the jail had to give up into the outcome. */
void local_note_lost(struct local_guest *l);
struct local_guest *local_of(struct backend_guest *guest);

#endif
