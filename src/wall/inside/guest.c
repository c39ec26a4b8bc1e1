/* SPDX-License-Identifier: Apache-2.0 */
#include "inside/inside.h"
#include "inside/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "jail/filter.h"
#include "jail/landlock.h"
#include "jail/proto.h"

static _Noreturn void guest_fail(struct inside *in, const struct err *err)
{
    struct guest_word word = {.stage = GUEST_FAILED, .err = *err};

    (void)fd_send(in->init_fd, &word, sizeof word, NULL, 0);
    _exit(127);
}

static void must(struct inside *in, int result, const struct err *err)
{
    if (result < 0)
        guest_fail(in, err);
}

/* Tries to fork with this limit on processes. True if the user has fewer processes, or if the limit
 * cannot be set. */
static bool can_fork(rlim_t allowed, rlim_t max)
{
    struct rlimit limit = {allowed, max};
    pid_t pid;

    if (setrlimit(RLIMIT_NPROC, &limit) < 0)
        return true;
    pid = fork();
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
    return pid > 0;
}

#define PROCESSES_MAX 4194304 /* PID_MAX_LIMIT */

/* How many processes the user has. Without a user namespace, processes outside the jail count as
 * well, and /proc may show only a few of them, so we ask the kernel. */
static rlim_t count_processes(rlim_t max)
{
    rlim_t low = 1, high = 2;

    while (high < PROCESSES_MAX && !can_fork(high, max)) {
        low = high;
        high *= 2;
    }
    while (low + 1 < high) {
        rlim_t middle = low + (high - low) / 2;
        if (can_fork(middle, max))
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* The limit's value, with the user's other processes added if they count. The subtracted 2 are this
 * process and our init, which are in the value already. */
static uint64_t guest_value_of(const struct spec_rlimit *limit)
{
    struct rlimit now;

    if (!limit->above_others || getrlimit(limit->resource, &now) < 0)
        return limit->value;
    rlim_t others = count_processes(now.rlim_max) - 2;
    (void)setrlimit(limit->resource, &now);
    return limit->value + others;
}

/* Limits can only be lowered here: CAP_SYS_RESOURCE is gone, and containers often never had it. A
 * limit that is lower already is accepted. */
static void set_rlimit(struct inside *in, const struct spec_rlimit *limit)
{
    uint64_t value = guest_value_of(limit), want[2] = {value, value}, now[2];
    struct err err;

    if (syscall(SYS_prlimit64, 0, limit->resource, want, NULL) == 0)
        return;
    if (syscall(SYS_prlimit64, 0, limit->resource, NULL, now) < 0 || want[1] <= now[1])
        must(in, err_sys(&err, "set resource limit %d", limit->resource), &err);
}

static bool is_for_here(const struct inside *in, const struct spec_rlimit *limit)
{
    layer_mask held = in->held | (in->spec.pids_held ? LAYER_BIT(LAYER_PIDS) : 0);

    return (limit->with & ~held) == 0 && (limit->unless & held) == 0;
}

static const struct spec_rlimit *limit_of_processes(const struct inside *in)
{
    for (size_t i = 0; i < in->spec.rlimit_count; i++)
        if (in->spec.rlimits[i].resource == RLIMIT_NPROC && is_for_here(in, &in->spec.rlimits[i]))
            return &in->spec.rlimits[i];
    return NULL;
}

/* Without a /proc the init could not count, and guests cannot be forked. */
uint32_t limit_of_births(const struct inside *in)
{
    const struct spec_rlimit *all = limit_of_processes(in);
    bool counts = in->spec.forks && !in->spec.pids_held && in->held & LAYER_BIT(LAYER_PROC) &&
                  in->mode & LAYER_BIT(LAYER_SECCOMP);

    return all && counts ? (uint32_t)all->value - 1 : 0; /* without the init */
}

/* RLIMIT_NPROC counts the processes of a user in a user namespace and in those below it, where a
 * session's forks are. So a fork tree has none. */
static bool counts_otherwise(const struct inside *in, const struct spec_rlimit *limit)
{
    return limit->resource == RLIMIT_NPROC && limit_of_births(in);
}

/* Sets RLIMIT_NOFILE alone (`files`), or all others. RLIMIT_NOFILE also limits how many descriptors
 * of this user may be in unreceived messages when another one is sent, and other guests may have
 * the same user. So it is set after we have sent ours. */
static void set_rlimits(struct inside *in, bool files)
{
    for (size_t i = 0; i < in->spec.rlimit_count; i++)
        if ((in->spec.rlimits[i].resource == RLIMIT_NOFILE) == files &&
            is_for_here(in, &in->spec.rlimits[i]) && !counts_otherwise(in, &in->spec.rlimits[i]))
            set_rlimit(in, &in->spec.rlimits[i]);
    in->held |= LAYER_BIT(LAYER_RLIMITS);
}

/* The path at which the guest sees a view: where the plan put it in the private root, or the host's
 * path without one. */
static const char *visible(const struct inside *in, const struct spec_op *op)
{
    return in->held & LAYER_BIT(LAYER_ROOT) || op->kind == SPEC_FILE ? op->dst : op->src;
}

/* In the private root, folders with nothing but the plan's entries are allowed as a whole. Rules
 * are bound to these folders, not to their names: the host's own /etc stays forbidden. */
static bool is_covered(const struct inside *in, const char *path)
{
    return in->held & LAYER_BIT(LAYER_ROOT) &&
           (strncmp(path, "/etc/", 5) == 0 || strncmp(path, "/dev/", 5) == 0);
}

static int allow_plan(const struct inside *in, int rules, struct err *err)
{
    for (size_t i = 0; i < in->spec.op_count; i++) {
        const struct spec_op *op = &in->spec.ops[i];
        enum landlock_grant grant = op->kind == SPEC_DEVICE ? LANDLOCK_DEVICE : LANDLOCK_READ;
        if ((op->kind != SPEC_BIND && op->kind != SPEC_DEVICE && op->kind != SPEC_FILE) ||
            is_covered(in, visible(in, op)))
            continue;
        if (landlock_allow(rules, visible(in, op), grant, err) < 0)
            return -1;
    }
    return 0;
}

/* Without a private root the disk is a folder of the host. A file beside its three folders would be
 * lost after the run without a report, so these alone are writable. */
static int allow_host_box(const struct inside *in, int rules, struct err *err)
{
    static const char *const places[] = {"work", "tmp", "shm"};
    char path[PATH_MAX];

    if (landlock_allow(rules, in->spec.box_host, LANDLOCK_LIST, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        int n = snprintf(path, sizeof path, "%s/%s", in->spec.box_host, places[i]);
        if (n < 0 || (size_t)n >= sizeof path)
            return err_set(err, ERR_SYSTEM, "the path of the guest's disk is too long");
        if (landlock_allow(rules, path, LANDLOCK_WRITE, err) < 0)
            return -1;
    }
    return 0;
}

static int allow_box(const struct inside *in, int rules, struct err *err)
{
    bool own = in->held & LAYER_BIT(LAYER_ROOT);

    if (own ? landlock_allow(rules, SPEC_BOX, LANDLOCK_WRITE, err) < 0
            : allow_host_box(in, rules, err) < 0)
        return -1;
    if (landlock_allow(rules, "/proc", LANDLOCK_READ, err) < 0)
        return -1;
    if (!own)
        return 0;
    if (landlock_allow(rules, "/etc", LANDLOCK_READ, err) < 0 ||
        landlock_allow(rules, "/dev", LANDLOCK_DEVICE, err) < 0 ||
        landlock_allow(rules, "/tmp", LANDLOCK_WRITE, err) < 0 ||
        landlock_allow(rules, "/dev/shm", LANDLOCK_WRITE, err) < 0)
        return -1;
    /* A fork has another /proc, mounted at the same path, which no rule could name: so everything
     * in this root may be read. */
    return landlock_allow(rules, "/", in->spec.forks ? LANDLOCK_READ : LANDLOCK_LIST, err);
}

static void enter_landlock(struct inside *in)
{
    struct err err;

    if (!(in->mode & LAYER_BIT(LAYER_LANDLOCK)) || !landlock_abi())
        return;
    /* In a network of its own the guest may talk to itself over TCP: it can reach no other process
     * there. */
    bool own_net = in->held & LAYER_BIT(LAYER_NETNS);
    AUTO_CLOSE int rules = landlock_create(own_net || in->spec.net_host, &err);
    must(in, rules, &err);
    must(in, allow_plan(in, rules, &err), &err);
    must(in, allow_box(in, rules, &err), &err);
    must(in, landlock_enforce(rules, &err), &err);
    in->held |= LAYER_BIT(LAYER_LANDLOCK);
}

static unsigned filter_flavour(const struct inside *in)
{
    unsigned flavour = 0;

    if (!(in->held & LAYER_BIT(LAYER_NETNS)) && !in->spec.net_host)
        flavour |= FILTER_NO_INET;
    if (!(in->held & LAYER_BIT(LAYER_PIDNS)))
        flavour |= FILTER_SHARED_PIDS;
    if (in->held & LAYER_BIT(LAYER_LANDLOCK) && landlock_abi() >= 6)
        flavour |= FILTER_SCOPED_SIGNALS;
    if (!(in->held & LAYER_BIT(LAYER_ROOT)))
        flavour |= FILTER_NO_ROOT;
    if (in->reports_sockets && !(flavour & FILTER_HIDES_SOCKETS))
        flavour |= FILTER_TELLS_SOCKETS;
    if (in->reports_exit)
        flavour |= FILTER_TELLS_EXIT;
    if (limit_of_births(in))
        flavour |= FILTER_TELLS_BIRTHS;
    return flavour;
}

/* A process can have one listener in all its filters (EBUSY for the second). If an outer sandbox
 * has it, the filter itself answers refused calls, and they are not reported. */
static int enter_filter(struct inside *in)
{
    struct err err;
    int listener = -1;

    if (!(in->mode & LAYER_BIT(LAYER_SECCOMP)))
        return -1;
    unsigned flavour = filter_flavour(in), plain = flavour & ~(unsigned)FILTER_TELLS_EXIT;
    const unsigned tries[] = {flavour, plain, plain | FILTER_QUIET};
    bool installed = false, births = flavour & FILTER_TELLS_BIRTHS; /* needs the listener */
    for (size_t i = 0; i < ARRAY_LEN(tries) - births && !installed; i++) {
        in->flavour = tries[i];
        installed = filter_install(in->flavour, &listener, &err) == 0;
    }
    if (!installed) {
        if (err.kind != ERR_UNSUPPORTED || births)
            guest_fail(in, &err);
        in->lost = LAYER_BIT(LAYER_SECCOMP);
        in->why = err;
        return -1;
    }
    in->held |= LAYER_BIT(LAYER_SECCOMP);
    return listener;
}

/* Reads words that are too long for a message from a memory file. */
static int guest_read_words(int fd, struct buf *words)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || st.st_size < 0 || st.st_size > WORDS_MAX)
        return -1;
    char *room = buf_room(words, (size_t)st.st_size);
    if (!room || pread(fd, room, (size_t)st.st_size, 0) != st.st_size)
        return -1;
    buf_grew(words, (size_t)st.st_size);
    return 0;
}

/* Waits for init's answer. A parked process receives the program to run with it. */
static void receive_init(struct inside *in)
{
    char words[WORDS_INLINE];
    int fds[FD_MSG_MAX];
    size_t count = 0;
    ssize_t got = fd_recv(in->init_fd, words, sizeof words, fds, &count, 0);

    if (got < 1 || count > in->spec.park)
        _exit(127);
    if (!in->spec.park)
        return;
    buf_init(&in->words, WORDS_MAX + 1);
    if (count == 0)
        (void)buf_add_str(&in->words, (struct str){words, (size_t)got});
    else if (guest_read_words(fds[0], &in->words) < 0 || close(fds[0]) < 0)
        _exit(127);
}

static void report_init(struct inside *in, int listener)
{
    struct guest_word word = {
        .stage = GUEST_LISTENER,
        .held = in->held,
        .lost = in->lost,
        .flavour = in->flavour,
        .err = in->why,
    };

    if (fd_send(in->init_fd, &word, sizeof word, &listener, listener >= 0) < 0)
        _exit(127);
}

static void guest_check_required(struct inside *in)
{
    struct err err;
    layer_mask ours =
        LAYERS_ALL & ~(LAYER_BIT(LAYER_MEMORY) | LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU));
    layer_mask missing = in->spec.required & ours & ~in->held;

    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (missing & LAYER_BIT(i))
            must(in,
                 err_set(&err, ERR_UNSUPPORTED,
                         "layer %s is required and not available ('glovebox doctor' prints how to "
                         "get it)",
                         jail_layers[i].name),
                 &err);
}

