/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory and processor time of a tree of processes, read from /proc, for hosts where no control
 * group counts them. The run loop measures every few milliseconds and ends the run if it is over
 * its limit.
 *
 * It is a watcher, not a wall. Between two measurements a guest can be far over its limit. A
 * process that starts and exits in between is counted in its parent's time, or not at all if no
 * process waits for it. Not counted is memory in the buffers of pipes, in files that are in transit
 * through a socket, and in the kernel's tables other than page tables: docs/limits.md describes
 * what limits these.
 */
#ifndef LIMITS_WATCH_H
#define LIMITS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WATCH_PROCESSES_MAX 4096 /* of one tree; further ones are not read */

struct watch_adrift; /* limits/watch_sockets.h */

/* The memory that the first process of a tree got from its origin by fork. Pages that it has not
 * changed since are its origin's, and may be subtracted from what the tree has. */
struct watch_inherited {
    uint64_t bytes; /* at first all memory that it has; each exact look lowers it to what is left */
    int origin; /* a pidfd of the process that was forked; -1: the origin outlives the tree. When it
                   has ended, inherited pages cannot be told from others, and bytes stays */
};

/* All guests of one network: the first guest's init, its first process and its pid namespace, as in
 * struct watch_tree. Forks are below. No root: each guest has its own network. */
struct watch_family {
    pid_t root, beside;
    uint64_t pid_space;
};

struct watch_tree {
    pid_t root;
    /* A process that belongs to the tree, though its parent is outside; 0: none. */
    pid_t beside;
    /* Only processes of this pid namespace (its inode) belong to the tree. Forks of a guest are
     * below root as well, in pid namespaces of their own. 0: all that are below root. */
    uint64_t pid_space;
    /* The root is the init of a pid namespace or a subreaper, so that orphans become its children.
     * Otherwise orphans are found by their session: root must lead one, and a process that starts
     * its own session is not found. */
    bool in_pidns;
    int tmpfs_fd;            /* a descriptor in the guest's file system in memory; -1: none */
    uint64_t exact_at_bytes; /* from this estimate on, count exactly; 0: never. Give it the limit */
    bool with_sockets;       /* socket buffers count; root's network is ours or its own */
    struct watch_family family;        /* with_sockets: other guests in that network */
    struct watch_inherited *inherited; /* of `beside`, or NULL; counts like all other pages */
    uint64_t
        *ret_largest; /* set by watch_tree_memory to the pages of the largest process, or NULL */
    struct watch_adrift *ret_adrift; /* with with_sockets: set by watch_tree_memory, or NULL */
};

/* The memory and swap of the tree alone, including page tables. First an estimate that is never too
 * low: pages that are shared, by fork or intentionally, count in each process. Only if it reaches
 * exact_at_bytes, each process is charged its part of shared pages (smaps_rollup, which walks the
 * page tables), where we may read that; but all processes together at least the pages of the
 * largest, because other trees may share them. Of shared memory and files in memory (the tmpfs,
 * open memfds), only the larger counts, because mapped files are in both. -1 with ESRCH if root is
 * gone, with E2BIG if there are more processes than the maximum; in both cases *ret_bytes is the
 * sum of the processes that were measured. */
int watch_tree_memory(const struct watch_tree *tree, uint64_t *ret_bytes);

/* The same, exactly, and of pages that it shares with other trees only its part. So the sums of
 * several trees add up to the memory that they take together. */
int watch_tree_part(const struct watch_tree *tree, uint64_t *ret_bytes);

/* What its first process (`beside`) has, for watch_inherited.bytes. */
uint64_t watch_tree_begin(const struct watch_tree *tree);

/* The processes of the tree, at most `max`. Returns their count. */
size_t watch_tree_processes(const struct watch_tree *tree, pid_t *ret_pids, size_t max);

/* The number of processes and threads, including root. -1 as above. */
int watch_tree_tasks(const struct watch_tree *tree, uint64_t *ret_tasks);

/* The processor time of all current processes and of all that were waited for, in steps of 10 ms.
 * -1 as above. */
int watch_tree_cpu(const struct watch_tree *tree, uint64_t *ret_ns);

#endif
