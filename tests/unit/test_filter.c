/* SPDX-License-Identifier: Apache-2.0
 *
 * The filter's programs, run by an interpreter of our own, against the same policy stated twice
 * more: as libseccomp rules, and as plain C for what libseccomp cannot say (it has no "any of these
 * bits is set" and no "one of many" for a refusal). Every number of both architectures, every
 * flavour.
 */
#include "jail/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "filter_oracle.h"
#include "filter_want.h"
#include "tap.h"

/* Values of interest in any argument. */
static const uint32_t values[] = {
    0,          1,          2,          3,          4,          5,          6,          7,
    8,          9,          10,         12,         13,         14,         15,         16,
    17,         22,         23,         24,         28,         33,         34,         35,
    36,         38,         40,         45,         47,         48,         56,         57,
    58,         59,         60,         62,         67,         68,         77,         79,
    132,        262,        0x80,       0x200,      0x400,      0x600,      0x40600,    0x11,
    0x20011,    0x10000000, 0x02000000, 0x04000000, 0x08000000, 0x20000000, 0x40000000, 0x40000001,
    0x40000003, 0x01200011, 0x3d0f00,   0x80801,    0x80002,    0x805,      0x80003,    0x8,
    0x8011,     0x20,       0100644,    0104755,    0102755,    0020666,    0060600,    0010644,
    0140644,    0120777,    0755,       04000,      02000,      01777,      0x5412,     0x541c,
    0x541d,     0x5423,     0x5401,     0x5413,     0x4b47,     0x4b49,     0x4b48,     0xaa00,
    0xae01,     0xae00,     0x8901,     0x8902,     0x8903,     0x8905,     0x41555856, 0x53564d41,
    0x59616d61, 0x59616d62, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 11,         18,
    20,         21,         26,         27,         29,         31,         32,         37,
    39,         41,         42,         49,         50,         52,         53,         54,
    55,         61,         73,         74,         100,        0x88,       0x40000,    0x40022,
    0x10600,    0x10400,    0x5411,     0x541b,     0x5424,     0x5460,     0x5461,     0x8946,
    0x8940,     0x8939,     0x8942,     0x80045440, 0x80045441, 0x40049409, 0xc020660b, 0x40086602,
    0xc0406618, 0xc0506617, 1024,       1025,       1026,       1028,       1029,       1030,
    1036,       1037,       1038,       1039,       1040,       1041,
};

struct subject {
    enum filter_arch arch;
    unsigned flavour;
    struct oracle *allowing, *excluding;
    unsigned checks, lib_checks, wrong_plain, wrong_lib, wrong_asking, asked, most_steps;
};

static void complain(const struct seccomp_data *d, const char *who, uint32_t got, uint32_t wanted)
{
    printf("# arch %x nr %d args %llx %llx %llx: %x, but %s says %x\n", d->arch, d->nr,
           (unsigned long long)d->args[0], (unsigned long long)d->args[1],
           (unsigned long long)d->args[2], got, who, wanted);
}

/* What passes in the quiet flavours is the same as in the others. */
static void check_with_lib(struct subject *s, const struct row *row, const struct seccomp_data *d,
                           uint32_t got)
{
    const struct oracle *o =
        row && is_exclusion(row->action, s->flavour) ? s->excluding : s->allowing;
    unsigned steps;

    if (s->flavour & FILTER_QUIET || (row && rule_number(row) == __NR_SCMP_ERROR) ||
        (row && is_beyond_rules(row->action, s->flavour)))
        return;
    uint32_t lib = run(o->code, o->count, d, &steps);
    s->lib_checks++;
    if ((got == YES) != (lib == SCMP_ACT_ALLOW) && s->wrong_lib++ < 5)
        complain(d, "libseccomp", got, lib);
}

/* Every name that came up, in any flavour. */
static char names[512][FILTER_NAME_MAX];
static unsigned name_count, long_names;

static void note_name(const struct seccomp_data *d)
{
    char name[2 * FILTER_NAME_MAX];

    if (strlen(filter_denial_name(d, name, sizeof name)) >= FILTER_NAME_MAX)
        long_names++;
    for (unsigned i = name_count; i-- > 0;)
        if (strncmp(names[i], name, FILTER_NAME_MAX) == 0)
            return;
    if (name_count < ARRAY_LEN(names))
        memcpy(names[name_count++], name, FILTER_NAME_MAX);
}

