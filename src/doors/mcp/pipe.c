/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/pipe.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

enum {
    THREADS_MAX = 64,
    CHUNK = 64 << 10,
    TICK_MS = 1000,
    UNREAD_MAX = 1000, /* answers that the client has not read */
    UNREAD_BYTES_MAX = 64 << 20,
    UNREAD_WAIT_MS = 20,
    FINISH_MS =
        10000,       /* after the end of the input: time for calls and their answers; MCP_STOPPED */
    FLUSH_MS = 1000, /* after a signal: time to write answers */
};

/* ---- life ---- */

static void pipe_on_line(void *ctx, struct str line)
{
    const struct mcp_pipe *p = ctx;

    p->owner->line(p->ctx, line);
}

int mcp_pipe_open(struct mcp_pipe *p, struct err *err)
{
    rpc_lines_init(&p->lines, RPC_LINE_MAX, pipe_on_line, p);
    p->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->broken_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (p->done_fd < 0 || p->broken_fd < 0)
        return err_sys(err, "make an event descriptor");
    if (mcp_out_open(p->out_fd, p->broken_fd, &p->out, err) < 0)
        return -1;
    p->workers = mcp_workers_open(THREADS_MAX, p->done_fd);
    return 0;
}

void mcp_pipe_close(struct mcp_pipe *p)
{
    if (p->workers) {
        mcp_workers_close(p->workers);
        mcp_out_close(p->out, p->ended ? FINISH_MS : FLUSH_MS);
    }
    rpc_lines_done(&p->lines);
    fd_close(&p->done_fd);
    fd_close(&p->broken_fd);
}

/* ---- sending ---- */

void mcp_pipe_send(const struct mcp_pipe *p, char *line)
{
    mcp_out_send(p->out, line);
}

static bool mcp_pipe_is_full(const struct mcp_pipe *p)
{
    size_t bytes;

    return mcp_out_waiting(p->out, &bytes) >= UNREAD_MAX || bytes >= UNREAD_BYTES_MAX;
}

void mcp_pipe_wait(const struct mcp_pipe *p, const atomic_bool *stopped)
{
    const struct timespec step = {.tv_nsec = UNREAD_WAIT_MS * 1000 * 1000};

    while (mcp_pipe_is_full(p) && !*stopped)
        nanosleep(&step, NULL);
}

/* ---- the loop ---- */

static void read_some(struct mcp_pipe *p)
{
    char chunk[CHUNK];
    ssize_t n = read(p->in_fd, chunk, sizeof chunk);

    if (n > 0) {
        rpc_lines_feed(&p->lines, (struct str){chunk, (size_t)n});
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        rpc_lines_end(&p->lines);
        p->ended = true;
        p->finish_at = clock_mono_ms() + FINISH_MS;
    }
}

static void deliver(struct mcp_pipe *p)
{
    uint64_t count;

    (void)!read(p->done_fd, &count, sizeof count);
    mcp_workers_deliver(p->workers);
}

static bool wants_end(const struct mcp_pipe *p, const struct pollfd *fds)
{
    if (fds[2].revents || fds[3].revents || fds[4].revents & (POLLERR | POLLHUP))
        return true;
    return p->ended && (!p->owner->is_busy(p->ctx) || clock_mono_ms() >= p->finish_at);
}

static void pipe_stop(struct mcp_pipe *p)
{
    if (p->stopping)
        return;
    p->stopping = true;
    p->owner->stop(p->ctx);
}

static int patience(const struct mcp_pipe *p, bool reads, bool time_matters)
{
    if (!reads && !p->ended)
        return UNREAD_WAIT_MS;
    return time_matters || p->ended ? TICK_MS : -1;
}

/* One round of the loop; returns what `tick` returned. A killed client closes both of its ends. A
 * client without further requests closes only its writing end, and its answers are still sent. */
static bool step(struct mcp_pipe *p, bool time_matters)
{
    bool reads = !p->ended && !p->stopping && !mcp_pipe_is_full(p);
    struct pollfd fds[] = {{.fd = reads ? p->in_fd : -1, .events = POLLIN},
                           {.fd = p->done_fd, .events = POLLIN},
                           {.fd = p->stopping ? -1 : p->quit_fd, .events = POLLIN},
                           {.fd = p->stopping ? -1 : p->broken_fd, .events = POLLIN},
                           {.fd = p->stopping ? -1 : p->out_fd, .events = 0}};

    if (poll(fds, ARRAY_LEN(fds), patience(p, reads, time_matters)) < 0)
        return time_matters;
    if (fds[0].revents)
        read_some(p);
    if (fds[1].revents)
        deliver(p);
    if (wants_end(p, fds))
        pipe_stop(p);
    return p->owner->tick && p->owner->tick(p->ctx);
}

void mcp_pipe_run(struct mcp_pipe *p)
{
    bool time_matters = false;

    while (!p->stopping || time_matters || p->owner->is_busy(p->ctx))
        time_matters = step(p, time_matters);
}
