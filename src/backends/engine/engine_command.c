/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/engine_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

enum { LINE_MOST = 4096, READ_MOST = 16 << 10, END_MS = 3000, STEP_NS = 10000000 };

/* ---- its environment ---- */

/* Variables for the user's configuration, and for programs that it names: ssh, and credential
 * helpers. */
static const char *const passed[] = {"PATH",
                                     "HOME",
                                     "USER",
                                     "LOGNAME",
                                     "SHELL",
                                     "TMPDIR",
                                     "XDG_RUNTIME_DIR",
                                     "XDG_CONFIG_HOME",
                                     "DOCKER_CONFIG",
                                     "DOCKER_API_VERSION",
                                     "REGISTRY_AUTH_FILE",
                                     "CONTAINERS_CONF",
                                     "SSH_AUTH_SOCK",
                                     "KRB5CCNAME",
                                     "DISPLAY",
                                     "WAYLAND_DISPLAY",
                                     "DBUS_SESSION_BUS_ADDRESS",
                                     "GNUPGHOME",
                                     "PASSWORD_STORE_DIR",
                                     "AWS_PROFILE",
                                     "AWS_REGION",
                                     "AWS_ACCESS_KEY_ID",
                                     "AWS_SECRET_ACCESS_KEY",
                                     "AWS_SESSION_TOKEN",
                                     "GOOGLE_APPLICATION_CREDENTIALS",
                                     "CLOUDSDK_CONFIG"};
/* Variables with the engine's address, unless it has a socket on this host. */
static const char *const where[] = {"DOCKER_HOST",      "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY",
                                    "DOCKER_CERT_PATH", "CONTAINER_HOST", "CONTAINER_CONNECTION",
                                    "CONTAINER_SSHKEY"};

enum { VARIABLES_MAX = ARRAY_LEN(passed) + ARRAY_LEN(where) + 5 };

static size_t pass(char **envp, size_t n, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = str_variable(names[i]);
        if (value)
            envp[n++] = xasprintf("%s=%s", names[i], value);
    }
    return n;
}

/* docker reads DOCKER_HOST, podman CONTAINER_HOST. */
static void make_environment(const struct engine_command_start *start, char *envp[VARIABLES_MAX])
{
    const char *host = str_variable("DOCKER_HOST"), *socket = start->place->path;
    size_t n = pass(envp, 0, passed, ARRAY_LEN(passed));

    envp[n++] = xstrdup("SSH_ASKPASS_REQUIRE=never");
    if (start->no_buildkit)
        envp[n++] = xstrdup("DOCKER_BUILDKIT=0");
    if (socket) {
        envp[n++] = xasprintf("DOCKER_HOST=unix://%s", socket);
        envp[n++] = xasprintf("CONTAINER_HOST=unix://%s", socket);
        return;
    }
    n = pass(envp, n, where, ARRAY_LEN(where));
    /* Alone, DOCKER_TLS would mean TLS without a check of the certificate. */
    if (str_variable("DOCKER_TLS") && !str_variable("DOCKER_TLS_VERIFY"))
        envp[n++] = xstrdup("DOCKER_TLS_VERIFY=1");
    if (host && !str_variable("CONTAINER_HOST"))
        envp[n] = xasprintf("CONTAINER_HOST=%s", host);
}

/* ---- its start ---- */

/* Runs in the child, which shares our memory until exec. It only does what posix_spawn() would do,
 * and ties the child to its parent, which posix_spawn() cannot do. */
static void become(const struct engine_command_start *start, char *const *envp, pid_t parent)
{
    static const char *const names[] = {"docker", "podman"};
    sigset_t none;

    (void)setsid();
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (start->dies_with_us && (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent))
        return;
    for (int i = 0; i < 3; i++)
        if (dup2(start->streams[i], i) < 0)
            return;
    if (close_range(3, ~0U, 0) < 0)
        return;
    errno = ENOENT;
    for (size_t i = start->place->podmans; i < ARRAY_LEN(names) && errno == ENOENT; i++) {
        start->argv[0] = names[i];
        (void)execvpe(names[i], (char *const *)start->argv, envp);
    }
}

static pid_t spawn(const struct engine_command_start *start, char *const *envp)
{
    volatile int failed = 0;
    sigset_t all, before;
    pid_t parent = getpid();

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = vfork(); /* NOLINT: see become */
    if (pid == 0) {
        become(start, envp, parent); /* NOLINT: it allocates nothing and returns nothing */
        failed = errno;              /* NOLINT: the parent reads it */
        _exit(127);
    }
    int saved = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = pid < 0 ? saved : failed;
    if (pid > 0 && failed) {
        (void)waitpid(pid, NULL, 0);
        errno = failed;
        return -1;
    }
    return pid;
}