/* Each socket that leaves something in a network, where that is asked for, and no other. */
static bool asks_rightly(const struct subject *s, const struct row *row,
                         const struct seccomp_data *d, uint32_t value)
{
    bool asks = s->flavour & FILTER_TELLS_SOCKETS && !(s->flavour & FILTER_HIDES_SOCKETS);

    return !row || row->action != ACT_SOCKET ||
           (value == SECCOMP_RET_USER_NOTIF) == (asks && (uint32_t)d->args[0] != AF_UNIX);
}

/* What is loaded where somebody listens may ask, and else has the same answer. */
static void check_asking(struct subject *s, const struct row *row, const struct seccomp_data *d,
                         uint32_t got)
{
    struct filter_program p = filter_asking_program(s->arch, s->flavour);
    unsigned steps;
    uint32_t value = run(p.insns, p.count, d, &steps), judged;

    judged = filter_judge(s->arch, s->flavour, d);
    if (judged == SECCOMP_RET_USER_NOTIF)
        judged = TOLD | (uint32_t)filter_denial_errno(s->arch, d);
    if (s->flavour & FILTER_QUIET ? value != got : value != SECCOMP_RET_USER_NOTIF && value != got)
        s->wrong_asking++;
    s->wrong_asking += judged != got || (got == YES && !asks_rightly(s, row, d, value));
    s->asked += value == SECCOMP_RET_USER_NOTIF && got == YES;
}

static void check(struct subject *s, const struct row *row, const struct seccomp_data *d)
{
    unsigned steps;
    uint32_t got = ours(s->arch, s->flavour, d, &steps), wanted = want(row, s->flavour, d);

    s->checks++;
    check_asking(s, row, d, got);
    if (steps > s->most_steps)
        s->most_steps = steps;
    if (got != wanted && s->wrong_plain++ < 5)
        complain(d, "the policy", got, wanted);
    check_with_lib(s, row, d, got);
    if (got >> 28 == TOLD >> 28 && s->flavour == (FILTER_NO_INET | FILTER_SHARED_PIDS))
        note_name(d);
}

static uint64_t with_garbage(uint32_t low, unsigned turn)
{
    return turn % 3 ? low : 0xdeadbeef00000000U | low;
}

/* Plain flavours get every combination of arguments, and so does the sum of those in which several
 * flags come together: each of these has its turn at every eleventh. */
static bool has_turn(const struct subject *s, unsigned turn)
{
    bool plain = !(s->flavour & (s->flavour - 1));

    return plain || (turn + s->flavour) % 11 == 0;
}

/* Calls whose arguments count get every pair of values in every pair of places; a socket's three
 * come together. */
static void check_arguments(struct subject *s, const struct row *row, struct seccomp_data d)
{
    for (size_t i = 0; i < ARRAY_LEN(values); i++)
        for (size_t j = 0; j < ARRAY_LEN(values); j++) {
            unsigned turn = (unsigned)(i + j);
            if (!has_turn(s, turn))
                continue;
            uint64_t a = with_garbage(values[i], turn), b = with_garbage(values[j], turn + 1);
            memcpy(d.args, (uint64_t[]){a, b, a, b, a, b}, sizeof d.args);
            check(s, row, &d);
            memcpy(d.args, (uint64_t[]){a, a, b, b, a, b}, sizeof d.args);
            check(s, row, &d);
        }
}

static void check_sockets(struct subject *s, const struct row *row, struct seccomp_data d)
{
    static const uint32_t flags[] = {0, SOCK_CLOEXEC, SOCK_NONBLOCK | SOCK_CLOEXEC, 0x10,
                                     0x80000000};

    for (uint32_t family = 0; family < 48; family++)
        for (uint32_t type = 0; type < 16; type++)
            for (uint32_t protocol = 0; protocol < 300; protocol += protocol < 20 ? 1 : 14) {
                unsigned turn = family + type + protocol;
                if (!has_turn(s, turn))
                    continue;
                d.args[0] = with_garbage(family, turn);
                d.args[1] = with_garbage(type | flags[turn % ARRAY_LEN(flags)], turn + 1);
                d.args[2] = with_garbage(protocol, turn + 2);
                check(s, row, &d);
            }
}

