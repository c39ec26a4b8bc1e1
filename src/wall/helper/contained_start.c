/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest's first process in a container. The engine has set up the wall (namespaces,
 * capabilities, filter); this code sets the limits of single processes and the descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "helper/contained.h"

extern char **environ;

#define CHILD_END 64 /* above every number that a descriptor of the child gets */

/* The guest's ends; -1 for none. */
struct theirs {
    int fds[CONTAINED_WORDS + 1];
    int report; /* receives struct words; closed at exec */
};

/* The child's messages. The first one comes with the filter's listener. */
struct word {
    bool filtered;
    int why; /* errno; the program does not start */
};

static void contained_start_name_of(const char *pair, size_t *ret_n)
{
    const char *equals = strchr(pair, '=');

    *ret_n = equals ? (size_t)(equals - pair) + 1 : strlen(pair);
}

/* True for variables that engines add to the image's environment. */
static bool is_of_engine(const char *pair)
{
    return strncmp(pair, "HOSTNAME=", 9) == 0 || strncmp(pair, "container=", 10) == 0;
}

/* The plan's environment, and of the image's (which has its $PATH) the variables that the plan does
 * not set. */
static char **merge_env(char **plan)
{
    size_t n = 0, own = 0, length;

    while (plan[n])
        n++;
    while (environ[own])
        own++;
    char **all = xcalloc(n + own + 1, sizeof *all), **at = all;
    for (char **pair = environ; *pair; pair++) {
        bool replaced = is_of_engine(*pair);
        contained_start_name_of(*pair, &length);
        for (size_t i = 0; i < n && !replaced; i++)
            replaced = strncmp(plan[i], *pair, length) == 0;
        if (!replaced)
            *at++ = *pair;
    }
    for (size_t i = 0; i < n; i++)
        *at++ = plan[i];
    return all;
}

static void set_limits(const struct contained_plan *plan)
{
    const struct rlimit files = {plan->open_files, plan->open_files};
    /* 1, because with 0 the kernel would still start a program that the host's core_pattern names.
     */
    const struct rlimit none = {1, 1};

    (void)setrlimit(RLIMIT_CORE, &none);
    if (plan->open_files)
        (void)setrlimit(RLIMIT_NOFILE, &files);
}

/* Makes the kernel kill the guest before us if memory runs out. While a process is not dumpable,
 * root owns this file, so the child becomes dumpable; it holds no secrets before exec. */
static void prefer_to_die(void)
{
    (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    (void)fd_write_file_at(AT_FDCWD, "/proc/self/oom_score_adj", "500");
}

static int place_fds(const struct theirs *t)
{
    int high[CONTAINED_WORDS + 1], report = fcntl(t->report, F_DUPFD_CLOEXEC, CHILD_END);

    for (int i = 0; i <= CONTAINED_WORDS; i++)
        if (t->fds[i] >= 0 && (high[i] = fcntl(t->fds[i], F_DUPFD_CLOEXEC, CHILD_END)) < 0)
            return -1;
    for (int i = 0; i <= CONTAINED_WORDS; i++)
        if (t->fds[i] >= 0 ? dup2(high[i], i) < 0 : (close(i), false))
            return -1;
    (void)syscall(SYS_close_range, CONTAINED_WORDS + 1, (unsigned)report - 1, 0);
    (void)syscall(SYS_close_range, (unsigned)report + 1, ~0U, 0);
    return report;
}

/* Enters our filter. If that fails and the plan does not require it, only the engine's filter is in
 * force. */
static int enter_filter(const struct contained_plan *plan, int report)
{
    int listener;
    struct err err;
    struct word word = {.filtered = contained_filter_enter(&listener, &err) == 0};

    if (!word.filtered && plan->required & LAYER_BIT(LAYER_SECCOMP)) {
        errno = err.sys;
        return -1;
    }
    return fd_send(report, &word, sizeof word, &listener, listener >= 0) < 0 ? -1 : 0;
}

static int enter_folder(struct str folder)
{
    AUTO_FREE char *path =
        xasprintf("%s%s%.*s", CONTAINED_WORK, folder.n ? "/" : "", (int)folder.n, folder.p);

    return chdir(path);
}

static _Noreturn void become_guest(const struct contained_plan *plan, const struct theirs *t)
{
    sigset_t none;

    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)setsid();
    prefer_to_die();
    char **env = merge_env(plan->env);
    int report = place_fds(t);
    if (report >= 0 && enter_folder(plan->folder) == 0 && enter_filter(plan, report) == 0) {
        set_limits(plan);
        environ = env;
        (void)execvp(plan->path, plan->argv);
    }
    const struct word last = {.why = errno};
    (void)!write(report, &last, sizeof last);
    _exit(127);
}