/* Two layers protect files and two protect the network. If both of a pair are missing, the guest
 * does not run, unless both were left out on purpose. */
static void check_walls(struct inside *in)
{
    static const struct {
        layer_mask either;
        const char *names, *guards;
    } walls[] = {
        {LAYER_BIT(LAYER_ROOT) | LAYER_BIT(LAYER_LANDLOCK), "a private root nor Landlock", "files"},
        {LAYER_BIT(LAYER_NETNS) | LAYER_BIT(LAYER_SECCOMP), "a network namespace nor seccomp",
         "the network"},
    };
    struct err err;

    for (size_t i = 0; i < ARRAY_LEN(walls); i++)
        if ((in->spec.wanted & walls[i].either) && !(in->held & walls[i].either))
            must(
                in,
                err_set(
                    &err, ERR_UNSUPPORTED,
                    "neither %s is available here, so nothing would protect %s: 'glovebox doctor' "
                    "prints why and what helps (--backend host --allow-unsafe runs without a wall)",
                    walls[i].names, walls[i].guards),
                &err);
}

/* Standard input, output and error are in place, and the channel's ends get the next numbers. The
 * kernel closes the socket to init at exec. */
static void keep_standard_fds(struct inside *in)
{
    struct err err;

    int next = in->spec.channel ? 5 : 3;
    int high = fcntl(in->init_fd, F_DUPFD_CLOEXEC, SPEC_FD_END);
    bool moved = high >= 0;
    for (int fd = 3; fd < next; fd++)
        moved = moved && dup2(SPEC_FD_CHANNEL + fd - 3, fd) == fd;
    if (!moved || dup3(high, next, O_CLOEXEC) < 0)
        must(in, err_sys(&err, "arrange descriptors"), &err);
    in->init_fd = next;
    (void)syscall(SYS_close_range, next + 1, ~0U, 0);
}

