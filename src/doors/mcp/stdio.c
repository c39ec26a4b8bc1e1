/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "mcp/stdio_parts.h"
#include "registry/registry.h"

/* ---- the client ---- */

static void stdio_on_line(void *ctx, struct str line)
{
    struct stdio_server *s = ctx;

    mcp_dialog_receive(&s->dialog, line);
}

static bool is_busy(void *ctx)
{
    const struct stdio_server *s = ctx;

    return s->dialog.client.calls || s->roots.looking;
}

static void stdio_stop(void *ctx)
{
    struct stdio_server *s = ctx;

    mcp_client_stop_all(&s->dialog.client);
    stdio_roots_stop(s);
    sessions_close_all(s->dialog.client.sessions);
}

static bool tick(void *ctx)
{
    struct stdio_server *s = ctx;
    bool waits = stdio_roots_tick(s);

    sessions_tick(s->dialog.client.sessions, clock_mono_ms());
    return sessions_any(s->dialog.client.sessions) || waits;
}

static const struct mcp_pipe_owner owner = {
    .line = stdio_on_line, .is_busy = is_busy, .stop = stdio_stop, .tick = tick};

static void send_line(void *ctx, char *line)
{
    const struct stdio_server *s = ctx;

    mcp_pipe_send(&s->pipe, line);
}

static void open_client(struct stdio_server *s)
{
    s->dialog = (struct mcp_dialog){
        .client = {.host = &stdio_host,
                   .ctx = s,
                   .service = &s->scene->service,
                   .sessions = stdio_sessions(s),
                   .kept = kept_new(),
                   .owner = "",
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

/* ---- life ---- */

static int open_server(struct stdio_server *s, struct err *err)
{
    const struct backend_pool_options pool = {0};

    if (mcp_pipe_open(&s->pipe, err) < 0 || !(s->plain = stdio_scene_new(s->options, NULL, err)) ||
        backend_pool_open(backends, &pool, &s->pool, err) < 0)
        return -1;
    s->scene = stdio_scene_hold(s->plain);
    stdio_roots_open(s);
    open_client(s);
    return 0;
}

int mcp_serve(const struct mcp_options *options, struct err *err)
{
    struct stdio_server s = {.options = options};

    s.pipe = (struct mcp_pipe){.owner = &owner,
                               .ctx = &s,
                               .in_fd = options->in_fd,
                               .out_fd = options->out_fd,
                               .quit_fd = options->quit_fd};
    int status = open_server(&s, err);
    if (status == 0)
        mcp_pipe_run(&s.pipe);
    mcp_pipe_close(&s.pipe);
    if (status == 0) {
        sessions_free(s.dialog.client.sessions);
        kept_free(s.dialog.client.kept);
    }
    backend_pool_close(s.pool);
    stdio_roots_close(&s);
    stdio_scene_drop(s.scene);
    stdio_scene_drop(s.plain);
    return status;
}
