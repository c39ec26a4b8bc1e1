/* SPDX-License-Identifier: Apache-2.0
 *
 * Jails that are ready before a run needs one.
 *
 * Theory of warm runs
 *
 * A cold run pays for making a jail and for starting the interpreter. With a pool, both exist
 * before the request. The daemon has a pool; a handle of the library has one for forks of sessions.
 *
 *   pool, in the library
 *     | starts it as any jail is started (jail.h)
 *   nest: a jail with a complete read-only root and no guest (inside/nest.c)
 *     | starts, once                          | MSG_MAKE: clones
 *   zygote: an interpreter, loaded            init: pid 1 of one jail (inside/warm.c)
 *     | forks, when an init asks              | serves
 *   guest: locked in, parked until MSG_GO brings its program
 *
 * 1. A kind is everything that interchangeable jails have in common: the interpreter and its
 *    loaded modules, the visible part of the host, the limits. The first run of a kind starts cold,
 *    and gives the pool the plan. One thread of the pool starts a nest for the kind; another thread
 *    makes jails, so that one slow start does not delay others.
 * 2. The zygote loads modules, defines the runner's functions, runs a typical program once
 *    (rehearses), learns from a fork which pages every run touches, and fills the allocator's open
 *    pools (guests/zygote_python.py). All this reduces the number of pages that a fork has to
 *    copy. The zygote's C functions are in a shared object, linked from the same inside/guest.c
 *    that locks in a cold guest. The interpreter calls them through its stable ABI: calls through
 *    ctypes touch more pages.
 * 3. For each jail, the pool makes control groups and pipes, and sends MSG_MAKE. The nest clones
 *    an init into new user, pid, mount, ipc and uts namespaces, and a network that no other jail
 *    uses and no guest has used (inside/slots.c). The init first sends its pidfd and, for guests
 *    that can be forked, its pid namespace: other processes can open these only until the init
 *    gives up its rights. Then it mounts this guest's disk, devpts and /proc (inside/warm.c).
 * 4. The zygote sets the pid namespace of its children and forks. The child enters the control
 *    groups, touches the pages that a run will use (zygote/zygote_pages.c), joins the init's
 *    namespaces, gives up its capabilities, and goes through guest_enter as every guest does:
 *    rlimits, Landlock, the filter. Then it is parked, and the pool receives MSG_READY.
 * 5. A run takes a parked jail, or has the nest make one at once, and sends MSG_GO. From then on
 *    it is a jail like any other, with the same init, messages and end. Only the exit status
 *    comes from the zygote, the guest's parent, over a socket that the guest does not have.
 * 6. When the guest calls exit_group, the filter reports it to the init, which measures the guest
 *    and keeps it waiting. If no other process is left in its control group, the run is over: the
 *    jail is taken down after the result is sent, and the pool makes the next one (pool_rest).
 *    Otherwise the guest continues to an ordinary exit.
 *
 * Kinds of the other sort have no zygote. A thread of the pool starts their jails one by one, like
 * cold ones. They wait without a program, or with an interpreter that waits for its own program
 * (backends/warm.h). A run that finds no ready jail starts cold.
 *
 * Each jail is used once. The pool renews a nest after `forks_max` forks and when it dies; guests
 * of the old nest run to their end. One jail of each kind waits at first, and more after runs that
 * found none, up to ready_max jails and memory_max bytes, as measured by their control groups.
 * Zygotes may use the same number of bytes in addition. A new kind takes the slot of the least
 * recently used one. tests/warm runs the same programs cold and warm, and compares everything.
 *
 * Owners: the pool belongs to its opener, and must outlive all its jails and nests. A jail belongs
 * to the pool while it waits, and then to the run that took it. A nest belongs to the pool, and
 * stays as long as it is the current nest of its kind or has users, which are counted under the
 * pool's lock: pool_require and pool_fork count one for each jail, until pool_release. Only the
 * pool's threads free a nest, under the lock.
 */
#ifndef JAIL_POOL_H
#define JAIL_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "jail/jail.h"
#include "limits/cgroup.h"