/* Without a private root the guest's disk is a folder on the host, and paths that were planned for
 * the jail must name it. */
static void relocate(const struct inside *in, char **value)
{
    const char *rest = *value;

    if (strncmp(rest, SPEC_BOX "/", strlen(SPEC_BOX "/")) == 0)
        rest += strlen(SPEC_BOX);
    else if (strcmp(rest, "/tmp") != 0)
        return;
    *value = xasprintf("%s%s", in->spec.box_host, rest);
}

/* Without a private root, Landlock hides the host's /etc/gitconfig, and git exits if that file
 * exists and may not be read. */
static void add_git_word(struct inside *in)
{
    size_t n = 0;

    for (; in->spec.envp[n]; n++)
        if (strncmp(in->spec.envp[n], "GIT_CONFIG_NOSYSTEM=", strlen("GIT_CONFIG_NOSYSTEM=")) == 0)
            return;
    char **list = xcalloc(n + 2, sizeof *list);
    memcpy(list, in->spec.envp, n * sizeof *list);
    list[n] = xstrdup("GIT_CONFIG_NOSYSTEM=1");
    in->spec.envp = list; /* until exec */
}

static void relocate_words(struct inside *in)
{
    if (in->held & LAYER_BIT(LAYER_ROOT))
        return;
    add_git_word(in);
    for (char **arg = in->spec.argv; *arg; arg++)
        relocate(in, arg);
    for (char **pair = in->spec.envp; *pair; pair++) {
        const char *equals = strchr(*pair, '=');
        if (!equals)
            continue;
        char *value = xstrdup(equals + 1);
        relocate(in, &value);
        *pair = xasprintf("%.*s%s", (int)(equals + 1 - *pair), *pair, value);
    }
}

