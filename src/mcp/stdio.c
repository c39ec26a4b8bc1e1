/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop: reads the client's lines, and gives finished calls their answers.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "mcp/stdio_parts.h"

enum {
    THREADS_MAX = 64,
    CHUNK = 64 << 10,
    TICK_MS = 1000,
    UNREAD_WAIT_MS = 20,
    FINISH_MS = 10000, /* for running calls, and for their answers, after the last request */
    FLUSH_MS = 1000,   /* for answers, after a signal */
};

struct loop {
    struct stdio_server *server;
    struct rpc_lines lines;
    bool ended;        /* the client's input */
    bool leaves;       /* another server takes the rest */
    int64_t finish_at; /* then running calls are cancelled */
};

/* ---- the parts ---- */

static int open_events(struct stdio_server *s, struct err *err)
{
    s->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->broken_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return s->done_fd < 0 || s->broken_fd < 0 ? err_sys(err, "make an event descriptor") : 0;
}

static void send_line(void *ctx, char *line)
{
    const struct stdio_server *s = ctx;

    if (s->mute)
        free(line);
    else
        mcp_out_send(s->out, line);
}

static void open_client(struct stdio_server *s)
{
    s->dialog = (struct mcp_dialog){
        .client = {.host = &stdio_host,
                   .ctx = s,
                   .service = &s->service,
                   .sessions = stdio_sessions(s),
                   .kept = kept_new(),
                   .owner = "",
                   .keeper = "",
                   .level = LEVEL_NONE},
        .message_max = s->options->message_max,
        .send = send_line,
        .ctx = s,
    };
    sessions_limit(s->dialog.client.sessions,
                   &(struct session_ceilings){.sessions = s->options->sessions_max,
                                              .memory_bytes = UINT64_MAX,
                                              .owners = 1});
}

static int open_server(struct stdio_server *s, const struct mcp_options *options, struct err *err)
{
    const struct backend_pool_options pool = {0};

    *s = (struct stdio_server){.options = options,
                               .rules = {.defaults = options->settings},
                               .done_fd = -1,
                               .broken_fd = -1};
    if (mcp_service_open(&s->service, &s->rules, options->languages, options->idle_ms, err) < 0 ||
        open_events(s, err) < 0 || backend_pool_open(&pool, &s->pool, err) < 0 ||
        mcp_out_open(options->out_fd, s->broken_fd, &s->out, err) < 0)
        return -1;
    s->workers = mcp_workers_open(THREADS_MAX, s->done_fd);
    open_client(s);
    return 0;
}

static void close_server(struct stdio_server *s, int patience_ms)
{
    if (s->workers) {
        mcp_workers_close(s->workers);
        sessions_free(s->dialog.client.sessions);
        kept_free(s->dialog.client.kept);
        mcp_out_close(s->out, patience_ms);
    }
    backend_pool_close(s->pool);
    mcp_service_close(&s->service);
    fd_close(&s->done_fd);
    fd_close(&s->broken_fd);
}

/* ---- the loop ---- */

static bool has_nothing(const struct stdio_server *s)
{
    const struct mcp_client *client = &s->dialog.client;

    return !client->calls && !sessions_any(client->sessions) && !kept_any(client->kept);
}

static bool may_leave(const struct loop *l)
{
    const struct stdio_server *s = l->server;

    return s->options->leave && !s->mute && !s->ending && has_nothing(s) &&
           s->options->leave(s->options->ctx);
}

static void on_line(void *ctx, struct str line)
{
    struct loop *l = ctx;
    const struct mcp_options *options = l->server->options;

    l->leaves = l->leaves || (line.p && may_leave(l));
    if (l->leaves) {
        (void)buf_add_str(options->left, line);
        (void)buf_addc(options->left, '\n');
        return;
    }
    if (options->seen && line.p)
        options->seen(options->ctx, line);
    mcp_dialog_receive(&l->server->dialog, line, RPC_LINE_MAX);
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

static void end_now(struct stdio_server *s)
{
    if (s->ending)
        return;
    s->ending = true;
    mcp_client_cancel_all(&s->dialog.client);
    sessions_close_all(s->dialog.client.sessions);
}

static void deliver(struct stdio_server *s)
{
    uint64_t count;

    (void)!read(s->done_fd, &count, sizeof count);
    mcp_workers_deliver(s->workers);
}

static int patience(const struct loop *l, bool reads)
{
    struct session_totals totals;

    sessions_totals(l->server->dialog.client.sessions, &totals);
    if (!reads && !l->ended)
        return UNREAD_WAIT_MS;
    return totals.count || l->ended ? TICK_MS : -1;
}

static bool wants_end(const struct loop *l, const struct pollfd *fds)
{
    if (fds[2].revents || fds[3].revents || fds[4].revents & (POLLERR | POLLHUP))
        return true;
    return l->ended && (!l->server->dialog.client.calls || clock_mono_ms() >= l->finish_at);
}

/* A client that is killed closes both of its ends; one that has nothing more to ask, only its
 * input. */
static void step(struct loop *l)
{
    struct stdio_server *s = l->server;
    bool reads = !l->ended && !s->ending && !stdio_is_full(s);
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
    sessions_tick(s->dialog.client.sessions, clock_mono_ms());
}

static bool is_over(const struct stdio_server *s)
{
    return !s->dialog.client.calls && !sessions_any(s->dialog.client.sessions);
}

static void resume(struct loop *l)
{
    const struct mcp_options *options = l->server->options;

    l->server->mute = true;
    rpc_lines_feed(&l->lines, options->earlier);
    l->server->mute = false;
    rpc_lines_feed(&l->lines, options->begun);
}

int mcp_serve(const struct mcp_options *options, struct err *err)
{
    struct stdio_server server;
    struct loop loop = {.server = &server};
    int status = open_server(&server, options, err);

    if (status == 0) {
        rpc_lines_init(&loop.lines, RPC_LINE_MAX, on_line, &loop);
        resume(&loop);
        while (!loop.leaves && (!server.ending || !is_over(&server)))
            step(&loop);
        if (loop.leaves)
            (void)buf_add_str(options->left, buf_str(&loop.lines.held));
        rpc_lines_done(&loop.lines);
    }
    close_server(&server, loop.ended || loop.leaves ? FINISH_MS : FLUSH_MS);
    return status < 0 ? -1 : loop.leaves;
}
