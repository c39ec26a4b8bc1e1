/* SPDX-License-Identifier: Apache-2.0
 *
 * --end-with: a daemon that stops when another process ends. The kernel reports the end of that
 * process through a pidfd, even after SIGKILL, and never confuses it with a later process that has
 * the same number.
 */
#include <errno.h>
#include <event2/event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "server/server.h"

static void on_end(evutil_socket_t fd, short what, void *ctx)
{
    struct server *server = ctx;

    (void)fd;
    (void)what;
    server_say(server, "the process of --end-with has ended");
    server_stop(server, -1);
}

int server_watch_process(struct server *server, struct err *err)
{
    int process = (int)server->config->settings.end_with;

    if (!process)
        return 0;
    server->process_fd = (int)syscall(SYS_pidfd_open, process, 0);
    if (server->process_fd < 0 && errno == ESRCH)
        return err_set(err, ERR_USAGE, "--end-with %d: there is no such process", process);
    if (server->process_fd < 0)
        return err_sys(err, "watch process %d of --end-with", process);
    server->end_of_process = event_new(server->base, server->process_fd, EV_READ, on_end, server);
    if (!server->end_of_process || event_add(server->end_of_process, NULL) < 0)
        return err_set(err, ERR_SYSTEM, "--end-with %d: cannot create an event for the process",
                       process);
    return 0;
}

void server_unwatch_process(struct server *server)
{
    if (server->end_of_process)
        event_free(server->end_of_process);
    fd_close(&server->process_fd);
}
