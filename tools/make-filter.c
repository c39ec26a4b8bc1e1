/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes filter_tables.h out of src/jail/syscalls.def: BPF programs for each architecture and
 * flavour, and a table from number to name and action. libseccomp knows the numbers; it is needed
 * here only.
 *
 * A program looks at the architecture, then searches the call's number, then, for some calls, the
 * arguments. BPF jumps forward only, so it is built from its end: a node is added after those it
 * leads to, and one that is there already is shared. The numbers become ranges of equal outcome;
 * `plan` finds the search tree that loads fastest, because that is paid for once per run. A call
 * that is allowed whatever its arguments costs nothing after that: the kernel keeps a bitmap of
 * those (since 5.11).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "bpf-builder.h"
#include "jail/filter.h"

enum action {
#define ACTION(name, error) ACT_##name,
#include "jail/syscalls.def"
};

static const char *const action_names[] = {
#define ACTION(name, error) #name,
#include "jail/syscalls.def"
};

static const struct row {
    const char *name;
    int number; /* 0: libseccomp knows it */
    bool x86_only;
    enum action action;
} rows[] = {
#define CALL_AT(call, number, action, why) {#call, number, false, ACT_##action},
#define X86_AT(call, number, action, why)  {#call, number, true, ACT_##action},
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
  ioctls[] = {
#define IOCTL(request, number, action, why) {number, number, ACT_##action},
#include "jail/syscalls.def"
};

static const struct {
    const char *name;
    enum action action;
} init_calls[] = {
#define INIT(call, action) {#call, ACT_##action},
#include "jail/syscalls.def"
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const struct arch {
    const char *name;
    uint32_t token; /* libseccomp's tokens are the audit ones */
} archs[FILTER_ARCH_COUNT] = {
    [FILTER_X86_64] = {"x86_64", AUDIT_ARCH_X86_64},
    [FILTER_AARCH64] = {"aarch64", AUDIT_ARCH_AARCH64},
};

enum { MAX_CALL = 1024 };

/* Which row of the table each number of an architecture has. */
static const struct row *calls[FILTER_ARCH_COUNT][MAX_CALL];

static int resolve(const struct arch *arch, const struct row *row)
{
    int number = seccomp_syscall_resolve_name_arch(arch->token, row->name);

    if (number == __NR_SCMP_ERROR && !row->number)
        die("libseccomp does not know this system call; give its number with CALL_AT", row->name);
    if (number >= 0 && row->number && number != row->number)
        die("libseccomp has another number for it", row->name);
    if (row->number)
        return row->x86_only && arch->token != AUDIT_ARCH_X86_64 ? -1 : row->number;
    return number;
}

static void resolve_all(void)
{
    for (unsigned a = 0; a < FILTER_ARCH_COUNT; a++)
        for (size_t i = 0; i < LEN(rows); i++) {
            int number = resolve(&archs[a], &rows[i]);
            if (number < 0)
                continue;
            if (number >= MAX_CALL)
                die("its number is too large", rows[i].name);
            if (calls[a][number])
                die("its number is there twice", rows[i].name);
            calls[a][number] = &rows[i];
        }
}

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

static int do_leave(struct program *p, unsigned unused)
{
    (void)unused;
    return p->flavour & FILTER_TELLS_EXIT ? ret(p, SECCOMP_RET_USER_NOTIF) : allow(p);
}

static int do_clone(struct program *p, unsigned i)
{
    const uint32_t refused = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                             CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PARENT;

    return arg(p, i, any_bit(p, refused, told(p, EPERM), allow(p)));
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

static int do_socket(struct program *p, unsigned i)
{
    static const uint32_t inets[] = {AF_INET, AF_INET6};
    static const uint32_t types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    int refused = told(p, EAFNOSUPPORT), next = refused;

    if (!(p->flavour & FILTER_NO_INET))
        next = ONE_OF(p, inets, inet(p, i), next);
    int route = arg(p, i + 2, equal(p, NETLINK_ROUTE, allow(p), refused));
    next = equal(p, AF_NETLINK, route, next);
    int type = arg(p, i + 1, mask(p, SOCK_TYPE_MASK, ONE_OF(p, types, allow(p), refused)));
    if (p->flavour & FILTER_NO_UNIX)
        type = refused;
    return arg(p, i, equal(p, AF_UNIX, type, next));
}

static int do_socketpair(struct program *p, unsigned i)
{
    static const uint32_t connected[] = {SOCK_STREAM, SOCK_SEQPACKET};
    int refused = told(p, EAFNOSUPPORT), pair = allow(p);

    /* A datagram socket sends to any address, whomever it is paired with. */
    if (p->flavour & FILTER_NO_UNIX)
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
    return by_spans(p, i, ioctls, LEN(ioctls), allow(p));
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

static int do_scheduler(struct program *p, unsigned i)
{
    static const uint32_t ordinary[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE};
    int allowed = allow(p), policy;

    if (p->flavour & FILTER_SHARED_PIDS)
        allowed = arg(p, i - 1, equal(p, 0, allowed, quiet(p, EPERM)));
    policy = ONE_OF(p, ordinary, allowed, quiet(p, EPERM));
    return arg(p, i, mask(p, ~(uint32_t)SCHED_RESET_ON_FORK, policy));
}

static int do_madvise(struct program *p, unsigned i)
{
    return arg(p, i, equal(p, MADV_MERGEABLE, quiet(p, EINVAL), allow(p)));
}

static int do_mode(struct program *p, unsigned i)
{
    return arg(p, i, any_bit(p, S_ISUID | S_ISGID, told(p, EPERM), allow(p)));
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

static int do_fcntl(struct program *p, unsigned i)
{
    static const uint32_t owners[] = {F_SETOWN, F_SETOWN_EX};

    return arg(p, i, ONE_OF(p, owners, told(p, EPERM), allow(p)));
}

static int do_process(struct program *p, unsigned i)
{
    return arg(p, i, equal(p, 0, allow(p), told(p, EPERM)));
}

enum { IO_PROCESS = 1 }; /* IOPRIO_WHO_PROCESS of include/uapi/linux/ioprio.h, since 5.14 */

/* Which kind of target, then which one: 0 is the caller. */
static int of_itself(struct program *p, unsigned kind)
{
    int who = arg(p, 1, equal(p, 0, allow(p), quiet(p, EPERM)));

    return arg(p, 0, equal(p, kind, who, quiet(p, EPERM)));
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

static const struct {
    action_fn *make; /* NULL: allowed */
    unsigned k;
    enum { ALWAYS, SIGNALS, LIMITS } when; /* what it is about, in FILTER_SHARED_PIDS */
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
    [ACT_IOCTL] = {do_ioctl, 1, ALWAYS},
    [ACT_PRCTL] = {do_prctl, 0, ALWAYS},
    [ACT_SECCOMP] = {do_seccomp, 0, ALWAYS},
    [ACT_SCHEDULER] = {do_scheduler, 1, ALWAYS},
    [ACT_PRLIMIT] = {do_process, 0, ALWAYS},
    [ACT_MADVISE] = {do_madvise, 2, ALWAYS},
    [ACT_MODE_1] = {do_mode, 1, ALWAYS},
    [ACT_MODE_2] = {do_mode, 2, ALWAYS},
    [ACT_NODE_1] = {do_node, 1, ALWAYS},
    [ACT_NODE_2] = {do_node, 2, ALWAYS},
    [ACT_LEAVE] = {do_leave, 0, ALWAYS},
    [ACT_SHARED_DENY] = {told, EPERM, SIGNALS},
    [ACT_SHARED_QUIET] = {quiet, EPERM, SIGNALS},
    [ACT_SHARED_KILL] = {do_kill, 0, SIGNALS},
    [ACT_SHARED_TKILL] = {do_signal, 1, SIGNALS},
    [ACT_SHARED_TGKILL] = {do_signal, 2, SIGNALS},
    [ACT_SHARED_FCNTL] = {do_fcntl, 1, SIGNALS},
    [ACT_SHARED_PROCESS] = {do_process, 0, LIMITS},
    [ACT_SHARED_PRIORITY] = {of_itself, PRIO_PROCESS, LIMITS},
    [ACT_SHARED_IOPRIO] = {of_itself, IO_PROCESS, LIMITS},
    [ACT_SHARED_IPC] = {told, EPERM, LIMITS},
    [ACT_INIT_IOCTL] = {do_init_ioctl, 1, ALWAYS},
    [ACT_INIT_OPEN_1] = {do_init_open, 1, ALWAYS},
    [ACT_INIT_OPEN_2] = {do_init_open, 2, ALWAYS},
    [ACT_INIT_MMAP] = {do_init_mmap, 2, ALWAYS},
};

static int outcome(struct program *p, enum action action)
{
    bool shared = p->flavour & FILTER_SHARED_PIDS;
    bool signals = shared && !(p->flavour & FILTER_SCOPED_SIGNALS);

    if (!makers[action].make || (makers[action].when == SIGNALS && !signals) ||
        (makers[action].when == LIMITS && !shared))
        return allow(p);
    return makers[action].make(p, makers[action].k);
}

/* Programs. */
static void start(struct program *p, unsigned flavour)
{
    p->flavour = flavour;
    p->count = 0;
}

static void finish(struct program *p, const struct arch *arch, const struct ranges *r, int foreign)
{
    int by_number = load(p, offsetof(struct seccomp_data, nr), search(p, r));

    load(p, offsetof(struct seccomp_data, arch), equal(p, arch->token, by_number, foreign));
}

/* Numbers beyond the table are those of x32 as well (0x40000000 and up). */
static void make_guest(struct program *p, unsigned a, unsigned flavour)
{
    struct ranges r = {.count = 0};

    start(p, flavour);
    for (unsigned nr = 0; nr <= MAX_CALL; nr++) {
        const struct row *row = nr < MAX_CALL ? calls[a][nr] : NULL;
        extend(&r, nr, outcome(p, row ? row->action : ACT_UNKNOWN));
    }
    finish(p, &archs[a], &r, told(p, ENOSYS));
}

static enum action init_action(const struct row *row, bool *ret_listed)
{
    *ret_listed = false;
    for (size_t i = 0; row && i < LEN(init_calls); i++)
        if (strcmp(init_calls[i].name, row->name) == 0) {
            *ret_listed = true;
            return init_calls[i].action;
        }
    return ACT_UNKNOWN;
}

static void make_init(struct program *p, unsigned a)
{
    struct ranges r = {.count = 0};

    start(p, 0);
    for (unsigned nr = 0; nr <= MAX_CALL; nr++) {
        bool listed;
        enum action action = init_action(nr < MAX_CALL ? calls[a][nr] : NULL, &listed);
        extend(&r, nr, listed ? outcome(p, action) : kill_all(p));
    }
    finish(p, &archs[a], &r, kill_all(p));
}

/* Who owns the signals matters only where they could reach somebody; without a listener nobody is
 * told of an end. */
static unsigned same_as(unsigned flavour)
{
    if (!(flavour & FILTER_SHARED_PIDS))
        flavour &= ~(unsigned)FILTER_SCOPED_SIGNALS;
    if (flavour & FILTER_QUIET)
        flavour &= ~(unsigned)FILTER_TELLS_EXIT;
    return flavour;
}

static void print_calls(unsigned a)
{
    printf("static const struct call %s_calls[] = {\n", archs[a].name);
    for (int nr = 0; nr < MAX_CALL; nr++)
        if (calls[a][nr])
            printf("    {%d, ACT_%s, \"%s\"},\n", nr, action_names[calls[a][nr]->action],
                   calls[a][nr]->name);
    puts("};");
}

static void print_index(void)
{
    puts("#define PROGRAM(p) {p, sizeof(p) / sizeof((p)[0])}");
    puts("static const struct filter_program programs[FILTER_ARCH_COUNT][FILTER_FLAVOURS] = {");
    for (unsigned a = 0; a < FILTER_ARCH_COUNT; a++) {
        puts("    {");
        for (unsigned f = 0; f < FILTER_FLAVOURS; f++)
            printf("        PROGRAM(%s_flavour_%u),\n", archs[a].name, same_as(f));
        puts("    },");
    }
    puts("};\nstatic const struct filter_program init_programs[FILTER_ARCH_COUNT] = {");
    for (unsigned a = 0; a < FILTER_ARCH_COUNT; a++)
        printf("    PROGRAM(%s_init),\n", archs[a].name);
    puts("};");
}

int main(void)
{
    static struct program program;
    char what[32];

    resolve_all();
    puts("/* Made by tools/make-filter.c from src/jail/syscalls.def. */");
    for (unsigned a = 0; a < FILTER_ARCH_COUNT; a++) {
        for (unsigned flavour = 0; flavour < FILTER_FLAVOURS; flavour++) {
            if (same_as(flavour) != flavour)
                continue;
            snprintf(what, sizeof what, "flavour_%u", flavour);
            make_guest(&program, a, flavour);
            print_program(&program, archs[a].name, what);
        }
        make_init(&program, a);
        print_program(&program, archs[a].name, "init");
        print_calls(a);
    }
    print_index();
    return fflush(stdout) || ferror(stdout);
}
