/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory and processor time of a tree of processes, read from /proc: for hosts where no control
 * group counts them. The run loop looks every few milliseconds and ends the run when it is over its
 * limit.
 *
 * It is a watcher, not a wall. Between two looks a guest can be far over. A process that comes and
 * goes in between is counted in its parent's time, or not at all if no process waits for it. Memory
 * in the buffers of pipes, in files that are on their way through a socket, and in the kernel's
 * tables other than page tables is not seen: docs/limits.md says what bounds it.
 */
#ifndef JAIL_WATCH_H
#define JAIL_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WATCH_PROCESSES_MAX 4096 /* of one tree; more are not looked at */

struct watch_adrift; /* jail/watch_sockets.h */
struct watch_tree {
    pid_t root;
    /* root is the init of a pid namespace or a subreaper, so whatever loses its parent becomes its
     * child. Otherwise orphans are found by their session: root must lead one, and a process that
     * starts its own is lost. */
    bool in_pidns;
    int tmpfs_fd;            /* in a file system in memory that is the guest's; -1 for none */
    uint64_t exact_at_bytes; /* from here on count exactly; 0 never. Give it the limit */
    bool with_sockets;       /* their buffers count; root's network is ours or its own */
    struct watch_adrift *ret_adrift; /* with_sockets: set by watch_tree_memory, or NULL */
};

/* What only they have in memory or swap, page tables among it. First an estimate that is never too
 * low: pages shared by fork or by intent count in each. Only when that reaches exact_at_bytes every
 * sharer is charged its part (smaps_rollup, which walks the page tables), where we may read that.
 * Of shared memory and of files in memory (the tmpfs, open memfds) the larger counts: mapped files
 * are in both. -1 with ESRCH when root has gone, with E2BIG when there were more processes than the
 * maximum; the sum of those looked at is stored in both cases. */
int watch_tree_memory(const struct watch_tree *tree, uint64_t *ret_bytes);

/* Processes and threads, root among them. -1 as above. */
int watch_tree_tasks(const struct watch_tree *tree, uint64_t *ret_tasks);

/* Processor time of all that are there and of all that were waited for, in steps of 10 ms. -1 as
 * above. */
int watch_tree_cpu(const struct watch_tree *tree, uint64_t *ret_ns);

#endif
