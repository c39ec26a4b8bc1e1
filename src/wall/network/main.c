/* SPDX-License-Identifier: Apache-2.0
 *
 * glovebox-net: the small program through which a guest reaches what its rules name.
 *
 *   guest, in a network namespace of its own
 *     | connects to any address: one local route leads all of them to listeners that the jail's
 *     | init made inside (inside/network.c)
 *   glovebox-net, in the host's network: one for a daemon or a command
 *     | resolves the name, checks the address, connects
 *   the server
 *
 * The guest has no socket of the host's network, and the listeners that glovebox-net holds are of
 * the guest's network: so nothing leaves but what is copied here. There is no tunnel, no packet
 * filter, and no part of ours inside. Programs need not know of it: names get addresses from our
 * name server (answer.c), and the address at which a connection arrives says which name was meant.
 *
 * A secret that is put on outside, or HTTPS that is opened, would come between the check of the
 * first bytes and the copying (conn_check in carry.c).
 */
#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "network/lock.h"
#include "network/lookup.h"
#include "network/loop.h"
#include "network/side.h"

enum { WRONG_USE = 2 };

static bool library_gone;

static void library_ready(struct watched *w, uint32_t events)
{
    int fds[FD_MSG_MAX];
    size_t count = 0;
    char byte;

    (void)events;
    ssize_t n = fd_recv(w->fd, &byte, sizeof byte, fds, &count, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0 && count == 1)
        side_new(fd_take(&fds[--count]));
    while (count)
        fd_close(&fds[--count]);
    if (n > 0)
        return;
    library_gone = true;
    loop_forget(w);
}

static bool is_done(void)
{
    return library_gone && !sides_any();
}

int main(int argc, char **argv)
{
    static struct watched library = {.fd = STDIN_FILENO, .ready = library_ready};
    int type;
    socklen_t n = sizeof type;

    (void)argv;
    if (argc != 1 || getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &n) < 0) {
        fputs("glovebox-net is a part of glovebox and is started by it\n", stderr);
        return WRONG_USE;
    }
    (void)close(STDOUT_FILENO); /* the same socket */
    fd_raise_limit();
    loop_open();
    lookup_open(carry_answered);
    loop_watch(&library, EPOLLIN);
    lock_down();
    loop_run(is_done, sides_need_ticks, sides_tick);
    _exit(0);
}