static void check_number(struct subject *s, int nr)
{
    const struct row *row = nr >= 0 && nr < MAX_NR ? row_at[s->arch][nr] : NULL;
    struct seccomp_data d = {.nr = nr, .arch = tokens[s->arch]};

    check(s, row, &d);
    memset(d.args, 0xff, sizeof d.args);
    check(s, row, &d);
    if (row && row->action > ACT_QUIET && s->checks)
        check_arguments(s, row, d);
    if (row && row->action == ACT_SOCKET)
        check_sockets(s, row, d);
}

static void test_program(enum filter_arch arch, unsigned flavour)
{
    static const int edges[] = {-1,         INT32_MIN,  0x40000000, 0x40000001,
                                0x40000209, 0x4000003b, 0x7fffffff, 0x3fffffff,
                                1024,       1025,       65536};
    static struct oracle allowing, excluding;
    struct subject s = {
        .arch = arch, .flavour = flavour, .allowing = &allowing, .excluding = &excluding};

    EQ_INT(build(&allowing, arch, flavour, false), 0);
    EQ_INT(build(&excluding, arch, flavour, true), 0);
    for (int nr = 0; nr < MAX_NR; nr++)
        check_number(&s, nr);
    for (size_t i = 0; i < ARRAY_LEN(edges); i++)
        check_number(&s, edges[i]);
    OK(s.wrong_plain == 0, "%s flavour %u: as the policy in %u cases", arch_names[arch], flavour,
       s.checks);
    if (!(flavour & FILTER_QUIET))
        OK(s.wrong_lib == 0 && s.lib_checks, "%s flavour %u: as libseccomp in %u cases",
           arch_names[arch], flavour, s.lib_checks);
    OK(s.wrong_asking == 0 && (s.asked || flavour & FILTER_QUIET),
       "%s flavour %u: what is loaded asks, or says the same", arch_names[arch], flavour);
    unsigned count = filter_asking_program(arch, flavour).count;
    OK(count > 0 && count < (flavour & FILTER_QUIET ? 400 : 210),
       "%s flavour %u: under 210 instructions are loaded, or 400 without a listener",
       arch_names[arch], flavour);
    printf("# %s flavour %u: %u instructions (libseccomp: %u), at most %u for a call\n",
           arch_names[arch], flavour, count, allowing.count, s.most_steps);
}

static void test_foreign(enum filter_arch arch)
{
    static const uint32_t others[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0};
    static const char *const wanted[] = {"i386 system call", "arm system call",
                                         "foreign system call", "foreign system call"};
    char name[FILTER_NAME_MAX];
    unsigned steps;

    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        for (int nr = 0; nr < 3; nr++) {
            struct seccomp_data d = {.nr = nr, .arch = others[i]};
            EQ_INT(ours(arch, 0, &d, &steps), TOLD | ENOSYS);
            EQ_INT(ours(arch, FILTER_QUIET, &d, &steps), NO(ENOSYS));
            EQ_STR(filter_denial_name(&d, name, sizeof name), wanted[i]);
        }
    struct seccomp_data swapped = {.nr = 0, .arch = tokens[!arch]};
    EQ_INT(ours(arch, 0, &swapped, &steps), TOLD | ENOSYS);
}

/* As the table has it; NULL for a number that it does not have. */
static const char *table_name(enum filter_arch arch, int nr)
{
    static char name[FILTER_NAME_MAX];
    struct seccomp_data data = {.nr = nr, .arch = tokens[arch]};

    (void)filter_denial_name(&data, name, sizeof name);
    name[strcspn(name, "(")] = '\0';
    return strcmp(name, "unknown system call") == 0 ? NULL : name;
}

