/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes filter_tables.h out of src/jail/syscalls.def: BPF programs for each architecture and
 * flavour, and a table from number to name and action. libseccomp knows the numbers; it is needed
 * here only.
 *
 * A program looks at the architecture, then searches the call's number, then, for some calls, the
 * arguments. BPF jumps forward only, so it is built from its end: a node is added after those it
 * leads to, and one that is there already is shared. The numbers become ranges of equal outcome;
 * `plan` finds the search tree with the fewest instructions. A loaded filter costs about 0.14
 * microseconds per instruction, once per run; a call that is allowed whatever its arguments costs
 * nothing, because the kernel keeps a bitmap of those (since 5.11).
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

#include "jail/filter.h"

enum action {
#define ACTION(name, error) ACT_##name,
#include "jail/syscalls.def"
    ACTIONS,
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

#ifndef REACH
#define REACH 255 /* of a conditional jump; a test may make it smaller */
#endif

enum {
    MAX_CALL = 1024,
    MAX_RANGES = 512,
    MAX_NODES = 4096, /* BPF_MAXINSNS */
    MAX_CHAIN = 4,    /* comparisons one after the other where a search would be longer */
};

/* Which row of the table each number of an architecture has. */
static const struct row *calls[FILTER_ARCH_COUNT][MAX_CALL];

_Noreturn static void die(const char *what, const char *name)
{
    fprintf(stderr, "make-filter: %s: %s\n", name, what);
    exit(1);
}

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

/* A program in the making. Nodes stand in reverse: the last one added is the first executed. */
struct node {
    uint16_t code;
    uint32_t k;
    int yes, no; /* where a jump leads; `yes` is what comes next for the others */
};

struct program {
    unsigned flavour;
    struct node nodes[MAX_NODES];
    int count;
};

static bool is_branch(uint16_t code)
{
    return BPF_CLASS(code) == BPF_JMP && BPF_OP(code) != BPF_JA;
}

static int find(const struct program *p, const struct node *node)
{
    for (int i = p->count - 1; i >= 0; i--) {
        const struct node *n = &p->nodes[i];
        if (n->code == node->code && n->k == node->k && n->yes == node->yes && n->no == node->no)
            return i;
    }
    return -1;
}

static int append(struct program *p, struct node node)
{
    if (p->count == MAX_NODES)
        die("too many instructions", "filter");
    p->nodes[p->count] = node;
    return p->count++;
}

static int jump(struct program *p, int to)
{
    return append(p, (struct node){BPF_JMP | BPF_JA, 0, to, -1});
}

/* A node that leads to `to` and that the next branch but `spare` can jump to: its offsets have
 * eight bits. */
static int reach(struct program *p, int to, int spare)
{
    struct node wanted = {BPF_JMP | BPF_JA, 0, to, -1};

    if (p->count - to - 1 + spare <= REACH)
        return to;
    int bridge = find(p, &wanted);
    if (bridge >= 0 && p->count - bridge - 1 + spare <= REACH)
        return bridge;
    return jump(p, to);
}

static int add(struct program *p, uint16_t code, uint32_t k, int yes, int no)
{
    if (is_branch(code)) {
        if (yes == no)
            return yes;
        yes = reach(p, yes, 1);
        no = reach(p, no, 0);
    }
    struct node node = {code, k, yes, no};
    int there = find(p, &node);
    if (there >= 0)
        return there;
    if (!is_branch(code) && yes >= 0 && yes != p->count - 1)
        (void)jump(p, yes);
    return append(p, node);
}

static int ret(struct program *p, uint32_t value)
{
    return add(p, BPF_RET | BPF_K, value, -1, -1);
}

static int load(struct program *p, size_t offset, int next)
{
    return add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, next, -1);
}

/* The low half: both architectures are little-endian. */
static int arg(struct program *p, unsigned i, int next)
{
    return load(p, offsetof(struct seccomp_data, args) + 8 * i, next);
}

static int mask(struct program *p, uint32_t bits, int next)
{
    return add(p, BPF_ALU | BPF_AND | BPF_K, bits, next, -1);
}

static int equal(struct program *p, uint32_t k, int yes, int no)
{
    return add(p, BPF_JMP | BPF_JEQ | BPF_K, k, yes, no);
}

static int any_bit(struct program *p, uint32_t bits, int yes, int no)
{
    return add(p, BPF_JMP | BPF_JSET | BPF_K, bits, yes, no);
}

static int one_of(struct program *p, const uint32_t *values, size_t n, int yes, int no)
{
    while (n--)
        no = equal(p, values[n], yes, no);
    return no;
}
#define ONE_OF(p, yes, no, ...)                                                                    \
    one_of(p, (const uint32_t[]){__VA_ARGS__},                                                     \
           sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), yes, no)

