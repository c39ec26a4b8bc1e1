/* SPDX-License-Identifier: Apache-2.0
 *
 * Control groups, seen from the host: a run's own limits on memory, pids and cpu, and its usage.
 *
 * Theory. The kernel has two interfaces, and a host may mount one or both: v2 is one tree with all
 * controllers; v1 is a tree per controller. A controller is in exactly one tree, so each of the
 * three layers is held by v2, by v1 or by nothing, and one run may mix them. Each of the three ways
 * is a struct cgroup_ops; "nothing" is one of them. On the first use a process finds the folders in
 * which its runs may have their groups (cgroup_v1.c, cgroup_v2.c) and remembers them; it searches
 * again if one is gone.
 *
 * A run's folder is `glovebox-PID-START-SPACE-N` in every tree that it needs: the owner's pid, its
 * start time, and the pid and time namespaces in which these two are valid. The process that makes
 * the folder removes it, in cgroup_close. An owner that was killed cannot, so every run first
 * removes (sweeps) the folders that dead owners left. A pair of pid and start time is never used
 * twice, so a sweep cannot hit a live owner; if two sweeps run at once, each finds some of the work
 * done. A sweep leaves the folders of owners from other namespaces.
 *
 * The guest's first process enters by itself, before it drops its rights: on v1 by writing "0" to
 * inherited descriptors, on v2 by being cloned into the group. (If a parent writes another task's
 * pid, it takes the kernel's global thread-group lock and waits for an RCU grace period, 10 ms on
 * an idle machine.) So the first process may not fork before it has entered, and all later
 * descendants are in the group as well.
 *
 * A process that runs guests for several owners sets a ceiling on the memory of all its groups
 * together (cgroup_ceiling). Then the groups that hold memory are in one more folder of this
 * process, `glovebox-PID-START-SPACE-all`, which has that limit: the kernel kills inside it before
 * the host has no memory left.
 *
 * Killing races with forking: cgroup.kill is atomic; without it, pids.max becomes 0, and we kill
 * the listed processes until none is listed. A pid is only signalled through a pidfd that was
 * opened before the list with that pid was read, so a reused pid is never hit. Removing races with
 * exiting: rmdir returns EBUSY for a moment, so closing waits, at most a second. Folders that still
 * cannot be removed are kept in a list, and the next sweep of this process tries again.
 */
#ifndef LIMITS_CGROUP_H
#define LIMITS_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "limits/layers.h"
#include "limits/limits.h"

struct cgroup;

#define CGROUP_LAYERS (LAYER_BIT(LAYER_MEMORY) | LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU))

/* Makes a group for one run with these limits (0: none; one process is added for our init).
 * `wanted` may include other layers, which are ignored. A missing controller is no failure: the
 * group then holds fewer layers, perhaps none. -1 only if this process cannot find out its own
 * identity. Needs no rights; safe in threads. */
int cgroup_open(const struct jail_limits *limits, layer_mask wanted, struct cgroup **ret,
                struct err *err);
/* The wanted layers that hold. */
layer_mask cgroup_held(const struct cgroup *c);

/* First way to enter: the entering process writes "0" to these descriptors while it has one thread.
 * Returns their count. The group owns them; they are close-on-exec and must not stay open in the
 * guest. */
#define CGROUP_ENTER_MAX 4
size_t cgroup_enter_fds(struct cgroup *c, int ret_fds[CGROUP_ENTER_MAX]);
/* Second way: the folder for clone3(CLONE_INTO_CGROUP), or -1 if there is none. The group owns it,
 * too. A run may need both ways. */
int cgroup_dir_fd(struct cgroup *c);

/* The run's usage so far; 0 if it is not counted. */
struct cgroup_usage {
    uint64_t cpu_ns;
    uint64_t memory_now;
    uint64_t memory_peak;
    uint64_t oom_kills;   /* kills because memory ran out; v2 may count one process twice */
    uint64_t pids_hits;   /* forks refused */
    uint64_t buffer_hits; /* v1: not 0 if the buffers of TCP and UDP were full */
};
void cgroup_usage(struct cgroup *c, struct cgroup_usage *ret);
/* Whose memory ran out when the kernel killed a process in the group (usage.oom_kills): that of
 * this group, of all groups together (cgroup_ceiling), or of the host or a group around us. Call
 * cgroup_oom_over if cgroup_oom_fd became readable but no process of this group was killed: the
 * next cause is then judged from now on. */