static void test_complete(enum filter_arch arch)
{
    int known = 0, missing = 0;

    for (int nr = 0; nr < MAX_NR; nr++) {
        char *theirs = seccomp_syscall_resolve_num_arch(tokens[arch], nr);
        const char *name = table_name(arch, nr);
        if (theirs && (!name || strcmp(theirs, name) != 0)) {
            printf("# %s: %d is %s, not %s\n", arch_names[arch], nr, theirs,
                   name ? name : "in the table");
            missing++;
        }
        known += name != NULL;
        free(theirs);
    }
    OK(known > 300, "%s: %d calls in the table", arch_names[arch], known);
    OK(missing == 0, "%s: every call that libseccomp knows", arch_names[arch]);
    OK(!table_name(arch, 4711), "no name beyond it");
    EQ_STR(table_name(arch, 452), "fchmodat2");
}

/* What a person reads. */
static void test_names(void)
{
    static const struct {
        const char *call, *name;
        uint64_t a, b, c;
    } cases[] = {
        {"mount", "mount", 1, 2, 3},
        {"socket", "socket(AF_PACKET)", AF_PACKET, SOCK_RAW, 0},
        {"socket", "socket(AF_INET)", AF_INET, SOCK_STREAM, 0},
        {"socket", "socket(SOCK_RAW)", AF_INET, SOCK_RAW, 1},
        {"socket", "socket(AF_NETLINK)", AF_NETLINK, SOCK_RAW, 9},
        {"socket", "socket(AF_ALG)", 0xffffffff00000000U | AF_ALG, SOCK_SEQPACKET, 0},
        {"socket", "socket(unknown family)", 4711, SOCK_STREAM, 0},
        {"socketpair", "socketpair(AF_TIPC)", AF_TIPC, SOCK_STREAM, 0},
        {"clone", "clone(CLONE_NEWUSER)", CLONE_NEWUSER | SIGCHLD, 0, 0},
        {"clone", "clone(CLONE_FILES)", CLONE_FILES | CLONE_VM | SIGCHLD, 0, 0},
        {"clone", "clone(CLONE_NEWNS)", CLONE_NEWNS | 0x80, 0, 0},
        {"unshare", "unshare(CLONE_NEWTIME)", 0x80, 0, 0},
        {"unshare", "unshare(other flags)", CLONE_VM, 0, 0},
        {"ioctl", "ioctl(TIOCSTI)", 0, 0x100005412, 0},
        {"prctl", "prctl(PR_SET_MM)", 35, 0, 0},
        {"prctl", "prctl(unknown option)", 4711, 0, 0},
        {"fcntl", "fcntl(F_SETOWN)", 0, F_SETOWN, 0},
        {"fcntl", "fcntl(F_SETLK)", 0, F_SETLK, 0},
        {"fcntl", "fcntl(F_NOTIFY)", 0, F_NOTIFY, 0},
        {"setsockopt", "setsockopt(IPV6_FLOWLABEL_MGR)", 3, IPPROTO_IPV6, 32},
        {"setsockopt", "setsockopt(TCP_MD5SIG)", 3, 0xffffffff00000000U | IPPROTO_TCP, 32},
        {"setsockopt", "setsockopt(unknown option)", 3, 1 << 16 | IPPROTO_TCP, 14},
        {"fchmod", "fchmod(setuid)", 3, 04755, 0},
        {"fchmodat", "fchmodat(setuid)", 3, 0, 02755},
        {"mknodat", "mknodat(device)", 3, 0, S_IFBLK},
        {"kill", "kill", 1, 9, 0},
    };
    char name[FILTER_NAME_MAX];
    struct seccomp_data x32 = {.nr = 0x40000000, .arch = AUDIT_ARCH_X86_64};
    struct seccomp_data none = {.nr = 999, .arch = AUDIT_ARCH_X86_64};

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int nr = seccomp_syscall_resolve_name_arch(AUDIT_ARCH_X86_64, cases[i].call);
        struct seccomp_data d = {.nr = nr, .arch = AUDIT_ARCH_X86_64};
        memcpy(d.args, (uint64_t[]){cases[i].a, cases[i].b, cases[i].c}, 3 * sizeof(uint64_t));
        EQ_STR(filter_denial_name(&d, name, sizeof name), cases[i].name);
    }
    EQ_INT(long_names, 0);
    OK(name_count > 100 && name_count < 250, "%u names of refused calls in all", name_count);
    EQ_STR(filter_denial_name(&x32, name, sizeof name), "x32 system call");
    EQ_STR(filter_denial_name(&none, name, sizeof name), "unknown system call");
    EQ_STR(filter_denial_name(&none, name, 8), "unknown");
}