/* Searching a number in ranges of equal outcome. */
struct ranges {
    uint32_t first[MAX_RANGES]; /* each goes on until the next begins */
    int node[MAX_RANGES];
    int count;
};

static void extend(struct ranges *r, uint32_t first, int node)
{
    if (r->count && r->node[r->count - 1] == node)
        return;
    if (r->count == MAX_RANGES)
        die("too many ranges", "filter");
    r->first[r->count] = first;
    r->node[r->count++] = node;
}

static bool is_single(const struct ranges *r, int i)
{
    return i + 1 < r->count && r->first[i + 1] - r->first[i] == 1;
}

/* If ranges lo to hi are one outcome but for a few single numbers: that outcome, and how many. */
static int background(const struct ranges *r, int lo, int hi, int *ret_singles)
{
    int node = r->node[lo], singles = 0;

    for (int i = lo; i < hi; i++)
        if (!is_single(r, i))
            node = r->node[i];
    for (int i = lo; i < hi; i++) {
        if (r->node[i] != node && !is_single(r, i))
            return -1;
        singles += r->node[i] != node;
    }
    *ret_singles = singles;
    return singles <= MAX_CHAIN ? node : -1;
}

/* The cheapest tree over ranges lo to hi: instructions first, then depth. */
static struct plan {
    int cost, depth;
    int split; /* -1: compare one by one */
} plans[MAX_RANGES][MAX_RANGES + 1];

static void improve(struct plan *best, struct plan other)
{
    if (other.cost < best->cost || (other.cost == best->cost && other.depth < best->depth))
        *best = other;
}

static void plan(const struct ranges *r)
{
    for (int n = 1; n <= r->count; n++)
        for (int lo = 0; lo + n <= r->count; lo++) {
            int hi = lo + n, singles;
            struct plan *best = &plans[lo][hi];
            *best = (struct plan){MAX_NODES, MAX_NODES, -1};
            if (background(r, lo, hi, &singles) >= 0)
                *best = (struct plan){singles, singles, -1};
            for (int m = lo + 1; m < hi; m++) {
                const struct plan *low = &plans[lo][m], *high = &plans[m][hi];
                int depth = low->depth > high->depth ? low->depth : high->depth;
                improve(best, (struct plan){1 + low->cost + high->cost, 1 + depth, m});
            }
        }
}

static int grow(struct program *p, const struct ranges *r, int lo, int hi)
{
    int m = plans[lo][hi].split, singles;

    if (m >= 0) {
        int low = grow(p, r, lo, m), high = grow(p, r, m, hi);
        return add(p, BPF_JMP | BPF_JGE | BPF_K, r->first[m], high, low);
    }
    int node = background(r, lo, hi, &singles), next = node;
    for (int i = hi - 1; i >= lo; i--)
        if (r->node[i] != node)
            next = equal(p, r->first[i], r->node[i], next);
    return next;
}

static int search(struct program *p, const struct ranges *r)
{
    plan(r);
    return grow(p, r, 0, r->count);
}

/* The actions. */
typedef int action_fn(struct program *p);
static int outcome(struct program *p, enum action action);

static int allow(struct program *p)
{
    return ret(p, SECCOMP_RET_ALLOW);
}

static int quiet(struct program *p, int error)
{
    return ret(p, SECCOMP_RET_ERRNO | (uint32_t)error);
}

static int told(struct program *p, int error)
{
    return p->flavour & FILTER_QUIET ? quiet(p, error) : ret(p, SECCOMP_RET_USER_NOTIF);
}

static int act_deny(struct program *p)
{
    return told(p, EPERM);
}

static int act_unknown(struct program *p)
{
    return told(p, ENOSYS);
}

static int act_absent(struct program *p)
{
    return quiet(p, ENOSYS);
}

static int act_quiet(struct program *p)
{
    return quiet(p, EPERM);
}

static int act_clone(struct program *p)
{
    const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

    return arg(p, 0, any_bit(p, namespaces, told(p, EPERM), allow(p)));
}

static int act_unshare(struct program *p)
{
    const uint32_t plain = CLONE_FILES | CLONE_FS | CLONE_SYSVSEM;

    return arg(p, 0, any_bit(p, ~plain, told(p, EPERM), allow(p)));
}

static int act_personality(struct program *p)
{
    return arg(p, 0, ONE_OF(p, allow(p), told(p, EPERM), 0, 0xffffffff));
}

enum { SOCK_TYPE_MASK = 0xf, MPTCP = 262 }; /* include/linux/net.h, uapi/linux/in.h */

/* Streams and datagrams of the plain protocols: by number one could also load SCTP, L2TP and
 * others. MPTCP is what Go asks for first; it falls back to TCP. */
