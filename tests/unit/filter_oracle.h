/* SPDX-License-Identifier: Apache-2.0
 *
 * For test_filter.c: the policy as libseccomp rules. Its programs say only which calls pass where
 * arguments count: a rule can demand, not exclude, so what is refused falls to the default. What is
 * told stands for itself as SCMP_ACT_TRACE, because libseccomp takes no notification for a default.
 */
#ifndef FILTER_ORACLE_H
#define FILTER_ORACLE_H

#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "filter_run.h"

struct oracle {
    scmp_filter_ctx ctx;
    unsigned flavour;
    struct sock_filter code[4096];
    unsigned count;
};

/* The calls where all is allowed but a few values, in a filter of their own with that default. */
static bool is_exclusion(enum action action)
{
    return action == ACT_IOCTL || action == ACT_MADVISE || action == ACT_SHARED_FCNTL;
}

#define REFUSED SCMP_ACT_TRACE(1)
#define ANY     ~0U

static int demand(struct oracle *o, uint32_t action, int nr, unsigned n, struct scmp_arg_cmp a,
                  struct scmp_arg_cmp b)
{
    struct scmp_arg_cmp both[] = {a, b};

    return seccomp_rule_add_array(o->ctx, action, nr, n, both);
}

static struct scmp_arg_cmp is(unsigned i, uint32_t bits, uint32_t value)
{
    return (struct scmp_arg_cmp){i, SCMP_CMP_MASKED_EQ, bits, value};
}

static int allow_one(struct oracle *o, int nr, unsigned i, uint32_t bits, uint32_t value)
{
    return demand(o, SCMP_ACT_ALLOW, nr, 1, is(i, bits, value), is(0, 0, 0));
}

static int allow_two(struct oracle *o, int nr, struct scmp_arg_cmp a, struct scmp_arg_cmp b)
{
    return demand(o, SCMP_ACT_ALLOW, nr, 2, a, b);
}

static int allow_inet(struct oracle *o, int nr, uint32_t family)
{
    static const uint32_t protocols[] = {0, IPPROTO_ICMP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMPV6};
    int result = 0;

    for (size_t i = 0; i < 2 * ARRAY_LEN(protocols); i++) {
        struct scmp_arg_cmp args[] = {is(0, ANY, family),
                                      is(1, 15, i % 2 ? SOCK_STREAM : SOCK_DGRAM),
                                      is(2, ANY, protocols[i / 2])};
        result |= seccomp_rule_add_array(o->ctx, SCMP_ACT_ALLOW, nr, 3, args);
    }
    return result;
}

static int allow_sockets(struct oracle *o, int nr)
{
    int result = allow_two(o, nr, is(0, ANY, AF_NETLINK), is(2, ANY, NETLINK_ROUTE));

    if (!(o->flavour & FILTER_NO_UNIX))
        result |= allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_STREAM)) |
                  allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_DGRAM)) |
                  allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_SEQPACKET));
    if (o->flavour & FILTER_NO_INET)
        return result;
    return result | allow_inet(o, nr, AF_INET) | allow_inet(o, nr, AF_INET6);
}

static int allow_prctls(struct oracle *o, int nr)
{
    int result = 0;

    for (size_t i = 0; i < ARRAY_LEN(prctls); i++)
        for (uint32_t v = prctls[i].first; v <= prctls[i].last && prctls[i].action == ACT_ALLOW;
             v++)
            result |= allow_one(o, nr, 0, ANY, v);
    return result;
}

static int allow_shared(struct oracle *o, enum action action, int nr)
{
    bool limits = action >= ACT_SHARED_PROCESS;

    if (limits ? !(o->flavour & FILTER_SHARED_PIDS) : !holds_signals(o->flavour))
        return seccomp_rule_add_array(o->ctx, SCMP_ACT_ALLOW, nr, 0, NULL);
    switch ((int)action) {
    case ACT_SHARED_KILL:
        return allow_one(o, nr, 0, ANY, 0) | allow_one(o, nr, 1, ANY, 0);
    case ACT_SHARED_TKILL:
        return allow_one(o, nr, 1, ANY, 0) | allow_one(o, nr, 1, ANY, SIGURG);
    case ACT_SHARED_TGKILL:
        return allow_one(o, nr, 2, ANY, 0) | allow_one(o, nr, 2, ANY, SIGURG);
    case ACT_SHARED_PROCESS:
        return allow_one(o, nr, 0, ANY, 0);
    case ACT_SHARED_IOPRIO:
        return allow_two(o, nr, is(0, ANY, 1), is(1, ANY, 0));
    case ACT_SHARED_PRIORITY:
        return allow_two(o, nr, is(0, ANY, PRIO_PROCESS), is(1, ANY, 0));
    default:
        return 0;
    }
}

static int allow_of(struct oracle *o, unsigned i, uint32_t bits, int nr, uint32_t a, uint32_t b,
                    uint32_t c)
{
    return allow_one(o, nr, i, bits, a) | allow_one(o, nr, i, bits, b) |
           allow_one(o, nr, i, bits, c);
}

