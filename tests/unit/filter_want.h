/* SPDX-License-Identifier: Apache-2.0
 *
 * For the test of the filter's programs: the answer that the policy demands for a call with its
 * arguments, in plain C.
 */
#ifndef FILTER_WANT_H
#define FILTER_WANT_H

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "filter_run.h"

static uint32_t want_of(enum action action, unsigned flavour)
{
    switch ((int)action) {
    case ACT_ALLOW:
        return YES;
    case ACT_DENY:
        return tell(flavour, EPERM);
    case ACT_SHARED_DENY:
        return holds_signals(flavour) ? tell(flavour, EPERM) : YES;
    case ACT_INVALID:
        return tell(flavour, EINVAL);
    case ACT_LOCK:
        return tell(flavour, ENOLCK);
    case ACT_MEMBER:
        return tell(flavour, ENOBUFS);
    case ACT_UNSUPPORTED:
        return NO(EOPNOTSUPP);
    case ACT_NO_OPTION:
        return NO(ENOPROTOOPT);
    case ACT_NOT_BUILT:
        return NO(EINVAL);
    default:
        return SECCOMP_RET_KILL_PROCESS; /* no row has it */
    }
}

static uint32_t by_span(const struct span *spans, size_t n, uint32_t value, unsigned flavour,
                        uint32_t otherwise)
{
    for (size_t i = 0; i < n; i++)
        if (spans[i].first <= value && value <= spans[i].last)
            return want_of(spans[i].action, flavour);
    return otherwise;
}

static uint32_t want_option(uint32_t level, uint32_t option, unsigned flavour)
{
    for (size_t i = 0; i < ARRAY_LEN(sockopts); i++)
        if (sockopts[i].level == level && sockopts[i].option.first <= option &&
            option <= sockopts[i].option.last)
            return want_of(sockopts[i].option.action, flavour);
    return YES;
}

/* A process that is named, 0 for the caller. */
static uint32_t want_process(uint32_t process, unsigned flavour)
{
    bool allowed = flavour & FILTER_SHARED_PIDS ? process == 0 : process != 1;

    return allowed ? YES : tell(flavour, EPERM);
}

/* `kind` is that of a process; the next one that of a group. */
static uint32_t want_target(uint32_t which, uint32_t who, uint32_t kind, unsigned flavour)
{
    if (which == kind)
        return want_process(who, flavour);
    return which == kind + 1 && !(flavour & FILTER_SHARED_PIDS) ? YES : NO(EPERM);
}

static uint32_t want_scheduler(uint32_t process, uint32_t policy, unsigned flavour)
{
    policy &= 0xbfffffff;
    return policy == 0 || policy == 3 || policy == 5 ? want_process(process, flavour) : NO(EPERM);
}

/* Calls where a flag, or one value, is refused and nobody told. */
static uint32_t want_flags(enum action action, const struct seccomp_data *data)
{
    const uint32_t a1 = (uint32_t)data->args[1], a2 = (uint32_t)data->args[2],
                   a3 = (uint32_t)data->args[3], a5 = (uint32_t)data->args[5];

    switch ((int)action) {
    case ACT_MADVISE:
        return a2 == MADV_MERGEABLE || a2 == 20 || a2 == 21 ? NO(EINVAL) : YES;
    case ACT_FADVISE:
        return a3 == 4 ? NO(0) : YES;
    case ACT_RWF:
        return a5 & 0x88 ? NO(EOPNOTSUPP) : YES;
    case ACT_MMAP:
        return a3 & 0x40000 ? NO(ENOMEM) : YES;
    case ACT_MEMFD:
        return a1 & 4 ? NO(EINVAL) : YES;
    case ACT_SHMGET:
        return a2 & 04000 ? NO(ENOMEM) : YES;
    default: /* ACT_SHMCTL */
        return a1 == 11 ? NO(EPERM) : YES;
    }
}

static uint32_t want_socket(uint32_t family, uint32_t type, uint32_t protocol, unsigned flavour)
{
    uint32_t no = tell(flavour, EAFNOSUPPORT);
    bool inet = family == AF_INET || family == AF_INET6;

    type &= 15;
    if (family == AF_UNIX && flavour & FILTER_NO_ROOT)
        return no;
    if (family == AF_UNIX)
        return type == SOCK_STREAM || type == SOCK_DGRAM || type == SOCK_SEQPACKET ? YES : no;
    if (family == AF_NETLINK)
        return protocol == NETLINK_ROUTE ? YES : no;
    if (!inet || flavour & FILTER_NO_INET || (type != SOCK_STREAM && type != SOCK_DGRAM))
        return no;
    switch (protocol) {
    case 0:
    case IPPROTO_ICMP:
    case IPPROTO_TCP:
    case IPPROTO_UDP:
    case IPPROTO_ICMPV6:
        return YES;
    case 262: /* MPTCP */
        return NO(EPROTONOSUPPORT);
    default:
        return no;
    }
}

static uint32_t want_seccomp(uint32_t operation, uint32_t flags)
{
    if (operation > SECCOMP_GET_NOTIF_SIZES)
        return NO(EINVAL);
    if (operation != SECCOMP_SET_MODE_FILTER)
        return YES;
    return flags & ~(uint32_t)(1 | 2 | 4 | 16) ? NO(EPERM) : YES;
}

