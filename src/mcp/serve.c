/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop: reads the client's lines, and gives finished calls their answers.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/rules.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "mcp/parts.h"

enum {
    THREADS_MAX = 64,
    CHUNK = 64 << 10,
    TICK_MS = 1000,
    UNREAD_MAX =
        1000, /* messages that the client has not read; then nothing more is read from it */
    UNREAD_WAIT_MS = 20,
    FINISH_MS = 10000, /* for running calls, and for their answers, after the last request */
    FLUSH_MS = 1000,   /* for answers, after a signal */
    ABOUT_MAX = 64 << 10,
};

struct loop {
    struct mcp_server *server;
    struct rpc_lines lines;
    bool ended;        /* the client's input */
    int64_t finish_at; /* then running calls are cancelled */
};

/* ---- the parts ---- */

static int open_events(struct mcp_server *s, struct err *err)
{
    s->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->broken_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return s->done_fd < 0 || s->broken_fd < 0 ? err_sys(err, "make an event descriptor") : 0;
}

static int describe(struct mcp_server *s, struct err *err)
{
    char *const *offered = s->options->languages;

    if (rules_add(&s->about, &s->base, err) < 0)
        return -1;
    for (size_t i = 0; offered && offered[i]; i++)
        (void)buf_addf(&s->about, "%s%s%s", i ? ", " : "- The languages are: ", offered[i],
                       offered[i + 1] ? "" : ".\n");
    for (char *const *shown = s->base.ro; shown && *shown; shown++)
        (void)buf_addf(&s->about, "- Readable inside: %s\n", *shown);
    return 0;
}

static int open_server(struct mcp_server *s, const struct mcp_options *options, struct err *err)
{
    const struct backend_pool_options pool = {0};

    *s = (struct mcp_server){.options = options,
                             .rules = {.defaults = options->settings},
                             .level = LEVEL_NONE,
                             .done_fd = -1,
                             .broken_fd = -1};
    buf_init(&s->about, ABOUT_MAX);
    if (settings_request(options->settings, &s->base, err) < 0 || describe(s, err) < 0 ||
        open_events(s, err) < 0 || backend_pool_open(&pool, &s->pool, err) < 0 ||
        mcp_out_open(options->out_fd, s->broken_fd, options->message_max, &s->out, err) < 0)
        return -1;
    s->workers = mcp_workers_open(THREADS_MAX, s->done_fd);
    s->kept = kept_new();
    s->sessions = mcp_sessions(s);
    sessions_limit(s->sessions, &(struct session_ceilings){.sessions = options->sessions_max,
                                                           .memory_bytes = UINT64_MAX,
                                                           .owners = 1});
    return 0;
}

static void close_server(struct mcp_server *s, int patience_ms)
{
    if (s->workers) {
        mcp_workers_close(s->workers);
        sessions_free(s->sessions);
        kept_free(s->kept);
        mcp_out_close(s->out, patience_ms);
    }
    backend_pool_close(s->pool);
    buf_done(&s->about);
    fd_close(&s->done_fd);
    fd_close(&s->broken_fd);
}

/* ---- the loop ---- */

static void on_line(void *ctx, struct str line)
{
    mcp_receive(((struct loop *)ctx)->server, line);
}

static void read_some(struct loop *l)
{
    char chunk[CHUNK];
    ssize_t n = read(l->server->options->in_fd, chunk, sizeof chunk);

    if (n > 0) {
        rpc_lines_feed(&l->lines, (struct str){chunk, (size_t)n});
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        rpc_lines_end(&l->lines);
        l->ended = true;
        l->finish_at = clock_mono_ms() + FINISH_MS;
    }
}

static void end_now(struct mcp_server *s)
{
    struct mcp_call *next;

    if (s->ending)
        return;
    s->ending = true;
    for (struct mcp_call *call = s->calls; call; call = next) {
        next = call->next;
        mcp_call_cancel(call);
    }
    sessions_close_all(s->sessions);
}

static void deliver(struct mcp_server *s)
{
    uint64_t count;

    (void)!read(s->done_fd, &count, sizeof count);
    mcp_workers_deliver(s->workers);
}

static int patience(const struct loop *l, bool reads)
{
    struct session_totals totals;

    sessions_totals(l->server->sessions, &totals);
    if (!reads && !l->ended)
        return UNREAD_WAIT_MS;
    return totals.count || l->ended ? TICK_MS : -1;
}

static bool wants_end(const struct loop *l, const struct pollfd *fds)
{
    if (fds[2].revents || fds[3].revents || fds[4].revents & (POLLERR | POLLHUP))
        return true;
    return l->ended && (!l->server->calls || clock_mono_ms() >= l->finish_at);
}

/* A client that is killed closes both of its ends; one that has nothing more to ask, only its
 * input. */
static void step(struct loop *l)
{
    struct mcp_server *s = l->server;
    bool reads = !l->ended && !s->ending && mcp_out_waiting(s->out) < UNREAD_MAX;
    struct pollfd fds[] = {{.fd = reads ? s->options->in_fd : -1, .events = POLLIN},
                           {.fd = s->done_fd, .events = POLLIN},
                           {.fd = s->ending ? -1 : s->options->quit_fd, .events = POLLIN},
                           {.fd = s->ending ? -1 : s->broken_fd, .events = POLLIN},
                           {.fd = s->ending ? -1 : s->options->out_fd, .events = 0}};

    if (poll(fds, ARRAY_LEN(fds), patience(l, reads)) < 0)
        return;
    if (fds[0].revents)
        read_some(l);
    if (fds[1].revents)
        deliver(s);
    if (wants_end(l, fds))
        end_now(s);
    sessions_tick(s->sessions, clock_mono_ms());
}

int mcp_serve(const struct mcp_options *options, struct err *err)
{
    struct mcp_server server;
    struct loop loop = {.server = &server};
    int status = open_server(&server, options, err);

    if (status == 0) {
        rpc_lines_init(&loop.lines, RPC_LINE_MAX, on_line, &loop);
        while (!server.ending || server.calls || sessions_any(server.sessions))
            step(&loop);
        rpc_lines_done(&loop.lines);
    }
    close_server(&server, loop.ended ? FINISH_MS : FLUSH_MS);
    return status;
}
