// SPDX-License-Identifier: Apache-2.0
// source: pthread_create(3) until it fails: threads are tasks and count like processes
// stopped-by: pids
// then: rlimits
// expect: EAGAIN
// args: --pids 32 --timeout 5s
#include "attack.h"
#include <pthread.h>

static void *wait_here(void *unused)
{
    pause();
    return unused;
}

int main(void)
{
    pthread_t thread;

    for (int count = 0; count < 500; count++) {
        errno = pthread_create(&thread, NULL, wait_here, NULL);
        if (errno)
            held_errno();
    }
    escaped("500 threads");
}