static int open_pipe(int *ret_ours, int *ret_theirs, bool we_write, struct err *err)
{
    int ends[2];

    if (fd_pipe(ends, err) < 0)
        return -1;
    *ret_ours = ends[we_write];
    *ret_theirs = ends[!we_write];
    return fd_nonblock(*ret_ours, true) < 0 ? err_sys(err, "prepare a pipe") : 0;
}

static int open_channel(const struct contained_plan *plan, struct contained_guest *g,
                        struct theirs *t, struct err *err)
{
    struct str file = plan->channel_file;

    if (!file.n)
        return open_pipe(&g->to, &t->fds[3], true, err) < 0 ||
                       open_pipe(&g->from, &t->fds[4], false, err) < 0
                   ? -1
                   : 0;
    t->fds[3] = fd_memory("glovebox-rich", file.p, file.n, err);
    return t->fds[3] < 0 ? -1 : open_pipe(&g->from, &t->fds[4], false, err);
}

static int open_words(int *ret_ours, int *ret_theirs, struct err *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(err, "make a socket");
    *ret_ours = ends[0];
    *ret_theirs = ends[1];
    return 0;
}

static int open_pipes(const struct contained_plan *plan, struct contained_guest *g,
                      struct theirs *t, struct err *err)
{
    if (plan->has_stdin ? open_pipe(&g->in, &t->fds[0], true, err) < 0
                        : (t->fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
        return -1;
    if (open_pipe(&g->out, &t->fds[1], false, err) < 0 ||
        open_pipe(&g->err, &t->fds[2], false, err) < 0)
        return -1;
    if (plan->has_words && open_words(&g->words, &t->fds[CONTAINED_WORDS], err) < 0)
        return -1;
    return plan->has_channel ? open_channel(plan, g, t, err) : 0;
}

static void note_filter(struct contained_guest *g, const struct word *word, int listener)
{
    g->filtered = word->filtered;
    contained_filter_listen(listener);
}

/* Waits until the child has become its program, or has failed. */
static int wait_for_exec(int from, const char *path, struct contained_guest *g, struct err *err)
{
    struct word word = {0};
    int listener[FD_MSG_MAX];
    size_t count;

    while (contained_poll(from, POLLIN, INT64_MAX)) {
        count = 0;
        if (fd_recv(from, &word, sizeof word, listener, &count, 0) != sizeof word)
            return 0;
        if (word.why)
            break;
        note_filter(g, &word, count ? listener[0] : -1);
    }
    errno = word.why;
    if (word.why == ENOENT)
        return err_set(err, ERR_UNSUPPORTED, "there is no %s in the image", path);
    return err_sys(err, "start %s", path);
}

int contained_start(const struct contained_plan *plan, struct contained_guest *ret, struct err *err)
{
    struct theirs t = {.fds = {-1, -1, -1, -1, -1, -1}};
    int report[2];

    *ret =
        (struct contained_guest){.in = -1, .out = -1, .err = -1, .to = -1, .from = -1, .words = -1};
    if (open_pipes(plan, ret, &t, err) < 0 || open_words(&report[0], &report[1], err) < 0)
        return -1;
    t.report = report[1];
    ret->pid = fork();
    if (ret->pid < 0)
        return err_sys(err, "start a process in the container");
    if (ret->pid == 0)
        become_guest(plan, &t);
    fd_close(&report[1]);
    for (int i = 0; i <= CONTAINED_WORDS; i++)
        fd_close(&t.fds[i]);
    int result = wait_for_exec(report[0], plan->path, ret, err);
    fd_close(&report[0]);
    return result;
}
