/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel memory that sockets use, seen from outside. Control groups do not count all of it. The
 * kernel charges to no process (not even in version 2): a netlink reply that no process reads, a
 * socket's error queue, a datagram that is reassembled from fragments, and data that arrived for
 * connections that no process accepted. One descriptor is enough to have thousands of some of
 * these.
 *
 * It is a watcher, as watch.h is. It does not find sockets in a message that no process received
 * (the kernel allows as many as RLIMIT_NOFILE), nor, before Linux 6.9, in a table of descriptors
 * that a thread has for itself. Of these, only the entries in the lists of the network namespace
 * count: netlink, UDP, and the queues of TCP.
 */
#ifndef LIMITS_WATCH_SOCKETS_H
#define LIMITS_WATCH_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "limits/watch.h"

/* TCP connections for which no process has a descriptor: not accepted yet, or closed with data in
 * flight (orphans). The kernel counts orphans for the whole machine. Beyond
 * net.ipv4.tcp_max_orphans it also resets those of other processes; their data counts in the
 * machine's tcp_mem. */
struct watch_adrift {
    size_t count;
    uint64_t bytes;
};
/* True if a guest with that memory limit may not have so many connections or bytes. With
 * memory_bytes 0, only the count is limited. */
bool watch_adrift_over(const struct watch_adrift *adrift, uint64_t memory_bytes);

struct watch_sockets {
    const pid_t *pids; /* some may be in our network namespace; all others share one of their own */
    size_t count;
    bool with_unix; /* Unix sockets count, too; groups, where there are any, always charge these */
    const struct watch_family *family; /* other guests in that network; or NULL */
};

/* Returns the bytes, including adrift ones; also 0 if the network has so few sockets that they do
 * not matter. The lists of a network do not say which guest has a socket: if the result comes near
 * memory_bytes, the sockets of the family's other guests are found and left out. Needs Linux 5.6
 * for sockets found by descriptor, and the right to trace the processes, as root or the same user
 * has. */
uint64_t watch_sockets(const struct watch_sockets *watch, uint64_t memory_bytes,
                       struct watch_adrift *ret_adrift);

#endif
