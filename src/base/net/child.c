/* SPDX-License-Identifier: Apache-2.0 */
#include "net/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/spawn.h"

/* Returns a NULL-terminated array; the caller frees it and its strings. */
static char **make_environment(const char *const *names)
{
    size_t n = 0, at = 0;

    while (names[n])
        n++;
    char **envp = xcalloc(n + 1, sizeof *envp);
    for (size_t i = 0; i < n; i++) {
        const char *value = getenv(names[i]);
        if (value)
            envp[at++] = xasprintf("%s=%s", names[i], value);
    }
    return envp;
}

static void free_environment(char **envp)
{
    for (size_t i = 0; envp[i]; i++)
        free(envp[i]);
    free(envp);
}

static int spawn(const struct child_program *program, int theirs, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    char **envp = make_environment(program->variables);

    spawn_plainly(&attr);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    /* Our caller may have left descriptors open that the program must not have. */
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    int failed =
        posix_spawnp(ret_pid, program->path, &actions, &attr, (char **)program->argv, envp);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    free_environment(envp);
    return failed;
}

/* Makes a socket pair without descriptors 0 and 1: the child would overwrite these with dup2 before
 * it uses them. */
static int make_pair(int *ret_ours, int *ret_theirs)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    *ret_ours = pair[0];
    *ret_theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 3);
    fd_close(&pair[1]);
    return *ret_theirs < 0 ? -1 : 0;
}

int child_start(const struct child_program *program, pid_t *ret_pid, int *ret_fd, struct err *err)
{
    AUTO_CLOSE int ours = -1;
    AUTO_CLOSE int theirs = -1;

    if (make_pair(&ours, &theirs) < 0)
        return err_sys(err, "make a socket for %s", program->path);
    int failed = spawn(program, theirs, ret_pid);
    if (failed) {
        errno = failed;
        return err_sys(err, "start %s", program->path);
    }
    *ret_fd = fd_take(&ours);
    return 0;
}
