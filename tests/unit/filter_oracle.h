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

/* Whether the filter alone keeps the guest's signals inside. */
static bool holds_signals(unsigned flavour)
{
    return (flavour & FILTER_SHARED_PIDS) && !(flavour & FILTER_SCOPED_SIGNALS);
}

static int rule_number(const struct row *row)
{
    return rule_numbers[row - rows];
}

struct oracle {
    scmp_filter_ctx ctx;
    unsigned flavour;
    struct sock_filter code[4096];
    unsigned count;
};

/* The calls where all is allowed but a few values, in a filter of their own with that default. */
static bool is_exclusion(enum action action, unsigned flavour)
{
    bool shared = flavour & FILTER_SHARED_PIDS;

    switch ((int)action) {
    case ACT_SOCKOPT:
    case ACT_MADVISE:
    case ACT_FADVISE:
    case ACT_RWF:
    case ACT_MMAP:
    case ACT_MEMFD:
        return true;
    case ACT_SHMGET:
    case ACT_SHMCTL:
    case ACT_PROCESS:
        return !shared;
    default:
        return false;
    }
}

/* "This argument is one of these and that one is not 1" cannot be said. */
static bool is_beyond_rules(enum action action, unsigned flavour)
{
    bool combined = action == ACT_SCHEDULER || action == ACT_PRIORITY || action == ACT_IOPRIO;

    return combined && !(flavour & FILTER_SHARED_PIDS);
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

    if (!(o->flavour & FILTER_NO_ROOT))
        result |= allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_STREAM)) |
                  allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_DGRAM)) |
                  allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_SEQPACKET));
    if (o->flavour & FILTER_NO_INET)
        return result;
    return result | allow_inet(o, nr, AF_INET) | allow_inet(o, nr, AF_INET6);
}

static int allow_spans(struct oracle *o, int nr, unsigned i, const struct span *spans, size_t n)
{
    int result = 0;

    for (size_t k = 0; k < n; k++) {
        bool allowed = spans[k].action == ACT_ALLOW ||
                       (spans[k].action == ACT_SHARED_DENY && !holds_signals(o->flavour));
        for (uint32_t v = spans[k].first; v <= spans[k].last && allowed; v++)
            result |= allow_one(o, nr, i, ANY, v);
    }
    return result;
}

static int allow_shared(struct oracle *o, enum action action, int nr)
{
    bool limits = action >= ACT_SHARED_IPC;

    if (limits ? !(o->flavour & FILTER_SHARED_PIDS) : !holds_signals(o->flavour))
        return seccomp_rule_add_array(o->ctx, SCMP_ACT_ALLOW, nr, 0, NULL);
    switch ((int)action) {
    case ACT_SHARED_KILL:
        return allow_one(o, nr, 0, ANY, 0) | allow_one(o, nr, 1, ANY, 0);
    case ACT_SHARED_TKILL:
        return allow_one(o, nr, 1, ANY, 0) | allow_one(o, nr, 1, ANY, SIGURG);
    case ACT_SHARED_TGKILL:
        return allow_one(o, nr, 2, ANY, 0) | allow_one(o, nr, 2, ANY, SIGURG);
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
        return allow_one(o, nr, 0, 0x7e028400, 0) | allow_one(o, nr, 0, 0x7e038000, 0x10000);
    case ACT_SELF:
    case ACT_PROCESS:
        return allow_one(o, nr, 0, ANY, 0);
    case ACT_UNSHARE:
        return allow_one(o, nr, 0, ~0x40600U, 0);
    case ACT_PERSONALITY:
        return allow_one(o, nr, 0, ANY, 0) | allow_one(o, nr, 0, ANY, ~0U);
    case ACT_SOCKET:
        return allow_sockets(o, nr);
    case ACT_SOCKETPAIR:
        if (o->flavour & FILTER_NO_ROOT)
            return allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_STREAM)) |
                   allow_two(o, nr, is(0, ANY, AF_UNIX), is(1, 15, SOCK_SEQPACKET));
        return allow_one(o, nr, 0, ANY, AF_UNIX);
    case ACT_PRCTL:
        return allow_spans(o, nr, 0, prctls, ARRAY_LEN(prctls));
    case ACT_FCNTL:
        return allow_spans(o, nr, 1, fcntls, ARRAY_LEN(fcntls));
    case ACT_IOCTL:
        return allow_spans(o, nr, 1, ioctls, ARRAY_LEN(ioctls));
    case ACT_IOPRIO: /* this and the next two in FILTER_SHARED_PIDS only */
        return allow_two(o, nr, is(0, ANY, 1), is(1, ANY, 0));
    case ACT_PRIORITY:
        return allow_two(o, nr, is(0, ANY, PRIO_PROCESS), is(1, ANY, 0));
    case ACT_SECCOMP:
        return allow_of(o, 0, ANY, nr, 0, 2, 3) |
               allow_two(o, nr, is(0, ANY, 1), is(1, ~(1U | 2 | 4 | 16), 0));
    case ACT_SCHEDULER:
        return allow_two(o, nr, is(0, ANY, 0), is(1, 0xbfffffff, SCHED_OTHER)) |
               allow_two(o, nr, is(0, ANY, 0), is(1, 0xbfffffff, SCHED_BATCH)) |
               allow_two(o, nr, is(0, ANY, 0), is(1, 0xbfffffff, SCHED_IDLE));
    case ACT_MODE_1:
    case ACT_MODE_2:
        return o->flavour & FILTER_NO_ROOT ? 0 : allow_one(o, nr, last, 04000, 0);
    case ACT_OPEN_1:
    case ACT_OPEN_2:
        last = action == ACT_OPEN_2 ? 2 : 1;
        if (o->flavour & FILTER_NO_ROOT)
            return allow_one(o, nr, last, O_TRUNC, 0) | allow_one(o, nr, last, 3, O_WRONLY) |
                   allow_one(o, nr, last, 3, O_RDWR);
        return seccomp_rule_add_array(o->ctx, SCMP_ACT_ALLOW, nr, 0, NULL);
    case ACT_CHANGE:
    case ACT_TRUNCATE:
    case ACT_ROOT_ONLY:
        return o->flavour & FILTER_NO_ROOT
                   ? 0
                   : seccomp_rule_add_array(o->ctx, SCMP_ACT_ALLOW, nr, 0, NULL);
    case ACT_NODE_1:
    case ACT_NODE_2:
        return allow_one(o, nr, last, S_IFMT, 0) |
               allow_of(o, last, S_IFMT, nr, S_IFREG, S_IFIFO, S_IFSOCK);
    default:
        return action < ACT_SHARED_DENY || action == ACT_SHMGET ? 0 : allow_shared(o, action, nr);
    }
}