void guest_enter(struct inside *in)
{
    struct err err;

    keep_standard_fds(in);
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!(in->held & LAYER_BIT(LAYER_ROOT)))
        relocate(in, &in->spec.cwd);
    relocate_words(in);
    if (chdir(in->spec.cwd) < 0)
        must(in, err_sys(&err, "enter %s", in->spec.cwd), &err);
    in->lost = 0; /* init has reported what was lost until now */
    set_rlimits(in, false);
    enter_landlock(in);
    int listener = enter_filter(in);
    guest_check_required(in);
    check_walls(in);
    fd_raise_limit();
    report_init(in, listener);
    set_rlimits(in, true);
    receive_init(in);
    fd_close(&listener);
}

/* The program, arguments and environment of a guest that was parked. They replace those of the
 * spec, and stay allocated until exec. */
static void take_words(struct inside *in)
{
    struct wire w = {.rest = buf_str(&in->words)};
    struct err err;

    in->spec.argv = wire_list(&w);
    in->spec.envp = wire_list(&w);
    if (!wire_ok(&w) || !in->spec.argv[0])
        must(in, err_set(&err, ERR_SYSTEM, "the program to run was cut short"), &err);
    relocate_words(in);
}

void guest_main(struct inside *in)
{
    struct err err;

    guest_enter(in);
    if (in->spec.park)
        take_words(in);
    execve(in->spec.exec_path, in->spec.argv, in->spec.envp);
    err_sys(&err, "start %s", in->spec.exec_path);
    err.kind = errno == ENOENT ? ERR_UNSUPPORTED : ERR_SYSTEM;
    guest_fail(in, &err);
}