enum cgroup_oom { CGROUP_OOM_OWN, CGROUP_OOM_ALL, CGROUP_OOM_HOST };
enum cgroup_oom cgroup_oom_cause(struct cgroup *c);
void cgroup_oom_over(struct cgroup *c);
/* The number of processes and threads in the group now; 0 if it is not counted. */
uint64_t cgroup_tasks(struct cgroup *c);
/* The processes in the group, at most `max` and CGROUP_LIST_MAX. Returns their count. */
#define CGROUP_LIST_MAX 1024
size_t cgroup_processes(struct cgroup *c, int *ret_pids, size_t max);

/* A descriptor that becomes readable when the run reaches its memory limit, or -1. It is a hint: on
 * v2 it also becomes readable if the kernel can still free memory. cgroup_usage has the answer, and
 * rearms the descriptor. */
int cgroup_oom_fd(struct cgroup *c);

/* Removes the limit on processor time, so that killed processes exit quickly. Any thread may call
 * it while the group is open. */
void cgroup_hurry(struct cgroup *c);
/* Sends SIGKILL to all processes inside; on v1, waits up to 0.1 s until the group is empty. */
void cgroup_kill(struct cgroup *c);
/* Kills the remaining processes, removes the group everywhere, and frees it. NULL is fine. */
void cgroup_close(struct cgroup *c);
/* The same for a group whose processes are dead or dying with their pid namespace: does not wait if
 * the group can be kept for another run. */
void cgroup_close_dying(struct cgroup *c);

/* Increases the number of closed groups that are kept for later runs with the same limits, because
 * making and removing one takes longer than all other work of the host for a warm jail. A group is
 * kept only if it is empty and shows nothing of its last run. A negative `more` decreases the
 * number, and removes the groups beyond it. Safe in threads. */
void cgroup_spare(int more);
/* Makes a group now for the next run with these limits, unless one is kept already. */
void cgroup_make_early(const struct jail_limits *limits, layer_mask wanted);
/* Do not keep this group: a guest will get a descriptor by which it can enter it. */
void cgroup_use_once(struct cgroup *c);

/* Limits the memory that all groups of this process may use together; 0: no limit. Call it before
 * the first group is made; later only to change the number, or to remove the folder when no group
 * is left. False if no group can hold the limit: the caller then has to count. Safe in threads. */
bool cgroup_ceiling(uint64_t memory_bytes);
/* Subtracts from the ceiling the bytes of processes that belong to this process and are in no
 * group: zygotes. False if that cannot be set yet. */
bool cgroup_ceiling_less(uint64_t bytes);
/* The memory that the groups of this process use together, and their limit. False if no group holds
 * a ceiling. */
struct cgroup_together {
    uint64_t now, most;
};
bool cgroup_together(struct cgroup_together *ret);
/* The memory that the group uses, without file caches, which the kernel frees before it kills. Any
 * thread may call it while the group is open. */
uint64_t cgroup_taken(struct cgroup *c);
/* With `first`, marks the processes of this group (and so their children) by oom_score_adj: if the
 * kernel has to kill for the ceiling, it takes one of them before those of other groups. Without
 * it, gives them the score of this process again. False if not all processes have the score. */
bool cgroup_kill_first(struct cgroup *c, bool first);
/* The smallest memory limit of the groups that this process is in; UINT64_MAX: there is none. */
uint64_t cgroup_memory_around(void);

/* Removes the groups of dead owners. Takes a microsecond per tree if there is no group. */
void cgroup_sweep(void);

/* For `doctor`: which interface holds a layer. cgroup_describe makes a group to find out. */
struct cgroup_place {
    enum jail_layer layer;
    const char *by;  /* "v2", "v1" or "none" */
    char where[256]; /* the folder for the groups of runs */
    char why[512];   /* for "none": the file and the kernel's error */
};
#define CGROUP_PLACES 3
void cgroup_describe(struct cgroup_place ret[CGROUP_PLACES]);

#endif