static int refuse_one(struct oracle *o, int nr, unsigned i, uint32_t bits, uint32_t value)
{
    return demand(o, REFUSED, nr, 1, is(i, bits, value), is(0, 0, 0));
}

static int refuse_options(struct oracle *o, int nr)
{
    int result = 0;

    for (size_t i = 0; i < ARRAY_LEN(sockopts); i++)
        for (uint32_t v = sockopts[i].option.first; v <= sockopts[i].option.last; v++)
            result |= demand(o, REFUSED, nr, 2, is(1, ANY, sockopts[i].level), is(2, ANY, v));
    return result;
}

static int exclude(struct oracle *o, enum action action, int nr)
{
    switch ((int)action) {
    case ACT_SOCKOPT:
        return refuse_options(o, nr);
    case ACT_MADVISE:
        return refuse_one(o, nr, 2, ANY, MADV_MERGEABLE) | refuse_one(o, nr, 2, ANY, 20) |
               refuse_one(o, nr, 2, ANY, 21);
    case ACT_FADVISE:
        return refuse_one(o, nr, 3, ANY, 4);
    case ACT_RWF:
        return refuse_one(o, nr, 5, 8, 8) | refuse_one(o, nr, 5, 0x80, 0x80);
    case ACT_MMAP:
        return refuse_one(o, nr, 3, 0x40000, 0x40000);
    case ACT_MEMFD:
        return refuse_one(o, nr, 1, 4, 4);
    case ACT_SHMGET:
        return refuse_one(o, nr, 2, 04000, 04000);
    case ACT_SHMCTL:
        return refuse_one(o, nr, 1, ANY, 11);
    default: /* ACT_PROCESS */
        return refuse_one(o, nr, 0, ANY, 1);
    }
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
    result |=
        seccomp_attr_set(o->ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* searches, does not try all */
    for (int nr = 0; nr < MAX_NR; nr++) {
        const struct row *row = row_at[arch][nr];
        if (!row || is_exclusion(row->action, flavour) != exclusions ||
            rule_number(row) == __NR_SCMP_ERROR)
            continue;
        result |= exclusions ? exclude(o, row->action, rule_number(row))
                             : allow_some(o, row->action, rule_number(row));
    }
    result |= export_code(o);
    seccomp_release(o->ctx);
    return result;
}

#endif