struct pool;

struct pool_options {
    unsigned ready_max;  /* jails that wait at the same time, over all kinds; 0: four per
                            processor */
    unsigned kinds_max;  /* of each sort; 0: 8 */
    uint32_t forks_max;  /* of one zygote; 0: 5000 */
    uint64_t memory_max; /* bytes that waiting jails may use, and the same again for zygotes; 0: an
                            eighth of the machine's memory */
};

/* Starts no jail yet. Safe in threads. */
int pool_open(const struct pool_options *options, struct pool **ret, struct err *err);
/* Kills all waiting jails. Jails that were taken die as well, so close the pool after them. NULL is
 * fine. */
void pool_close(struct pool *pool);

/* The nest of guests that can be forked; it lives as long as it has a user. */
struct pool_nest;

/* A jail that waits for jail_go; it belongs to the run that took it. */
struct pool_jail {
    struct jail *jail;
    struct cgroup *group;
    int pipes[3];   /* our ends of the guest's 0, 1, 2 */
    int channel[3]; /* if it was made with a channel of its own: our ends to write and to read, and
                       the end from which the guest reads; otherwise -1 */
    struct pool_nest *nest; /* set by pool_require only */
};

/* True with a jail of the kind with this key in *ret. With a channel (the guest's ends, which the
 * caller keeps; or NULL) the jail is made at once. */
bool pool_take(struct pool *pool, struct str key, const int channel[2], struct pool_jail *ret);
/* A run that took a jail is over. The pool replaces the jail now, when no client waits for the
 * result. (It has already done so if the run took the last one.) */
void pool_rest(struct pool *pool);
/* Call it after a miss: gives the pool a plan for jails of this kind. The spec's program is the
 * zygote. The pool takes the spec's content over, and leaves it empty. */
void pool_learn(struct pool *pool, struct str key, struct jail_spec *spec,
                const struct jail_limits *limits, layer_mask layers);

/* The same for a kind without a zygote. The spec sets `park` or `waits`, and `channel` if each jail
 * is to have a channel of its own. */
struct pool_alone {
    bool input;      /* true: the guest's stdin is a pipe; false: /dev/null */
    struct str text; /* is written to the guest's channel at once; copied. At most 1 MiB */
};
void pool_learn_alone(struct pool *pool, struct str key, struct jail_spec *spec,
                      const struct jail_limits *limits, layer_mask layers,
                      const struct pool_alone *more);

/* The properties of a jail that is made at once. */
struct pool_order {
    const struct jail_limits *limits;
    layer_mask layers;
    const int *channel;               /* the guest's ends, or NULL */
    const struct jail_origin *origin; /* the guest that will be forked into it, or NULL */
};

/* Makes a jail of this kind at once. If the kind has no nest, starts one first, and takes the spec
 * over as pool_learn does. ret->nest must be released with pool_release. */
int pool_require(struct pool *pool, struct str key, struct jail_spec *spec,
                 const struct pool_order *order, struct pool_jail *ret, struct err *err);
/* Makes a jail for a fork of a guest of this nest (the order's origin), below its jail; see
 * jail_fork. Call pool_release once more for it. */
int pool_fork(struct pool *pool, struct pool_nest *nest, const struct pool_order *order,
              struct pool_jail *ret, struct err *err);
void pool_release(struct pool *pool, struct pool_nest *nest);
/* A fork with these limits was made: makes the control group for the next one now. */
void pool_forked(struct pool *pool, const struct jail_limits *limits, layer_mask layers);

struct pool_stats {
    uint64_t hits, on_demand, misses; /* runs that found a ready jail, only a zygote, neither */
    uint64_t zygotes_started, zygotes_died, zygotes_renewed;
    unsigned zygotes, ready;
    uint64_t memory;   /* of zygotes and ready jails, when last measured */
    char problem[300]; /* why the last nest could not be started, or "" */
};
void pool_stats(struct pool *pool, struct pool_stats *ret);

#endif