int engine_command_start(const struct engine_command_start *start, pid_t *ret_pid, struct err *err)
{
    char *envp[VARIABLES_MAX] = {NULL};

    make_environment(start, envp);
    *ret_pid = spawn(start, envp);
    int why = errno;
    for (size_t i = 0; envp[i]; i++) {
        explicit_bzero(envp[i], strlen(envp[i]));
        free(envp[i]);
    }
    if (*ret_pid >= 0)
        return 0;
    errno = why;
    return why == ENOENT
               ? err_set(err, ERR_UNSUPPORTED, "this needs " ENGINE_COMMANDS ": install it")
               : err_sys(err, "start %s", start->argv[0]);
}

/* ---- its output ---- */

struct reading {
    const struct engine_command *command;
    int fd;
    struct buf line;
};

static void engine_command_take(struct reading *r, struct str bytes)
{
    while (bytes.n) {
        size_t n = 0;
        while (n < bytes.n && bytes.p[n] != '\n' && bytes.p[n] != '\r')
            n++;
        size_t room = LINE_MOST - r->line.n;
        (void)buf_add_str(&r->line, str_slice(bytes, 0, n < room ? n : room));
        if (n == bytes.n)
            return;
        r->command->line(r->command->ctx, buf_str(&r->line));
        buf_clear(&r->line);
        bytes = str_slice(bytes, n + 1, bytes.n);
    }
}

/* Reads all output. Returns false if it was cancelled, or its time is over. */
static bool read_all(struct reading *r)
{
    int64_t until = clock_mono_ms() + r->command->timeout_ms, left;
    struct pollfd polls[] = {{.fd = r->fd, .events = POLLIN},
                             {.fd = r->command->cancel_fd, .events = POLLIN}};
    char bytes[READ_MOST];

    while ((left = until - clock_mono_ms()) > 0) {
        if (poll(polls, 2, left < 60000 ? (int)left : 60000) <= 0)
            continue;
        if (polls[1].revents)
            return false;
        ssize_t n = read(r->fd, bytes, sizeof bytes);
        if (n == 0)
            return true;
        if (n > 0)
            engine_command_take(r, (struct str){bytes, (size_t)n});
    }
    return false;
}

/* ---- its end ---- */

/* It is not reaped: until then no other group can have its number. */
static bool has_ended(pid_t pid)
{
    int64_t until = clock_mono_ms() + END_MS;
    siginfo_t ended = {.si_pid = 0};

    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && !ended.si_pid) {
        if (clock_mono_ms() > until)
            return false;
        (void)nanosleep(&(const struct timespec){.tv_nsec = STEP_NS}, NULL);
    }
    return true;
}

/* A program that closed its output ends by itself. One that is stopped may leave a child, such as
 * docker-buildx, which ends later than docker does. */
static int engine_command_end(pid_t pid, bool kills)
{
    int status = 0;

    if (kills)
        (void)kill(-pid, SIGTERM);
    if (!has_ended(pid) || kills)
        (void)kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int start_reading(const struct engine_command *command, pid_t *ret_pid, int *ret_fd,
                         struct err *err)
{
    AUTO_CLOSE int from = -1;
    AUTO_CLOSE int to = -1;
    AUTO_CLOSE int input = -1;
    int ends[2];

    if (fd_pipe(ends, err) < 0)
        return -1;
    from = ends[0];
    to = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    fd_close(&ends[1]);
    input = command->input < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC)
                               : fcntl(command->input, F_DUPFD_CLOEXEC, 3);
    if (to < 0 || input < 0)
        return err_sys(err, "make a pipe");
    const struct engine_command_start start = {.place = command->place,
                                               .argv = command->argv,
                                               .no_buildkit = command->no_buildkit,
                                               .streams = {input, to, to},
                                               .dies_with_us = true};
    if (engine_command_start(&start, ret_pid, err) < 0)
        return -1;
    *ret_fd = fd_take(&from);
    return 0;
}

int engine_command_run(const struct engine_command *command, int *ret_status, struct err *err)
{
    struct reading r = {.command = command};
    pid_t pid;

    if (start_reading(command, &pid, &r.fd, err) < 0)
        return -1;
    buf_init(&r.line, LINE_MOST);
    bool whole = read_all(&r);
    if (whole && r.line.n)
        command->line(command->ctx, buf_str(&r.line));
    *ret_status = engine_command_end(pid, !whole);
    fd_close(&r.fd);
    buf_done(&r.line);
    return whole
               ? 0
               : err_set(err, ERR_TIMEOUT, "%s %s was stopped", command->argv[0], command->argv[1]);
}
