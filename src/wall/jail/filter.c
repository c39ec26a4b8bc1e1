/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

enum action {
#define ACTION(name, error) ACT_##name,
#include "jail/syscalls.def"
};

static const int action_errno[] = {
#define ACTION(name, error) error,
#include "jail/syscalls.def"
};

struct call {
    int number;
    enum action action;
    const char *name;
};

#include "filter_tables.h"

static const struct {
    uint32_t token;
    const struct call *calls; /* sorted by number */
    size_t count;
} archs[FILTER_ARCH_COUNT] = {
    [FILTER_X86_64] = {AUDIT_ARCH_X86_64, x86_64_calls, ARRAY_LEN(x86_64_calls)},
    [FILTER_AARCH64] = {AUDIT_ARCH_AARCH64, aarch64_calls, ARRAY_LEN(aarch64_calls)},
};

enum filter_arch filter_native(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
    return FILTER_X86_64;
#elif defined(__aarch64__) && !defined(__ILP32__)
    return FILTER_AARCH64;
#else
#error "the system call filter knows x86-64 and arm64"
#endif
}

struct filter_program filter_program(enum filter_arch arch, unsigned flavour)
{
    return programs[arch][flavour % FILTER_FLAVOURS];
}

struct filter_program filter_asking_program(enum filter_arch arch, unsigned flavour)
{
    return asking_programs[arch][flavour % FILTER_FLAVOURS];
}

/* Interprets one of our own BPF programs; tools/make-filter.c uses no other instructions. */
uint32_t filter_judge(enum filter_arch arch, unsigned flavour, const struct seccomp_data *data)
{
    struct filter_program p = filter_program(arch, flavour);
    uint32_t a = 0;

    for (unsigned pc = 0; pc < p.count; pc++) {
        const struct sock_filter *f = &p.insns[pc];
        switch (f->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            memcpy(&a, (const char *)data + f->k, sizeof a);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= f->k;
            break;
        case BPF_JMP | BPF_JA:
            pc += f->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            pc += a == f->k ? f->jt : f->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            pc += a >= f->k ? f->jt : f->jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            pc += a & f->k ? f->jt : f->jf;
            break;
        default:
            return f->code == (BPF_RET | BPF_K) ? f->k : SECCOMP_RET_USER_NOTIF;
        }
    }
    return SECCOMP_RET_USER_NOTIF;
}

struct filter_program filter_init_program(enum filter_arch arch, bool changes)
{
    return init_programs[arch][changes];
}