static int inet(struct program *p)
{
    int refused = told(p, EAFNOSUPPORT);
    int other = equal(p, MPTCP, quiet(p, EPROTONOSUPPORT), refused);
    int protocol =
        arg(p, 2,
            ONE_OF(p, allow(p), other, 0, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP, IPPROTO_ICMPV6));

    return arg(p, 1,
               mask(p, SOCK_TYPE_MASK, ONE_OF(p, protocol, refused, SOCK_STREAM, SOCK_DGRAM)));
}

static int act_socket(struct program *p)
{
    int refused = told(p, EAFNOSUPPORT), next = refused;

    if (!(p->flavour & FILTER_NO_INET))
        next = ONE_OF(p, inet(p), next, AF_INET, AF_INET6);
    next = equal(p, AF_NETLINK, arg(p, 2, equal(p, NETLINK_ROUTE, allow(p), refused)), next);
    int type = ONE_OF(p, allow(p), refused, SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET);
    return arg(p, 0, equal(p, AF_UNIX, arg(p, 1, mask(p, SOCK_TYPE_MASK, type)), next));
}

static int act_socketpair(struct program *p)
{
    return arg(p, 0, equal(p, AF_UNIX, allow(p), told(p, EAFNOSUPPORT)));
}

/* One argument against rows of a table, which are in no order. */
static int by_rows(struct program *p, unsigned i, const struct span *rows_, size_t n, int otherwise)
{
    struct ranges r = {.count = 0};
    uint64_t at = 0;

    while (at <= UINT32_MAX) {
        uint64_t next = (uint64_t)UINT32_MAX + 1;
        const struct span *here = NULL;
        for (size_t j = 0; j < n; j++) {
            if (rows_[j].first <= at && at <= rows_[j].last)
                here = &rows_[j];
            else if (rows_[j].first > at && rows_[j].first < next)
                next = rows_[j].first;
        }
        extend(&r, (uint32_t)at, here ? outcome(p, here->action) : otherwise);
        at = here ? (uint64_t)here->last + 1 : next;
    }
    return arg(p, i, search(p, &r));
}

static int act_ioctl(struct program *p)
{
    return by_rows(p, 1, ioctls, LEN(ioctls), allow(p));
}

static int act_prctl(struct program *p)
{
    return by_rows(p, 0, prctls, LEN(prctls), told(p, EINVAL));
}

/* Not told: libseccomp, which `file` and `man` use, tries every flag there is at its start. */
static int act_seccomp(struct program *p)
{
    const uint32_t narrowing = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG |
                               SECCOMP_FILTER_FLAG_SPEC_ALLOW | SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
    int flags = arg(p, 1, any_bit(p, ~narrowing, quiet(p, EPERM), allow(p)));
    int other = ONE_OF(p, allow(p), quiet(p, EINVAL), SECCOMP_SET_MODE_STRICT,
                       SECCOMP_GET_ACTION_AVAIL, SECCOMP_GET_NOTIF_SIZES);

    return arg(p, 0, equal(p, SECCOMP_SET_MODE_FILTER, flags, other));
}

static int act_scheduler(struct program *p)
{
    int policy = ONE_OF(p, allow(p), quiet(p, EPERM), SCHED_OTHER, SCHED_BATCH, SCHED_IDLE);

    return arg(p, 1, mask(p, ~(uint32_t)SCHED_RESET_ON_FORK, policy));
}

static int act_madvise(struct program *p)
{
    return arg(p, 2, equal(p, MADV_MERGEABLE, quiet(p, EINVAL), allow(p)));
}

static int mode(struct program *p, unsigned i)
{
    return arg(p, i, any_bit(p, S_ISUID | S_ISGID, told(p, EPERM), allow(p)));
}

static int act_mode_1(struct program *p)
{
    return mode(p, 1);
}

static int act_mode_2(struct program *p)
{
    return mode(p, 2);
}

static int node_mode(struct program *p, unsigned i)
{
    int type = ONE_OF(p, allow(p), told(p, EPERM), 0, S_IFREG, S_IFIFO, S_IFSOCK);

    return arg(p, i, mask(p, S_IFMT, type));
}

static int act_node_1(struct program *p)
{
    return node_mode(p, 1);
}

static int act_node_2(struct program *p)
{
    return node_mode(p, 2);
}

static int act_kill(struct program *p)
{
    int signal = arg(p, 1, equal(p, 0, allow(p), told(p, EPERM)));

    return arg(p, 0, equal(p, 0, allow(p), signal));
}

static int harmless_signal(struct program *p, unsigned i)
{
    return arg(p, i, ONE_OF(p, allow(p), told(p, EPERM), 0, SIGURG));
}

static int act_tkill(struct program *p)
{
    return harmless_signal(p, 1);
}

