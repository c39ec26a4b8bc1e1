/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session_link.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

void link_init(struct link *l)
{
    *l = (struct link){
        .to = -1, .from = -1, .guest = {-1, -1}, .poll = -1, .wake = -1, .stop = -1, .cancel = -1};
    /* Room for a cell's input and its code, or for values. */
    buf_init(&l->out, 2 * ((size_t)CELL_FRAME_MAX + 64));
    cell_reader_init(&l->in);
}

static int session_link_watch(int epoll, int op, int fd, uint32_t events)
{
    return epoll_ctl(epoll, op, fd, &(struct epoll_event){.events = events});
}

static int open_pipes(struct link *l, struct err *err)
{
    int down[2], up[2];

    if (fd_pipe_for_guest(down, err) < 0)
        return -1;
    l->guest[0] = down[0];
    l->to = down[1];
    if (fd_pipe_for_guest(up, err) < 0)
        return -1;
    l->from = up[0];
    l->guest[1] = up[1];
    if (fd_nonblock(l->to, true) < 0 || fd_nonblock(l->from, true) < 0)
        return err_sys(err, "open the session's pipes");
    return 0;
}

int link_open(struct link *l, struct err *err)
{
    if (open_pipes(l, err) < 0)
        return -1;
    l->poll = epoll_create1(EPOLL_CLOEXEC);
    l->stop = epoll_create1(EPOLL_CLOEXEC);
    l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->poll < 0 || l->stop < 0 || l->wake < 0 ||
        session_link_watch(l->stop, EPOLL_CTL_ADD, l->wake, EPOLLIN) < 0 ||
        session_link_watch(l->poll, EPOLL_CTL_ADD, l->stop, EPOLLIN) < 0 ||
        session_link_watch(l->poll, EPOLL_CTL_ADD, l->to, 0) < 0 ||
        session_link_watch(l->poll, EPOLL_CTL_ADD, l->from, EPOLLIN) < 0)
        return err_sys(err, "watch the session's pipes");
    return 0;
}

void link_close(struct link *l)
{
    int *fds[] = {&l->to, &l->from, &l->guest[0], &l->guest[1], &l->poll, &l->wake, &l->stop};

    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        fd_close(fds[i]);
    buf_done(&l->out);
    cell_reader_done(&l->in);
    link_init(l);
}

void link_started(struct link *l)
{
    fd_close(&l->guest[1]);
}

int link_adopt(struct link *l, int channel[3], struct err *err)
{
    fd_close(&l->to);
    fd_close(&l->from);
    fd_close(&l->guest[0]);
    l->guest[0] = fd_take(&channel[2]);
    l->to = fd_take(&channel[0]);
    l->from = fd_take(&channel[1]);
    return session_link_watch(l->poll, EPOLL_CTL_ADD, l->to, 0) < 0 ||
                   session_link_watch(l->poll, EPOLL_CTL_ADD, l->from, EPOLLIN) < 0
               ? err_sys(err, "watch the session's pipes")
               : 0;
}

void link_watch(struct link *l, int cancel_fd)
{
    if (l->cancel == cancel_fd)
        return;
    if (l->cancel >= 0)
        (void)session_link_watch(l->stop, EPOLL_CTL_DEL, l->cancel, 0);
    l->cancel = cancel_fd;
    if (cancel_fd >= 0)
        (void)session_link_watch(l->stop, EPOLL_CTL_ADD, cancel_fd, EPOLLIN);
}

void link_wake(struct link *l)
{
    uint64_t one = 1;

    (void)!write(l->wake, &one, sizeof one);
}

void link_rest(struct link *l)
{
    uint64_t count;

    (void)!read(l->wake, &count, sizeof count);
}

/* ---- writing ---- */

int link_put(struct link *l, const char *kind, uint32_t id, struct str bytes, struct err *err)
{
    if (cell_frame_put(&l->out, kind, id, bytes) < 0)
        return err_set(err, ERR_USAGE, "%zu MiB are more than a session accepts at once (%u)",
                       bytes.n >> 20, CELL_FRAME_MAX >> 20);
    return 0;
}

static void wait_for_room(struct link *l, bool on)
{
    if (l->waits == on)
        return;
    l->waits = on;
    (void)session_link_watch(l->poll, EPOLL_CTL_MOD, l->to, on ? EPOLLOUT : 0);
}

void link_flush(struct link *l)
{
    while (l->sent < l->out.n) {
        ssize_t n = write(l->to, l->out.p + l->sent, l->out.n - l->sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        l->sent += (size_t)n;
    }
    bool all = l->sent == l->out.n;
    if (all) {
        l->sent = 0;
        if (l->out.cap > 1u << 20)
            buf_done(&l->out);
        else
            buf_clear(&l->out);
    }
    wait_for_room(l, !all);
}

/* ---- reading ---- */

bool link_receive(struct link *l)
{
    if (l->over)
        return false;
    int got = cell_reader_fill(&l->in, l->from);
    if (got == 0 || (got < 0 && errno == ENOBUFS)) {
        l->over = true; /* otherwise it would stay readable */
        (void)session_link_watch(l->poll, EPOLL_CTL_DEL, l->from, 0);
    }
    return got > 0;
}
