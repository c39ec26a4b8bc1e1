// SPDX-License-Identifier: Apache-2.0
// source: clone(2): children without an exit signal, and CLONE_PARENT, escape a plain wait()
// stopped-by: pidns
// expect: started
// then: supervisor
#include "attack.h"
#include <sched.h>
#include <signal.h>

static void linger(void)
{
    for (int sig = 1; sig < 65; sig++)
        signal(sig, SIG_IGN);
    setsid();
    close(0);
    close(1);
    close(2);
    sleep(20);
    _exit(0);
}

static void start(unsigned long flags)
{
    if (syscall(SYS_clone, flags, 0, 0, 0, 0) == 0)
        linger();
}

int main(void)
{
    start(0);                      /* no signal at its end: wait() needs __WALL */
    start(SIGUSR1);                /* another one */
    start(CLONE_PARENT | SIGCHLD); /* a sibling: init's own child */
    if (fork() == 0) {
        start(CLONE_PARENT);
        start(0);
        _exit(0);
    }
    usleep(50000);
    held("started");
}
