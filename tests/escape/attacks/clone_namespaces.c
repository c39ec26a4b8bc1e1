// SPDX-License-Identifier: Apache-2.0
// source: CVE-2022-24122's kind: clone and clone3 make namespaces too, clone3 behind a pointer
// stopped-by: seccomp
// expect: EPERM ENOSYS
// then: landlock
// expect-then: EPERM
// denied: clone(CLONE_NEWUSER)
#include "attack.h"
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

/* In the child, whoever it is: the kernel gave a namespace; does it give a mount? */
static void as_child(void)
{
    if (mount("none", "/tmp", "tmpfs", 0, NULL) == 0)
        escaped("mounted");
    _exit(errno);
}

int main(void)
{
    unsigned long args[11] = {CLONE_NEWUSER | CLONE_NEWNS, 0, 0, 0, SIGCHLD};
    int status = 0, errors[2];
    long pids[2];

    pids[0] = syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0);
    errors[0] = errno;
    if (pids[0] == 0)
        as_child();
    pids[1] = syscall(SYS_clone3, args, sizeof args);
    errors[1] = errno;
    if (pids[1] == 0)
        as_child();
    for (int i = 0; i < 2; i++) {
        if (pids[i] > 0 && waitpid((pid_t)pids[i], &status, 0) > 0)
            errors[i] = WEXITSTATUS(status);
        if (!errors[i])
            escaped("namespace %d", i);
    }
    errno = errors[0];
    held_errno();
}