static int act_tgkill(struct program *p)
{
    return harmless_signal(p, 2);
}

static int act_fcntl(struct program *p)
{
    return arg(p, 1, ONE_OF(p, told(p, EPERM), allow(p), F_SETOWN, F_SETOWN_EX));
}

static int act_prlimit(struct program *p)
{
    return arg(p, 0, equal(p, 0, allow(p), told(p, EPERM)));
}

static int act_priority(struct program *p)
{
    int who = arg(p, 1, equal(p, 0, allow(p), quiet(p, EPERM)));

    return arg(p, 0, equal(p, PRIO_PROCESS, who, quiet(p, EPERM)));
}

static int kill_all(struct program *p)
{
    return ret(p, SECCOMP_RET_KILL_PROCESS);
}

static int act_init_ioctl(struct program *p)
{
    return arg(p, 1,
               ONE_OF(p, allow(p), kill_all(p), SECCOMP_IOCTL_NOTIF_RECV, SECCOMP_IOCTL_NOTIF_SEND,
                      SECCOMP_IOCTL_NOTIF_ID_VALID));
}

static int open_for_reading(struct program *p, unsigned i)
{
    const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

    return arg(p, i, any_bit(p, writing, kill_all(p), allow(p)));
}

static int act_init_open_1(struct program *p)
{
    return open_for_reading(p, 1);
}

static int act_init_open_2(struct program *p)
{
    return open_for_reading(p, 2);
}

static int act_init_mmap(struct program *p)
{
    return arg(p, 2, any_bit(p, PROT_EXEC, kill_all(p), allow(p)));
}

static const struct {
    action_fn *make;
    bool shared; /* allowed in a pid namespace */
} makers[ACTIONS] = {
    [ACT_ALLOW] = {allow, false},
    [ACT_DENY] = {act_deny, false},
    [ACT_UNKNOWN] = {act_unknown, false},
    [ACT_ABSENT] = {act_absent, false},
    [ACT_QUIET] = {act_quiet, false},
    [ACT_CLONE] = {act_clone, false},
    [ACT_UNSHARE] = {act_unshare, false},
    [ACT_PERSONALITY] = {act_personality, false},
    [ACT_SOCKET] = {act_socket, false},
    [ACT_SOCKETPAIR] = {act_socketpair, false},
    [ACT_IOCTL] = {act_ioctl, false},
    [ACT_PRCTL] = {act_prctl, false},
    [ACT_SECCOMP] = {act_seccomp, false},
    [ACT_SCHEDULER] = {act_scheduler, false},
    [ACT_MADVISE] = {act_madvise, false},
    [ACT_MODE_1] = {act_mode_1, false},
    [ACT_MODE_2] = {act_mode_2, false},
    [ACT_NODE_1] = {act_node_1, false},
    [ACT_NODE_2] = {act_node_2, false},
    [ACT_SHARED_DENY] = {act_deny, true},
    [ACT_SHARED_QUIET] = {act_quiet, true},
    [ACT_SHARED_KILL] = {act_kill, true},
    [ACT_SHARED_TKILL] = {act_tkill, true},
    [ACT_SHARED_TGKILL] = {act_tgkill, true},
    [ACT_SHARED_FCNTL] = {act_fcntl, true},
    [ACT_SHARED_PRLIMIT] = {act_prlimit, true},
    [ACT_SHARED_PRIORITY] = {act_priority, true},
    [ACT_INIT_IOCTL] = {act_init_ioctl, false},
    [ACT_INIT_OPEN_1] = {act_init_open_1, false},
    [ACT_INIT_OPEN_2] = {act_init_open_2, false},
    [ACT_INIT_MMAP] = {act_init_mmap, false},
};

static int outcome(struct program *p, enum action action)
{
    if (makers[action].shared && !(p->flavour & FILTER_SHARED_PIDS))
        return allow(p);
    return makers[action].make(p);
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

static void print_node(const struct program *p, int i)
{
    const struct node *n = &p->nodes[i];

    if (is_branch(n->code))
        printf("    {0x%02x, %d, %d, 0x%x},\n", n->code, i - n->yes - 1, i - n->no - 1, n->k);
    else
        printf("    {0x%02x, 0, 0, 0x%x},\n", n->code,
               n->code == (BPF_JMP | BPF_JA) ? (unsigned)(i - n->yes - 1) : n->k);
}

static void print_program(const struct program *p, const char *arch, const char *what)
{
    printf("static const struct sock_filter %s_%s[] = {\n", arch, what);
    for (int i = p->count - 1; i >= 0; i--)
        print_node(p, i);
    puts("};");
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
            printf("        PROGRAM(%s_flavour_%u),\n", archs[a].name, f);
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
