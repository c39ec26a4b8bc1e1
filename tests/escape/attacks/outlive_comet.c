// SPDX-License-Identifier: Apache-2.0
// source: "comet" fork: each process forks the next and exits, so that whoever lists them is late
// stopped-by: pidns
// expect: started
// then: supervisor
#include "attack.h"
#include <signal.h>
#include <time.h>

static time_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

int main(void)
{
    time_t end = now() + 15; /* where no wall stops it, it stops itself */

    for (int tail = 0; tail < 4; tail++) {
        if (fork() != 0)
            continue;
        signal(SIGCHLD, SIG_IGN);
        while (now() < end) {
            pid_t next = fork();
            if (next > 0)
                _exit(0);
            if (next == 0)
                setsid();
        }
        _exit(0);
    }
    usleep(50000);
    held("started");
}
