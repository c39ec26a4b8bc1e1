/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of a call, for make-filter.c alone: the rows of src/wall/jail/syscalls.def as parts
 * of a BPF program.
 */
#ifndef TOOLS_FILTER_ACTIONS_H
#define TOOLS_FILTER_ACTIONS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "bpf-builder.h"
#include "jail/filter.h"

enum action {
#define ACTION(name, error) ACT_##name,
#include "jail/syscalls.def"
};

static const struct span {
    uint32_t first, last;
    enum action action;
} prctls[] =
    {
#define PRCTL(first, last, action, options) {first, last, ACT_##action},
#include "jail/syscalls.def"
},
  fcntls[] =
      {
#define FCNTL(first, last, action, names) {first, last, ACT_##action},
#include "jail/syscalls.def"
},
  ioctls[] = {
#define IOCTLS(first, last, requests)       {first, last, ACT_ALLOW},
#define IOCTL(request, number, action, why) {number, number, ACT_##action},
#include "jail/syscalls.def"
};

static const struct {
    uint32_t level;
    struct span option;
} sockopts[] = {
#define SOCKOPT(names, level, first, last, action) {level, {first, last, ACT_##action}},
#include "jail/syscalls.def"
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Beside a flavour: a program that asks. */
enum { ASKS = FILTER_FLAVOURS };

/* What becomes of a call. Each takes the errno it is refused with, or the first argument it looks
 * at. */
typedef int action_fn(struct program *p, unsigned k);
static int outcome(struct program *p, enum action action);

static int allow(struct program *p)
{
    return ret(p, SECCOMP_RET_ALLOW);
}

static int quiet(struct program *p, unsigned error)
{
    return ret(p, SECCOMP_RET_ERRNO | error);
}

static int told(struct program *p, unsigned error)
{
    return p->flavour & FILTER_QUIET ? quiet(p, error) : ret(p, SECCOMP_RET_USER_NOTIF);
}

/* As if it had been done. */
static int do_nothing(struct program *p, unsigned unused)
{
    (void)unused;
    return quiet(p, 0);
}

static int do_leave(struct program *p, unsigned unused)
{
    (void)unused;
    return p->flavour & FILTER_TELLS_EXIT ? ret(p, SECCOMP_RET_USER_NOTIF) : allow(p);
}

static int do_clone(struct program *p, unsigned i)
{
    const uint32_t refused = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                             CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PARENT;

    /* Only threads share descriptors: the locks of a process that did are still held when it is
     * gone, and /proc/locks, which names it, no longer shows them (inside/locks.c). */
    int shared = any_bit(p, CLONE_THREAD, allow(p), told(p, EPERM));
    int files = any_bit(p, CLONE_FILES, shared, allow(p));

    return arg(p, i, any_bit(p, refused, told(p, EPERM), files));
}

static int do_unshare(struct program *p, unsigned i)
{
    const uint32_t plain = CLONE_FILES | CLONE_FS | CLONE_SYSVSEM;

    return arg(p, i, any_bit(p, ~plain, told(p, EPERM), allow(p)));
}

static int do_personality(struct program *p, unsigned i)
{
    static const uint32_t read_or_plain[] = {0xffffffff, 0};

    return arg(p, i, ONE_OF(p, read_or_plain, allow(p), told(p, EPERM)));
}

/* include/linux/net.h; include/uapi/linux/in.h, newer than some C libraries */
enum { SOCK_TYPE_MASK = 0xf, MPTCP = 262 };

/* Streams and datagrams of the plain protocols: by number one could also load SCTP, L2TP and
 * others. MPTCP is what Go asks for first; it falls back to TCP. */
static int inet(struct program *p, unsigned i)
{
    static const uint32_t types[] = {SOCK_STREAM, SOCK_DGRAM};
    static const uint32_t protocols[] = {0, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP, IPPROTO_ICMPV6};
    int refused = told(p, EAFNOSUPPORT);
    int other = equal(p, MPTCP, quiet(p, EPROTONOSUPPORT), refused);
    int protocol = arg(p, i + 2, ONE_OF(p, protocols, allow(p), other));

    return arg(p, i + 1, mask(p, SOCK_TYPE_MASK, ONE_OF(p, types, protocol, refused)));
}

/* The type of a socket that is AF_UNIX. */
static int unix_type(struct program *p, unsigned i)
{
    static const uint32_t types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    int refused = told(p, EAFNOSUPPORT);

    return arg(p, i + 1, mask(p, SOCK_TYPE_MASK, ONE_OF(p, types, allow(p), refused)));
}

static int do_socket(struct program *p, unsigned i)
{
    static const uint32_t inets[] = {AF_INET, AF_INET6};
    int refused = told(p, EAFNOSUPPORT), next = refused;

    if (!(p->flavour & FILTER_NO_INET))
        next = ONE_OF(p, inets, inet(p, i), next);
    int route = arg(p, i + 2, equal(p, NETLINK_ROUTE, allow(p), refused));
    next = equal(p, AF_NETLINK, route, next);
    int type = p->flavour & FILTER_NO_ROOT ? refused : unix_type(p, i);
    return arg(p, i, equal(p, AF_UNIX, type, next));
}

static int do_socketpair(struct program *p, unsigned i)
{
    static const uint32_t connected[] = {SOCK_STREAM, SOCK_SEQPACKET};
    int refused = told(p, EAFNOSUPPORT), pair = allow(p);

    /* A datagram socket sends to any address, whomever it is paired with. */
    if (p->flavour & FILTER_NO_ROOT)
        pair = arg(p, i + 1, mask(p, SOCK_TYPE_MASK, ONE_OF(p, connected, allow(p), refused)));
    return arg(p, i, equal(p, AF_UNIX, pair, refused));
}

/* The row that begins first at `at` or after it. */
static const struct span *next_span(const struct span *spans, size_t n, uint64_t at)
{
    const struct span *next = NULL;

    for (size_t i = 0; i < n; i++)
        if (spans[i].first >= at && (!next || spans[i].first < next->first))
            next = &spans[i];
    return next;
}

static int by_spans(struct program *p, unsigned i, const struct span *spans, size_t n,
                    int otherwise)
{
    struct ranges r = {.count = 0};
    const struct span *span;
    uint64_t at = 0;

    while ((span = next_span(spans, n, at))) {
        if (span->first > at)
            extend(&r, (uint32_t)at, otherwise);
        extend(&r, span->first, outcome(p, span->action));
        at = (uint64_t)span->last + 1;
    }
    extend(&r, (uint32_t)at, otherwise);
    return arg(p, i, search(p, &r));
}

static int do_ioctl(struct program *p, unsigned i)
{
    return by_spans(p, i, ioctls, LEN(ioctls), quiet(p, ENOTTY));
}

static int do_fcntl(struct program *p, unsigned i)
{
    return by_spans(p, i, fcntls, LEN(fcntls), quiet(p, EINVAL));
}

static int do_option(struct program *p, unsigned i, uint32_t level)
{
    struct span options[LEN(sockopts)];
    size_t count = 0;

    for (size_t o = 0; o < LEN(sockopts); o++)
        if (sockopts[o].level == level)
            options[count++] = sockopts[o].option;
    return by_spans(p, i, options, count, allow(p));
}

static int do_sockopt(struct program *p, unsigned i)
{
    static const uint32_t levels[] = {SOL_SOCKET, IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP,
                                      IPPROTO_IPV6};
    int next = allow(p);

    for (size_t l = 0; l < LEN(levels); l++)
        next = equal(p, levels[l], do_option(p, i + 1, levels[l]), next);
    return arg(p, i, next);
}

static int do_prctl(struct program *p, unsigned i)
{
    return by_spans(p, i, prctls, LEN(prctls), told(p, EINVAL));
}

/* Not told: libseccomp, which `file` and `man` use, tries every flag there is at its start. */
static int do_seccomp(struct program *p, unsigned i)
{
    static const uint32_t questions[] = {SECCOMP_SET_MODE_STRICT, SECCOMP_GET_ACTION_AVAIL,
                                         SECCOMP_GET_NOTIF_SIZES};
    const uint32_t narrowing = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG |
                               SECCOMP_FILTER_FLAG_SPEC_ALLOW | SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
    int flags = arg(p, i + 1, any_bit(p, ~narrowing, quiet(p, EPERM), allow(p)));
    int other = ONE_OF(p, questions, allow(p), quiet(p, EINVAL));

    return arg(p, i, equal(p, SECCOMP_SET_MODE_FILTER, flags, other));
}

/* Argument i is a process: 0 is the caller. */
static int of_process(struct program *p, unsigned i)
{
    bool shared = p->flavour & FILTER_SHARED_PIDS;
    int other = shared ? told(p, EPERM) : equal(p, 1, told(p, EPERM), allow(p));

    return arg(p, i, equal(p, 0, allow(p), other));
}

static int do_scheduler(struct program *p, unsigned i)
{
    static const uint32_t ordinary[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE};
    int policy = ONE_OF(p, ordinary, of_process(p, i - 1), quiet(p, EPERM));

    return arg(p, i, mask(p, ~(uint32_t)SCHED_RESET_ON_FORK, policy));
}

/* Newer than some C libraries. */
enum { ADVISE_COLD = 20, ADVISE_PAGEOUT = 21, NO_WAIT = 0x08, DO_NOT_CACHE = 0x80 };

static int do_madvise(struct program *p, unsigned i)
{
    static const uint32_t refused[] = {MADV_MERGEABLE, ADVISE_COLD, ADVISE_PAGEOUT};

    return arg(p, i, ONE_OF(p, refused, quiet(p, EINVAL), allow(p)));
}

static int do_fadvise(struct program *p, unsigned i)
{
    return arg(p, i, equal(p, POSIX_FADV_DONTNEED, quiet(p, 0), allow(p)));
}

static int do_rwf(struct program *p, unsigned i)
{
    return arg(p, i, any_bit(p, NO_WAIT | DO_NOT_CACHE, quiet(p, EOPNOTSUPP), allow(p)));
}

static int do_mmap(struct program *p, unsigned i)
{
    return arg(p, i, any_bit(p, MAP_HUGETLB, quiet(p, ENOMEM), allow(p)));
}

static int do_memfd(struct program *p, unsigned i)
{
    return arg(p, i, any_bit(p, MFD_HUGETLB, quiet(p, EINVAL), allow(p)));
}

static int do_shmget(struct program *p, unsigned i)
{
    int plain = arg(p, i, any_bit(p, SHM_HUGETLB, quiet(p, ENOMEM), allow(p)));

    return p->flavour & FILTER_SHARED_PIDS ? told(p, EPERM) : plain;
}

static int do_shmctl(struct program *p, unsigned i)
{
    int lock = arg(p, i, equal(p, SHM_LOCK, quiet(p, EPERM), allow(p)));

    return p->flavour & FILTER_SHARED_PIDS ? told(p, EPERM) : lock;
}

static int do_mode(struct program *p, unsigned i)
{
    if (p->flavour & FILTER_NO_ROOT)
        return told(p, EPERM);
    return arg(p, i, any_bit(p, S_ISUID, told(p, EPERM), allow(p)));
}

static int do_open(struct program *p, unsigned i)
{
    static const uint32_t writing[] = {O_WRONLY, O_RDWR};
    int truncates = mask(p, O_ACCMODE, ONE_OF(p, writing, allow(p), quiet(p, EACCES)));

    return arg(p, i, any_bit(p, O_TRUNC, truncates, allow(p)));
}

static int do_node(struct program *p, unsigned i)
{
    static const uint32_t types[] = {0, S_IFREG, S_IFIFO, S_IFSOCK};

    return arg(p, i, mask(p, S_IFMT, ONE_OF(p, types, allow(p), told(p, EPERM))));
}

static int do_kill(struct program *p, unsigned i)
{
    int signal = arg(p, i + 1, equal(p, 0, allow(p), told(p, EPERM)));

    return arg(p, i, equal(p, 0, allow(p), signal));
}

static int do_signal(struct program *p, unsigned i)
{
    static const uint32_t harmless[] = {0, SIGURG};

    return arg(p, i, ONE_OF(p, harmless, allow(p), told(p, EPERM)));
}

static int do_self(struct program *p, unsigned i)
{
    return arg(p, i, equal(p, 0, allow(p), told(p, EPERM)));
}

/* The kind that means a process (PRIO_PROCESS is 0, IOPRIO_WHO_PROCESS is 1); after it comes that
 * of a group, which pid 1 is in no other's of, and then that of a user. */
static int of_target(struct program *p, unsigned kind)
{
    int group = allow(p);

    if (p->flavour & FILTER_SHARED_PIDS)
        group = quiet(p, EPERM);
    group = equal(p, kind + 1, group, quiet(p, EPERM));
    return arg(p, 0, equal(p, kind, of_process(p, 1), group));
}

static int kill_all(struct program *p)
{
    return ret(p, SECCOMP_RET_KILL_PROCESS);
}

static int do_init_ioctl(struct program *p, unsigned i)
{
    const uint32_t add_fd = 0x40182103;     /* SECCOMP_IOCTL_NOTIF_ADDFD, of Linux 5.9 */
    const uint32_t pidfd_info = 0xc040ff0b; /* PIDFD_GET_INFO, of 6.13 */
    const uint32_t answers[] = {SECCOMP_IOCTL_NOTIF_RECV, SECCOMP_IOCTL_NOTIF_SEND,
                                SECCOMP_IOCTL_NOTIF_ID_VALID, add_fd, pidfd_info};

    return arg(p, i, ONE_OF(p, answers, allow(p), kill_all(p)));
}

static int do_init_open(struct program *p, unsigned i)
{
    const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

    return arg(p, i, any_bit(p, writing, kill_all(p), allow(p)));
}

static int do_init_mmap(struct program *p, unsigned i)
{
    return arg(p, i, any_bit(p, PROT_EXEC, kill_all(p), allow(p)));
}

enum { IO_PROCESS = 1 }; /* IOPRIO_WHO_PROCESS of include/uapi/linux/ioprio.h, since 5.14 */

static const struct {
    action_fn *make; /* NULL: allowed */
    unsigned k;
    enum {
        ALWAYS,
        SIGNALS,
        LIMITS,
        FILES
    } when; /* what it is about, in FILTER_SHARED_PIDS or,
               the last, in FILTER_NO_ROOT */
} makers[] = {
    [ACT_ALLOW] = {NULL, 0, ALWAYS},
    [ACT_DENY] = {told, EPERM, ALWAYS},
    [ACT_UNKNOWN] = {told, ENOSYS, ALWAYS},
    [ACT_ABSENT] = {quiet, ENOSYS, ALWAYS},
    [ACT_QUIET] = {quiet, EPERM, ALWAYS},
    [ACT_CLONE] = {do_clone, 0, ALWAYS},
    [ACT_UNSHARE] = {do_unshare, 0, ALWAYS},
    [ACT_PERSONALITY] = {do_personality, 0, ALWAYS},
    [ACT_SOCKET] = {do_socket, 0, ALWAYS},
    [ACT_SOCKETPAIR] = {do_socketpair, 0, ALWAYS},
    [ACT_INVALID] = {told, EINVAL, ALWAYS},
    [ACT_UNSUPPORTED] = {quiet, EOPNOTSUPP, ALWAYS},
    [ACT_NO_OPTION] = {quiet, ENOPROTOOPT, ALWAYS},
    [ACT_NOT_BUILT] = {quiet, EINVAL, ALWAYS},
    [ACT_DONE] = {do_nothing, 0, ALWAYS},
    [ACT_IOCTL] = {do_ioctl, 1, ALWAYS},
    [ACT_PRCTL] = {do_prctl, 0, ALWAYS},
    [ACT_FCNTL] = {do_fcntl, 1, ALWAYS},
    [ACT_SOCKOPT] = {do_sockopt, 1, ALWAYS},
    [ACT_SECCOMP] = {do_seccomp, 0, ALWAYS},
    [ACT_MADVISE] = {do_madvise, 2, ALWAYS},
    [ACT_FADVISE] = {do_fadvise, 3, ALWAYS},
    [ACT_RWF] = {do_rwf, 5, ALWAYS},
    [ACT_MMAP] = {do_mmap, 3, ALWAYS},
    [ACT_MEMFD] = {do_memfd, 1, ALWAYS},
    [ACT_SHMCTL] = {do_shmctl, 1, ALWAYS},
    [ACT_MODE_1] = {do_mode, 1, ALWAYS},
    [ACT_MODE_2] = {do_mode, 2, ALWAYS},
    [ACT_NODE_1] = {do_node, 1, ALWAYS},
    [ACT_NODE_2] = {do_node, 2, ALWAYS},
    [ACT_LEAVE] = {do_leave, 0, ALWAYS},
    [ACT_CHANGE] = {told, EPERM, FILES},
    [ACT_TRUNCATE] = {told, EPERM, FILES},
    [ACT_ROOT_ONLY] = {quiet, ENOSYS, FILES},
    [ACT_OPEN_1] = {do_open, 1, FILES},
    [ACT_OPEN_2] = {do_open, 2, FILES},
    [ACT_LOCK] = {told, ENOLCK, ALWAYS},
    [ACT_MEMBER] = {told, ENOBUFS, ALWAYS},
    [ACT_SELF] = {do_self, 0, ALWAYS},
    [ACT_PROCESS] = {of_process, 0, ALWAYS},
    [ACT_SCHEDULER] = {do_scheduler, 1, ALWAYS},
    [ACT_PRIORITY] = {of_target, PRIO_PROCESS, ALWAYS},
    [ACT_IOPRIO] = {of_target, IO_PROCESS, ALWAYS},
    [ACT_SHARED_DENY] = {told, EPERM, SIGNALS},
    [ACT_SHARED_QUIET] = {quiet, EPERM, SIGNALS},
    [ACT_SHARED_KILL] = {do_kill, 0, SIGNALS},
    [ACT_SHARED_TKILL] = {do_signal, 1, SIGNALS},
    [ACT_SHARED_TGKILL] = {do_signal, 2, SIGNALS},
    [ACT_SHARED_IPC] = {told, EPERM, LIMITS},
    [ACT_SHMGET] = {do_shmget, 2, ALWAYS},
    [ACT_INIT_IOCTL] = {do_init_ioctl, 1, ALWAYS},
    [ACT_INIT_OPEN_1] = {do_init_open, 1, ALWAYS},
    [ACT_INIT_OPEN_2] = {do_init_open, 2, ALWAYS},
    [ACT_INIT_MMAP] = {do_init_mmap, 2, ALWAYS},
};

#endif
