/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/cancel.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

static int pipe_end = -1;
static volatile sig_atomic_t stopped_by;

static void on_signal(int sig)
{
    int saved = errno;

    stopped_by = sig;
    (void)!write(pipe_end, "", 1);
    errno = saved;
}

int cancel_catch_signals(int ret_pipe[2], struct err *err)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal}, old;

    if (fd_pipe(ret_pipe, err) < 0)
        return -1;
    pipe_end = ret_pipe[1];
    (void)fd_nonblock(pipe_end, true);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* if a log may not grow further, it loses a line, nothing more */
    return 0;
}

int cancel_signal(void)
{
    return stopped_by;
}

void cancel_drain(int fd)
{
    char some[64];
    struct pollfd p = {.fd = fd, .events = POLLIN};

    while (poll(&p, 1, 0) > 0 && read(fd, some, sizeof some) > 0)
        continue;
}