static uint32_t want_shared(enum action action, const uint32_t a[3], unsigned flavour)
{
    uint32_t no = tell(flavour, EPERM);

    if (action < ACT_SHARED_IPC ? !holds_signals(flavour) : !(flavour & FILTER_SHARED_PIDS))
        return YES;
    switch ((int)action) {
    case ACT_SHARED_QUIET:
        return NO(EPERM);
    case ACT_SHARED_KILL:
        return a[0] == 0 || a[1] == 0 ? YES : no;
    case ACT_SHARED_TKILL:
        return a[1] == 0 || a[1] == SIGURG ? YES : no;
    case ACT_SHARED_TGKILL:
        return a[2] == 0 || a[2] == SIGURG ? YES : no;
    default:
        return no;
    }
}

static bool is_device(uint32_t mode)
{
    uint32_t type = mode & S_IFMT;

    return type != 0 && type != S_IFREG && type != S_IFIFO && type != S_IFSOCK;
}

/* Whatever is truncated has to be written. */
static uint32_t want_open(uint32_t flags, unsigned flavour)
{
    bool writes = (flags & 3) == O_WRONLY || (flags & 3) == O_RDWR;

    return flavour & FILTER_NO_ROOT && flags & O_TRUNC && !writes ? NO(EACCES) : YES;
}

static uint32_t want(const struct row *row, unsigned flavour, const struct seccomp_data *data)
{
    const uint32_t a[3] = {(uint32_t)data->args[0], (uint32_t)data->args[1],
                           (uint32_t)data->args[2]};
    uint32_t no = tell(flavour, EPERM);
    enum action action = row ? row->action : ACT_UNKNOWN;

    switch ((int)action) {
    case ACT_ALLOW:
        return YES;
    case ACT_DENY:
        return no;
    case ACT_UNKNOWN:
        return tell(flavour, ENOSYS);
    case ACT_ABSENT:
        return NO(ENOSYS);
    case ACT_QUIET:
        return NO(EPERM);
    case ACT_UNSUPPORTED:
        return NO(EOPNOTSUPP);
    case ACT_CLONE: /* CLONE_PARENT and namespaces but CLONE_NEWTIME, an exit signal here */
        return a[0] & 0x7e028000 || (a[0] & 0x10400) == 0x400 ? no : YES;
    case ACT_UNSHARE:
        return a[0] & ~0x40600U ? no : YES;
    case ACT_PERSONALITY:
        return a[0] + 1 <= 1 ? YES : no;
    case ACT_SOCKET:
        return want_socket(a[0], a[1], a[2], flavour);
    case ACT_SOCKETPAIR:
        return a[0] == AF_UNIX && (!(flavour & FILTER_NO_ROOT) || (a[1] & 15) == SOCK_STREAM ||
                                   (a[1] & 15) == SOCK_SEQPACKET)
                   ? YES
                   : tell(flavour, EAFNOSUPPORT);
    case ACT_DONE:
        return NO(0);
    case ACT_IOCTL:
        return by_span(ioctls, ARRAY_LEN(ioctls), a[1], flavour, NO(ENOTTY));
    case ACT_FCNTL:
        return by_span(fcntls, ARRAY_LEN(fcntls), a[1], flavour, NO(EINVAL));
    case ACT_SOCKOPT:
        return want_option(a[1], a[2], flavour);
    case ACT_PRCTL:
        return by_span(prctls, ARRAY_LEN(prctls), a[0], flavour, tell(flavour, EINVAL));
    case ACT_SECCOMP:
        return want_seccomp(a[0], a[1]);
    case ACT_SCHEDULER:
        return want_scheduler(a[0], a[1], flavour);
    case ACT_SELF:
        return a[0] == 0 ? YES : no;
    case ACT_PROCESS:
        return want_process(a[0], flavour);
    case ACT_PRIORITY:
        return want_target(a[0], a[1], PRIO_PROCESS, flavour);
    case ACT_IOPRIO:
        return want_target(a[0], a[1], 1, flavour);
    case ACT_SHMGET:
    case ACT_SHMCTL:
        return flavour & FILTER_SHARED_PIDS ? no : want_flags(action, data);
    case ACT_MADVISE:
    case ACT_FADVISE:
    case ACT_RWF:
    case ACT_MMAP:
    case ACT_MEMFD:
        return want_flags(action, data);
    case ACT_MODE_1:
    case ACT_MODE_2:
        return flavour & FILTER_NO_ROOT || a[action == ACT_MODE_2 ? 2 : 1] & 04000 ? no : YES;
    case ACT_CHANGE:
    case ACT_TRUNCATE:
        return flavour & FILTER_NO_ROOT ? no : YES;
    case ACT_ROOT_ONLY:
        return flavour & FILTER_NO_ROOT ? NO(ENOSYS) : YES;
    case ACT_OPEN_1:
    case ACT_OPEN_2:
        return want_open(a[action == ACT_OPEN_2 ? 2 : 1], flavour);
    case ACT_NODE_1:
    case ACT_NODE_2:
        return is_device(a[action == ACT_NODE_2 ? 2 : 1]) ? no : YES;
    case ACT_LEAVE:
        return flavour & FILTER_TELLS_EXIT && !(flavour & FILTER_QUIET) ? TOLD | EPERM : YES;
    default:
        return want_shared(action, a, flavour);
    }
}

#endif