static const struct call *find_call(enum filter_arch arch, int nr)
{
    const struct call *calls = archs[arch].calls;
    size_t lo = 0, hi = archs[arch].count;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (calls[mid].number == nr)
            return &calls[mid];
        if (calls[mid].number < nr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* Names of argument values, for reports. */
struct value {
    uint32_t first, last;
    const char *name;
};

/* The values of one argument of a call, and the action for each. */
struct option {
    struct value value;
    enum action action;
};

static const struct option prctls[] = {
#define PRCTL(first, last, action, options) {{first, last, options}, ACT_##action},
#include "jail/syscalls.def"
};

static const struct option fcntls[] = {
#define FCNTL(first, last, action, names) {{first, last, names}, ACT_##action},
#include "jail/syscalls.def"
};

static const struct option ioctls[] = {
#define IOCTLS(first, last, requests)       {{first, last, requests}, ACT_ALLOW},
#define IOCTL(request, number, action, why) {{number, number, #request}, ACT_##action},
#include "jail/syscalls.def"
};

/* Level and option in one number; both are small. */
#define LEVEL_SHIFT 16

static const struct option sockopts[] = {
#define SOCKOPT(names, level, first, last, action)                                                 \
    {{(uint32_t)(level) << LEVEL_SHIFT | (first), (uint32_t)(level) << LEVEL_SHIFT | (last),       \
      names},                                                                                      \
     ACT_##action},
#include "jail/syscalls.def"
};

static const struct {
    enum action call; /* the call that has this argument */
    const struct option *options;
    size_t count;
    unsigned argument;
    const char *unknown;
} option_lists[] = {
    {ACT_PRCTL, prctls, ARRAY_LEN(prctls), 0, "unknown option"},
    {ACT_FCNTL, fcntls, ARRAY_LEN(fcntls), 1, "unknown command"},
    {ACT_IOCTL, ioctls, ARRAY_LEN(ioctls), 1, "unknown request"},
    {ACT_SOCKOPT, sockopts, ARRAY_LEN(sockopts), 1, "unknown option"},
};

static uint32_t option_value(enum action call, unsigned argument, const uint32_t args[3])
{
    if (call != ACT_SOCKOPT)
        return args[argument];
    return (args[1] | args[2]) >> LEVEL_SHIFT ? UINT32_MAX : args[1] << LEVEL_SHIFT | args[2];
}

/* The call's own action, or the action for its option. If the call has no options, *ret_name is not
 * set. */
static enum action find_action(enum action call, const uint32_t args[3], const char **ret_name)
{
    for (size_t l = 0; l < ARRAY_LEN(option_lists); l++) {
        if (option_lists[l].call != call)
            continue;
        uint32_t value = option_value(call, option_lists[l].argument, args);
        *ret_name = option_lists[l].unknown;
        for (size_t i = 0; i < option_lists[l].count; i++) {
            const struct option *o = &option_lists[l].options[i];
            if (o->value.first > value || value > o->value.last)
                continue;
            *ret_name = o->value.name;
            return o->action;
        }
    }
    return call;
}

#define VALUE(name)                                                                                \
    {                                                                                              \
        name, name, #name                                                                          \
    }

static const struct value family_values[] = {
    VALUE(AF_AX25),   VALUE(AF_IPX),        VALUE(AF_APPLETALK), VALUE(AF_NETROM),
    VALUE(AF_BRIDGE), VALUE(AF_ATMPVC),     VALUE(AF_X25),       VALUE(AF_ROSE),
    VALUE(AF_DECnet), VALUE(AF_KEY),        VALUE(AF_NETLINK),   VALUE(AF_PACKET),
    VALUE(AF_ECONET), VALUE(AF_ATMSVC),     VALUE(AF_RDS),       VALUE(AF_PPPOX),
    VALUE(AF_LLC),    VALUE(AF_IB),         VALUE(AF_MPLS),      VALUE(AF_CAN),
    VALUE(AF_TIPC),   VALUE(AF_BLUETOOTH),  VALUE(AF_RXRPC),     VALUE(AF_ISDN),
    VALUE(AF_PHONET), VALUE(AF_IEEE802154), VALUE(AF_CAIF),      VALUE(AF_ALG),
    VALUE(AF_NFC),    VALUE(AF_VSOCK),      VALUE(AF_KCM),       VALUE(AF_QIPCRTR),
    VALUE(AF_SMC),    VALUE(AF_XDP),        {45, 45, "AF_MCTP"}, VALUE(AF_UNIX),
    VALUE(AF_INET),   VALUE(AF_INET6),
};

static const struct value type_values[] = {
    VALUE(SOCK_RAW), VALUE(SOCK_RDM), VALUE(SOCK_SEQPACKET), VALUE(SOCK_DCCP), VALUE(SOCK_PACKET),
};

static const char *value_name(const struct value *values, size_t n, uint32_t value,
                              const char *otherwise)
{
    for (size_t i = 0; i < n; i++)
        if (values[i].first <= value && value <= values[i].last && values[i].name)
            return values[i].name;
    return otherwise;
}
#define NAME(values, value, otherwise) value_name(values, ARRAY_LEN(values), value, otherwise)

static const char *clone_flag_name(uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } flag_names[] = {
        {CLONE_NEWUSER, "CLONE_NEWUSER"}, {CLONE_NEWNS, "CLONE_NEWNS"},
        {CLONE_NEWPID, "CLONE_NEWPID"},   {CLONE_NEWNET, "CLONE_NEWNET"},
        {CLONE_NEWIPC, "CLONE_NEWIPC"},   {CLONE_NEWUTS, "CLONE_NEWUTS"},
        {CLONE_NEWTIME, "CLONE_NEWTIME"}, {CLONE_NEWCGROUP, "CLONE_NEWCGROUP"},
        {CLONE_PARENT, "CLONE_PARENT"},   {CLONE_FILES, "CLONE_FILES"},
    };

    for (size_t i = 0; i < ARRAY_LEN(flag_names); i++)
        if (flags & flag_names[i].flag)
            return flag_names[i].name;
    return "other flags";
}

/* The name of the refused part: family, type or protocol. A plain family with a plain type is
 * refused because of its protocol, or because this flavour allows no network or no such sockets. */
static const char *socket_trouble(const uint32_t args[3])
{
    uint32_t family = args[0], type = args[1] & 0xf;
    bool inet = family == AF_INET || family == AF_INET6;

    if (inet && type != SOCK_STREAM && type != SOCK_DGRAM)
        return NAME(type_values, type, "unknown type");
    if (family == AF_UNIX && type != SOCK_STREAM && type != SOCK_DGRAM && type != SOCK_SEQPACKET)
        return NAME(type_values, type, "unknown type");
    return NAME(family_values, family, "unknown family");
}

/* The name in the parentheses of filter_denial_name, or NULL. */
static const char *argument_name(enum action action, const uint32_t args[3])
{
    const char *option = NULL;

    switch ((int)action) {
    case ACT_CLONE:
        return clone_flag_name(args[0] & ~(uint32_t)CSIGNAL);
    case ACT_UNSHARE:
        return clone_flag_name(args[0]);
    case ACT_SOCKET:
        return socket_trouble(args);
    case ACT_SOCKETPAIR:
        return NAME(family_values, args[0], "unknown family");
    case ACT_MODE_1:
    case ACT_MODE_2:
        return args[action == ACT_MODE_2 ? 2 : 1] & (S_ISUID | S_ISGID) ? "setuid" : NULL;
    case ACT_NODE_1:
    case ACT_NODE_2:
        return "device";
    default:
        (void)find_action(action, args, &option);
        return option;
    }
}

static const char *foreign_name(uint32_t token)
{
    if (token == AUDIT_ARCH_I386)
        return "i386 system call";
    if (token == AUDIT_ARCH_ARM)
        return "arm system call";
    return "foreign system call";
}

const char *filter_denial_name(const struct seccomp_data *data, char *out, size_t n)
{
    const uint32_t args[3] = {(uint32_t)data->args[0], (uint32_t)data->args[1],
                              (uint32_t)data->args[2]};
    unsigned arch = 0;

    while (arch < FILTER_ARCH_COUNT && archs[arch].token != data->arch)
        arch++;
    if (arch == FILTER_ARCH_COUNT) {
        snprintf(out, n, "%s", foreign_name(data->arch));
        return out;
    }
    const struct call *call = find_call((enum filter_arch)arch, data->nr);
    const char *argument = call ? argument_name(call->action, args) : NULL;
    bool x32 = arch == FILTER_X86_64 && (uint32_t)data->nr >> 30 == 1;
    const char *unknown = x32 ? "x32 system call" : "unknown system call";
    if (argument)
        snprintf(out, n, "%s(%s)", call->name, argument);
    else
        snprintf(out, n, "%s", call ? call->name : unknown);
    return out;
}

static enum action action_of(enum filter_arch arch, const struct seccomp_data *data)
{
    const uint32_t args[3] = {(uint32_t)data->args[0], (uint32_t)data->args[1],
                              (uint32_t)data->args[2]};
    const struct call *call = archs[arch].token == data->arch ? find_call(arch, data->nr) : NULL;
    const char *unused = NULL;

    return call ? find_action(call->action, args, &unused) : ACT_UNKNOWN;
}

int filter_denial_errno(enum filter_arch arch, const struct seccomp_data *data)
{
    int error = action_errno[action_of(arch, data)];

    return error ? error : EPERM;
}

enum filter_notice filter_notice(enum filter_arch arch, const struct seccomp_data *data)
{
    switch ((int)action_of(arch, data)) {
    case ACT_LEAVE:
        return FILTER_NOTICE_LEAVE;
    case ACT_CHANGE:
    case ACT_MODE_1:
    case ACT_MODE_2:
        return FILTER_NOTICE_CHANGE;
    case ACT_TRUNCATE:
        return FILTER_NOTICE_TRUNCATE;
    case ACT_LOCK:
        return FILTER_NOTICE_LOCK;
    case ACT_MEMBER:
        return FILTER_NOTICE_MEMBER;
    case ACT_SELF:
    case ACT_PROCESS:
    case ACT_SCHEDULER:
        return FILTER_NOTICE_SELF_0;
    case ACT_PRIORITY:
    case ACT_IOPRIO:
        return FILTER_NOTICE_SELF_1;
    default:
        return FILTER_REFUSED;
    }
}

bool filter_is_socket(enum filter_arch arch, const struct seccomp_data *data)
{
    return action_of(arch, data) == ACT_SOCKET;
}

static const uint32_t births[] = {
    SYS_clone, /* clone3 is refused */
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
#endif
};

bool filter_is_birth(const struct seccomp_data *data)
{
    bool found = false;

    for (size_t i = 0; i < ARRAY_LEN(births); i++)
        found |= data->nr == (int)births[i];
    return found && data->arch == archs[filter_native()].token;
}

/* Calls that make a process or thread go to the listener, and all others to `rest`. */
static struct filter_program tell_births(struct filter_program rest,
                                         struct sock_filter room[BPF_MAXINSNS])
{
    const uint8_t calls = ARRAY_LEN(births);
    const struct sock_filter begin[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, archs[filter_native()].token, 0, calls + 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    const struct sock_filter end[] = {
        BPF_STMT(BPF_JMP | BPF_JA, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    unsigned short n = ARRAY_LEN(begin);

    memcpy(room, begin, sizeof begin);
    for (uint8_t i = 0; i < calls; i++)
        room[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, births[i], calls - i, 0);
    memcpy(room + n, end, sizeof end);
    n += ARRAY_LEN(end);
    memcpy(room + n, rest.insns, rest.count * sizeof *room);
    return (struct filter_program){room, (unsigned short)(n + rest.count)};
}

static int filter_load(struct filter_program program, unsigned flags)
{
    struct sock_fprog code = {program.count, (struct sock_filter *)program.insns};

    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &code);
}

static int filter_explain(struct err *err)
{
    int number = errno;

    err_sys(err, "install the system call filter");
    if (number == ENOSYS || number == EINVAL)
        err->kind = ERR_UNSUPPORTED;
    if (number == EBUSY)
        err_wrap(err, "an outer sandbox already uses the seccomp listener");
    return -1;
}

/* SECCOMP_USER_NOTIF_FLAG_CONTINUE exists since Linux 5.5, but cannot be tested for. openat2 exists
 * since 5.6, and a call with a structure of size 0 shows whether it does. */
static bool can_continue(void)
{
    enum { NR_OPENAT2 = 437 };

    return syscall(NR_OPENAT2, -1, NULL, NULL, 0) < 0 && errno != ENOSYS;
}

/* If the filter reports exits, a process counts as dead once the listener has received its report.
 * No signal handler may run after that, so only SIGKILL may interrupt the wait. A signal would also
 * interrupt fork, which programs do not expect. */
static int load_listening(struct filter_program program, unsigned flavour)
{
    const unsigned plain = SECCOMP_FILTER_FLAG_NEW_LISTENER,
                   killable = plain | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV; /* Linux 5.19 */
    bool tells_births = flavour & FILTER_TELLS_BIRTHS;
    struct sock_filter room[BPF_MAXINSNS];

    if (tells_births)
        program = tell_births(program, room);
    int listener =
        filter_load(program, tells_births || flavour & FILTER_TELLS_EXIT ? killable : plain);
    if (listener < 0 && errno == EINVAL && tells_births && !(flavour & FILTER_TELLS_EXIT))
        listener = filter_load(program, plain);
    return listener;
}

int filter_install(unsigned flavour, int *ret_listener, struct err *err)
{
    bool quiet = flavour & FILTER_QUIET;
    struct filter_program program = can_continue() ? filter_asking_program(filter_native(), flavour)
                                                   : filter_program(filter_native(), flavour);
    int listener = quiet ? filter_load(program, 0) : load_listening(program, flavour);

    if (listener < 0)
        return filter_explain(err);
    *ret_listener = quiet ? -1 : listener;
    return 0;
}

int filter_install_init(bool changes, struct err *err)
{
    return filter_load(filter_init_program(filter_native(), changes), 0) < 0 ? filter_explain(err)
                                                                             : 0;
}
