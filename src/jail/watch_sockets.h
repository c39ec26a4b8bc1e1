/* SPDX-License-Identifier: Apache-2.0
 *
 * What sockets hold of the kernel's memory, seen from outside. Control groups do not count all of
 * it: a reply of netlink that no process reads, the error queue of a socket, a datagram that is put
 * together in pieces, and what arrived for connections that no process accepted are charged to no
 * process (also by version 2). One descriptor is enough to have some of that by the thousand.
 *
 * It is a watcher as watch.h is. Not seen are sockets in a message that no process received (the
 * kernel allows as many as RLIMIT_NOFILE), and in a table of descriptors that a thread has for
 * itself; of those only what the lists of the network namespace show counts: netlink, UDP, and the
 * queues of TCP.
 */
#ifndef JAIL_WATCH_SOCKETS_H
#define JAIL_WATCH_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* TCP connections that no process has a descriptor of: not accepted yet, or closed with data in
 * flight (orphans). The kernel counts orphans for the whole machine, and beyond net.ipv4.
 * tcp_max_orphans it resets those of other processes; their data count in the machine's tcp_mem. */
struct watch_adrift {
    size_t count;
    uint64_t bytes;
};
/* Whether those are more than a guest with that limit of memory may have; 0 is no limit of their
 * bytes, but of their count there always is one. */
bool watch_adrift_over(const struct watch_adrift *adrift, uint64_t memory_bytes);

struct watch_sockets {
    const pid_t *pids; /* some may be in our network namespace, all others in one of their own */
    size_t count;
    bool with_unix; /* these are always charged to a group, where there is one */
};

/* Bytes, those adrift among them; 0 as well when their network has so few sockets that it does not
 * matter. Linux 5.6 for what is seen by descriptor; we must be allowed to trace them, as root or
 * the same user is. */
uint64_t watch_sockets(const struct watch_sockets *watch, struct watch_adrift *ret_adrift);

#endif
