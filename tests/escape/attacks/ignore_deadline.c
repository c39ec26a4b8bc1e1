// SPDX-License-Identifier: Apache-2.0
// source: judges' lore: block and catch every signal, spin in threads and in children
// stopped-by: supervisor
// alone: SIGKILL of pid 1, or of the group, cannot be caught
// ends: timed_out
// args: --timeout 1s
#include "attack.h"
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

static void *spin(void *unused)
{
    for (volatile unsigned long n = 0;; n++)
        ;
    return unused;
}

int main(void)
{
    sigset_t all;
    pthread_t thread;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    prctl(PR_SET_PDEATHSIG, 0);
    for (int sig = 1; sig < 65; sig++)
        signal(sig, SIG_IGN);
    if (fork() == 0)
        setsid();
    pthread_create(&thread, NULL, spin, NULL);
    spin(NULL);
}