static uint32_t init_answer(enum filter_arch arch, const char *call, uint64_t b, uint64_t c)
{
    struct filter_program p = filter_init_program(arch, false);
    struct seccomp_data d = {.arch = tokens[arch], .args = {3, b, c}};
    unsigned steps;

    d.nr = seccomp_syscall_resolve_name_arch(tokens[arch], call);
    return run(p.insns, p.count, &d, &steps);
}

static bool is_init_call(const char *name, bool changes)
{
    static const char *const listed[] = {
#define INIT(call, action) #call,
#include "jail/syscalls.def"
#define CHANGER(call) #call,
#include "jail/syscalls.def"
    };
    static const char *const changers[] = {
#define CHANGER(call) #call,
#include "jail/syscalls.def"
    };

    for (size_t i = 0; i < ARRAY_LEN(listed) - (changes ? 0 : ARRAY_LEN(changers)); i++)
        if (strcmp(listed[i], name) == 0)
            return true;
    return false;
}

static int count_answered(enum filter_arch arch, bool changes)
{
    struct filter_program p = filter_init_program(arch, changes);
    unsigned steps;
    int wrong = 0;

    for (int nr = 0; nr < MAX_NR; nr++) {
        const char *name = row_at[arch][nr] ? row_at[arch][nr]->name : NULL;
        struct seccomp_data d = {.nr = nr, .arch = tokens[arch]};
        if (!name || !is_init_call(name, changes))
            wrong += run(p.insns, p.count, &d, &steps) != SECCOMP_RET_KILL_PROCESS;
    }
    return wrong;
}

static void test_init(enum filter_arch arch)
{
    const uint32_t dead = SECCOMP_RET_KILL_PROCESS;

    for (int changes = 0; changes < 2; changes++)
        OK(count_answered(arch, changes) == 0, "%s: init is killed for whatever is not listed",
           arch_names[arch]);
    EQ_INT(init_answer(arch, "utimensat", 0, 0), dead);
    EQ_INT(init_answer(arch, "read", 0, 0), YES);
    EQ_INT(init_answer(arch, "recvmsg", 0, 0), YES);
    EQ_INT(init_answer(arch, "mmap", 0, PROT_READ | PROT_WRITE), YES);
    EQ_INT(init_answer(arch, "mmap", 0, PROT_READ | PROT_EXEC), dead);
    EQ_INT(init_answer(arch, "ioctl", SECCOMP_IOCTL_NOTIF_RECV, 0), YES);
    EQ_INT(init_answer(arch, "ioctl", SECCOMP_IOCTL_NOTIF_SEND, 0), YES);
    EQ_INT(init_answer(arch, "ioctl", SECCOMP_IOCTL_NOTIF_ADDFD, 0), YES);
    EQ_INT(init_answer(arch, "ioctl", 0x5401, 0), dead); /* TCGETS */
    EQ_INT(init_answer(arch, "openat", 0, O_RDONLY | O_CLOEXEC), YES);
    EQ_INT(init_answer(arch, "openat", 0, O_RDWR), dead);
    EQ_INT(init_answer(arch, "openat", 0, O_RDONLY | O_CREAT), dead);
    EQ_INT(init_answer(arch, "execve", 0, 0), dead);
    printf("# %s init: %u instructions\n", arch_names[arch],
           filter_init_program(arch, false).count);
}

int main(void)
{
    fill_rows();
    for (unsigned arch = 0; arch < FILTER_ARCH_COUNT; arch++) {
        RUN(test_complete((enum filter_arch)arch));
        for (unsigned flavour = 0; flavour < FILTER_FLAVOURS; flavour++)
            RUN(test_program((enum filter_arch)arch, flavour));
        RUN(test_foreign((enum filter_arch)arch));
        RUN(test_init((enum filter_arch)arch));
    }
    RUN(test_names());
    return tap_done();
}
