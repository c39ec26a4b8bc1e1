/* SPDX-License-Identifier: Apache-2.0
 *
 * Control groups, seen from the host: a run's own memory, pids and cpu limits, and what it used.
 *
 * Theory. The kernel has two interfaces and a host may mount either or both: v2 is one tree with
 * every controller in it; v1 is a tree per controller. A controller lives in exactly one place, so
 * each of the three layers is held by v2, by v1 or by nothing, and one run may mix them. Each of
 * the three ways is a struct cgroup_ops; "nothing" is one of them. On the first use a process looks
 * where its runs may have their groups (cgroup_v1.c, cgroup_v2.c) and keeps that; it looks again
 * when the place has gone.
 *
 * A run's directory is `glovebox-PID-START-SPACE-N` in every tree it needs: the owner's pid, its
 * start time and the pid and time namespaces in which those two mean something. The process that
 * makes it removes it, in cgroup_close. An owner that was killed cannot, so every run first sweeps
 * away directories that a dead owner left; pid and start time together are never used twice, so a
 * sweep cannot hit a live owner, and two sweeps at once merely find some of the work done. Owners
 * from other namespaces are not judged at all.
 *
 * The guest's first process enters by itself, before it drops its rights: on v1 by writing "0" to
 * inherited descriptors, on v2 by being cloned into the group. A parent that writes another task's
 * pid takes the kernel's global thread-group lock and waits out an RCU grace period, 10 ms after
 * idleness. So nothing may be forked by it before it is in, and from then on everything below it is
 * in as well.
 *
 * A process that runs guests for several owners sets a ceiling on the memory of all its groups
 * together (cgroup_ceiling). Then the groups that hold memory lie in one more directory of this
 * process, `glovebox-PID-START-SPACE-all`, which has that limit: the kernel kills inside it before
 * the host has no memory left.
 *
 * Killing races with forking: cgroup.kill is atomic; without it pids.max becomes 0 and we kill what
 * is listed until nothing is. A pid is only signalled through a pidfd that was opened before the
 * list that names it was read, so a number that was reused by a stranger is never hit. Removing
 * races with dying: rmdir says EBUSY for a moment, so closing waits, at most a second; what
 * survives that is kept aside and tried again by the next sweep of this process.
 */
#ifndef JAIL_CGROUP_H
#define JAIL_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "jail/layers.h"
#include "jail/limits.h"

struct cgroup;

#define CGROUP_LAYERS (LAYER_BIT(LAYER_MEMORY) | LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU))

/* Makes a group for one run with these limits (0: none; one process is added for our init).
 * `wanted` may hold other layers as well. A missing controller is no failure: the group then holds
 * fewer layers, down to none. -1 only when this process cannot learn its own identity. Needs no
 * rights; safe in threads. */
int cgroup_open(const struct jail_limits *limits, layer_mask wanted, struct cgroup **ret,
                struct err *err);
/* The wanted layers that hold. */
layer_mask cgroup_held(const struct cgroup *c);

/* Entering, first way: descriptors to which the process that enters writes "0" while it has one
 * thread; their count. They stay ours, are close-on-exec and must not stay open in the guest. */
#define CGROUP_ENTER_MAX 4
size_t cgroup_enter_fds(struct cgroup *c, int ret_fds[CGROUP_ENTER_MAX]);
/* Second way: the directory for clone3(CLONE_INTO_CGROUP), or -1 when there is none. Ours as well.
 * A run may need both ways. */
int cgroup_dir_fd(struct cgroup *c);

/* What the run used until now; 0 where it is not counted. */
struct cgroup_usage {
    uint64_t cpu_ns;
    uint64_t memory_now;
    uint64_t memory_peak;
    uint64_t oom_kills;   /* kills because memory was out; v2 may count one process twice */
    uint64_t pids_hits;   /* forks refused */
    uint64_t buffer_hits; /* v1: no room for the buffers of TCP and UDP, which then wait */
};
void cgroup_usage(struct cgroup *c, struct cgroup_usage *ret);
/* Whose memory was out when the kernel killed a process in there (usage.oom_kills): that of this
 * group, of all groups together (cgroup_ceiling), or of the host or a group around us. When
 * cgroup_oom_fd has fired and no process was killed, cgroup_oom_over says that it was not this
 * group's turn. */
enum cgroup_oom { CGROUP_OOM_OWN, CGROUP_OOM_ALL, CGROUP_OOM_HOST };
enum cgroup_oom cgroup_oom_cause(struct cgroup *c);
void cgroup_oom_over(struct cgroup *c);
/* Processes and threads in there by now; 0 where they are not counted. */
uint64_t cgroup_tasks(struct cgroup *c);
/* The processes in there, at most `max` of them and CGROUP_LIST_MAX; their count. */
#define CGROUP_LIST_MAX 1024
size_t cgroup_processes(struct cgroup *c, int *ret_pids, size_t max);

/* A descriptor that becomes readable when the run meets its memory limit, or -1. It is a hint: on
 * v2 it also fires when the kernel could still free something. cgroup_usage has the answer, and
 * arms it again. */
int cgroup_oom_fd(struct cgroup *c);

/* SIGKILL for all inside; waits up to 0.1 s for v1 to be empty. */
void cgroup_kill(struct cgroup *c);
/* Kills what is left, removes the group everywhere, frees. NULL is fine. */
void cgroup_close(struct cgroup *c);
/* The same for a group whose processes are dead or dying, with their pid namespace: a group that
 * can be kept for another run is not waited for. */
void cgroup_close_dying(struct cgroup *c);

/* From now on so many groups more are kept when they are closed, for the next run with the same
 * limits: making and removing one takes longer than all else that a warm jail costs its host. A
 * group is kept only when it is empty and nothing of its last run can be seen in it. Less than
 * nothing takes away, and what is too many then is removed. Safe in threads. */
void cgroup_spare(int more);
/* Makes one now that is kept for the next run with these limits, unless one is. */
void cgroup_make_early(const struct jail_limits *limits, layer_mask wanted);
/* Not this one: a descriptor to enter it gets into the hands of a guest. */
void cgroup_use_once(struct cgroup *c);

/* From now on the groups of this process may have so much memory together; 0: as much as there is.
 * Before the first group, or to change the number or to remove the directory when no group is left.
 * False when no group can hold that: the caller has to count. Safe in threads. */
bool cgroup_ceiling(uint64_t memory_bytes);
/* The same, less what processes have that belong to it and are in no group: zygotes. False when
 * that cannot be set yet. */
bool cgroup_ceiling_less(uint64_t bytes);
/* The smallest memory limit of the groups that this process is in; UINT64_MAX: there is none. */
uint64_t cgroup_memory_around(void);

/* Removes the groups of dead owners. Costs a microsecond per tree when there is no group.
 */
void cgroup_sweep(void);

/* For `doctor`: which controller holds a layer. Makes a group to find out. */
struct cgroup_place {
    enum jail_layer layer;
    const char *by;  /* "v2", "v1" or "none" */
    char where[256]; /* the directory that runs have theirs in */
    char why[512];   /* for none: the file and what the kernel said */
};
#define CGROUP_PLACES 3
void cgroup_describe(struct cgroup_place ret[CGROUP_PLACES]);

#endif