static int allow_some(struct oracle *o, enum action action, int nr)
{
    unsigned last = action == ACT_MODE_2 || action == ACT_NODE_2 ? 2 : 1;

    switch ((int)action) {
    case ACT_LEAVE:
        return o->flavour & FILTER_TELLS_EXIT
                   ? 0
                   : seccomp_rule_add_array(o->ctx, SCMP_ACT_ALLOW, nr, 0, NULL);
    case ACT_ALLOW:
        return seccomp_rule_add_array(o->ctx, SCMP_ACT_ALLOW, nr, 0, NULL);
    case ACT_CLONE:
        return allow_one(o, nr, 0, 0x7e028000, 0);
    case ACT_PRLIMIT:
        return allow_one(o, nr, 0, ANY, 0);
    case ACT_UNSHARE:
        return allow_one(o, nr, 0, ~0x40600U, 0);
    case ACT_PERSONALITY:
        return allow_one(o, nr, 0, ANY, 0) | allow_one(o, nr, 0, ANY, ~0U);
    case ACT_SOCKET:
        return allow_sockets(o, nr);
    case ACT_SOCKETPAIR:
        if (o->flavour & FILTER_NO_UNIX)
            return allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_STREAM)) |
                   allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_SEQPACKET));
        return allow_one(o, nr, 0, ANY, AF_UNIX);
    case ACT_PRCTL:
        return allow_prctls(o, nr);
    case ACT_SECCOMP:
        return allow_of(o, 0, ANY, nr, 0, 2, 3) |
               allow_two(o, nr, is(0, ANY, 1), is(1, ~(1U | 2 | 4 | 16), 0));
    case ACT_SCHEDULER:
        if (o->flavour & FILTER_SHARED_PIDS)
            return allow_two(o, nr, is(0, ANY, 0), is(1, 0xbfffffff, SCHED_OTHER)) |
                   allow_two(o, nr, is(0, ANY, 0), is(1, 0xbfffffff, SCHED_BATCH)) |
                   allow_two(o, nr, is(0, ANY, 0), is(1, 0xbfffffff, SCHED_IDLE));
        return allow_of(o, 1, 0xbfffffff, nr, SCHED_OTHER, SCHED_BATCH, SCHED_IDLE);
    case ACT_MODE_1:
    case ACT_MODE_2:
        return allow_one(o, nr, last, 06000, 0);
    case ACT_NODE_1:
    case ACT_NODE_2:
        return allow_one(o, nr, last, S_IFMT, 0) |
               allow_of(o, last, S_IFMT, nr, S_IFREG, S_IFIFO, S_IFSOCK);
    default:
        return action < ACT_SHARED_DENY ? 0 : allow_shared(o, action, nr);
    }
}

static int exclude(struct oracle *o, enum action action, int nr)
{
    bool shared = holds_signals(o->flavour);
    int result = 0;

    if (action == ACT_MADVISE)
        return demand(o, REFUSED, nr, 1, is(2, ANY, MADV_MERGEABLE), is(0, 0, 0));
    if (action == ACT_SHARED_FCNTL)
        return !shared ? 0
                       : demand(o, REFUSED, nr, 1, is(1, ANY, F_SETOWN), is(0, 0, 0)) |
                             demand(o, REFUSED, nr, 1, is(1, ANY, F_SETOWN_EX), is(0, 0, 0));
    for (size_t i = 0; i < ARRAY_LEN(ioctls); i++)
        if (ioctls[i].action == ACT_DENY || shared)
            result |= demand(o, REFUSED, nr, 1, is(1, ANY, ioctls[i].first), is(0, 0, 0));
    return result;
}

static int export_code(struct oracle *o)
{
    AUTO_CLOSE int fd = memfd_create("bpf", MFD_CLOEXEC);

    if (seccomp_export_bpf(o->ctx, fd) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return -1;
    ssize_t got = read(fd, o->code, sizeof o->code);
    o->count = got > 0 ? (unsigned)((size_t)got / sizeof o->code[0]) : 0;
    return o->count ? 0 : -1;
}

/* Everything that is allowed; or, with `exclusions`, the calls of is_exclusion. */
static int build(struct oracle *o, enum filter_arch arch, unsigned flavour, bool exclusions)
{
    int result = 0;

    o->flavour = flavour;
    o->ctx = seccomp_init(exclusions ? SCMP_ACT_ALLOW : REFUSED);
    seccomp_arch_remove(o->ctx, SCMP_ARCH_NATIVE);
    result |= seccomp_arch_add(o->ctx, tokens[arch]);
    result |= seccomp_attr_set(o->ctx, SCMP_FLTATR_ACT_BADARCH, REFUSED);
    for (int nr = 0; nr < MAX_NR; nr++) {
        const struct row *row = row_at[arch][nr];
        if (!row || is_exclusion(row->action) != exclusions || rule_number(row) == __NR_SCMP_ERROR)
            continue;
        result |= exclusions ? exclude(o, row->action, rule_number(row))
                             : allow_some(o, row->action, rule_number(row));
    }
    result |= export_code(o);
    seccomp_release(o->ctx);
    return result;
}

#endif
