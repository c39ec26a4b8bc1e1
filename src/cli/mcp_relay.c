/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_relay.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "console/report.h"
#include "console/run_remote.h"
#include "mcp/out.h"
#include "net/place.h"

enum {
    CHUNK = 64 << 10,
    UNSENT_MAX = 1 << 20,       /* bytes for the daemon; beyond that, nothing is read */
    UNREAD_MAX = 8 << 20,       /* bytes of answers; the same */
    ANSWER_LINE_MAX = 80 << 20, /* a daemon's answers have up to 64 MiB */
    AGAIN_MAX = 256 << 20,
    TICK_MS = 1000,
    UNREAD_WAIT_MS = 20,
    LOOK_AFTER_MS = 5000, /* without a word while requests wait */
    LOOK_EVERY_MS = 30000,
    FINISH_MS = 10000, /* for running calls, after the last request */
    FLUSH_MS = 1000,   /* for answers, after a signal */
    LOST_MS = 2000,    /* until the next daemon is looked for */
};

/* ---- lines ---- */

static void send_answer(const struct mcp_relay *r, json_t *message)
{
    mcp_out_send(r->out, rpc_text(message, SIZE_MAX));
}

static void refuse_long(const struct mcp_relay *r)
{
    struct rpc_problem problem;

    (void)rpc_problem_set(&problem, RPC_PARSE, "the message is longer than %d MiB",
                          RPC_LINE_MAX >> 20);
    send_answer(r, rpc_error(NULL, &problem));
}

static void on_client_line(void *ctx, struct str line)
{
    struct mcp_relay *r = ctx;

    if (!line.p) {
        refuse_long(r);
        return;
    }
    if (!r->pending.first)
        r->heard_ms = clock_mono_ms();
    mcp_pending_ask(&r->pending, line);
    (void)buf_add_str(&r->to_daemon, line);
    (void)buf_addc(&r->to_daemon, '\n');
}

static void on_daemon_line(void *ctx, struct str line)
{
    struct mcp_relay *r = ctx;

    if (!line.p)
        return;
    if (r->repeated) {
        r->repeated--;
        return;
    }
    mcp_out_send(r->out, mcp_pending_answer(&r->pending, line));
}

/* ---- the client's end ---- */

static void read_client(struct mcp_relay *r)
{
    char chunk[CHUNK];
    ssize_t n = read(r->in_fd, chunk, sizeof chunk);

    if (n > 0) {
        rpc_lines_feed(&r->from_client, (struct str){chunk, (size_t)n});
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        rpc_lines_end(&r->from_client);
        r->ended = true;
        r->finish_at = clock_mono_ms() + FINISH_MS;
    }
}

/* ---- the daemon's end ---- */

static int lose(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "the daemon has ended");
}

static bool is_later(void)
{
    return errno == EAGAIN || errno == EINTR;
}

static int write_daemon(struct mcp_relay *r, struct err *err)
{
    ssize_t n = send(r->client.fd, r->to_daemon.p, r->to_daemon.n, MSG_NOSIGNAL);

    if (n < 0)
        return is_later() ? 0 : lose(err);
    buf_drop(&r->to_daemon, (size_t)n);
    return 0;
}

static int read_daemon(struct mcp_relay *r, struct err *err)
{
    char chunk[CHUNK];
    ssize_t n = recv(r->client.fd, chunk, sizeof chunk, 0);

    if (n <= 0)
        return n < 0 && is_later() ? 0 : lose(err);
    r->heard_ms = clock_mono_ms();
    r->patience_ms = LOOK_AFTER_MS;
    rpc_lines_feed(&r->from_daemon, (struct str){chunk, (size_t)n});
    return 0;
}

/* A long call is silent for long; a daemon that is stopped never answers. */
static int look_after(struct mcp_relay *r, struct err *err)
{
    if (!r->pending.first || clock_mono_ms() < r->heard_ms + r->patience_ms)
        return 0;
    int result = remote_look(r->settings, &r->client, err);
    r->heard_ms = clock_mono_ms();
    r->patience_ms = LOOK_EVERY_MS;
    return result;
}

/* ---- the loop ---- */

static void end_now(struct mcp_relay *r, int64_t flush_ms)
{
    r->over = true;
    r->flush_ms = flush_ms;
}

static int patience(const struct mcp_relay *r, bool is_full)
{
    if (is_full)
        return UNREAD_WAIT_MS;
    return r->pending.first || r->ended ? TICK_MS : -1;
}

static int step(struct mcp_relay *r, struct err *err)
{
    size_t unread;
    bool is_full = mcp_out_waiting(r->out, &unread) && unread > UNREAD_MAX;
    bool reads = !r->ended && r->to_daemon.n < UNSENT_MAX;
    short events = (short)((is_full ? 0 : POLLIN) | (r->to_daemon.n ? POLLOUT : 0));
    struct pollfd fds[] = {{.fd = r->client.fd, .events = events},
                           {.fd = reads ? r->in_fd : -1, .events = POLLIN},
                           {.fd = r->quit_fd, .events = POLLIN},
                           {.fd = r->broken_fd, .events = POLLIN},
                           {.fd = r->out_fd, .events = 0}};

    if (poll(fds, ARRAY_LEN(fds), patience(r, is_full)) < 0)
        return errno == EINTR ? 0 : err_sys(err, "wait for the client");
    if (fds[2].revents || fds[3].revents || fds[4].revents & (POLLERR | POLLHUP)) {
        end_now(r, FLUSH_MS);
        return 0;
    }
    /* First, so that no call is sent to a daemon that has ended. */
    if (fds[0].revents & (POLLIN | POLLHUP | POLLERR) && !is_full && read_daemon(r, err) < 0)
        return -1;
    if (fds[1].revents)
        read_client(r);
    if (r->to_daemon.n && write_daemon(r, err) < 0)
        return -1;
    if (r->ended && !r->to_daemon.n && (!r->pending.first || clock_mono_ms() >= r->finish_at))
        end_now(r, FINISH_MS);
    return look_after(r, err);
}

/* ---- the daemon is lost ---- */

static void answer_lost(const struct mcp_relay *r, const json_t *lost)
{
    struct rpc_problem problem;
    const json_t *id;
    size_t i;

    json_array_foreach(lost, i, id)
    {
        (void)rpc_problem_set(&problem, RPC_INTERNAL,
                              "the daemon ended before it answered; the call may have run, and is "
                              "not repeated");
        send_answer(r, rpc_error(id, &problem));
    }
}

static int lost(struct mcp_relay *r, struct err *err)
{
    AUTO_FREE char *name = place_name(r->settings->daemon);

    fd_close(&r->client.fd); /* a daemon that was only stopped ends the calls */
    r->look_at = clock_mono_ms() + LOST_MS;
    buf_done(&r->earlier);
    buf_init(&r->earlier, AGAIN_MAX);
    mcp_pending_choices(&r->pending, &r->earlier);
    json_t *ids = mcp_pending_lost(&r->pending, &r->begun);
    answer_lost(r, ids);
    json_decref(ids);
    (void)buf_add_str(&r->begun, buf_str(&r->from_client.held));
    if (!strstr(err->msg, name))
        err_wrap(err, "%s", name);
    if (r->settings->daemon)
        return -1;
    AUTO_FREE char *line =
        xasprintf("%s; its sessions are lost, and new sandboxes are in this process", err->msg);
    report_complain(line);
    return 0;
}

/* ---- life ---- */

void mcp_relay_init(struct mcp_relay *r)
{
    r->client = (struct http_client){.fd = -1};
    r->broken_fd = -1;
    mcp_pending_init(&r->pending);
    buf_init(&r->earlier, AGAIN_MAX);
    buf_init(&r->begun, AGAIN_MAX);
}

static void close_parts(struct mcp_relay *r)
{
    http_client_done(&r->client);
    r->client = (struct http_client){.fd = -1};
    rpc_lines_done(&r->from_client);
    rpc_lines_done(&r->from_daemon);
    buf_done(&r->to_daemon);
    fd_close(&r->broken_fd);
}

static int open_parts(struct mcp_relay *r, struct err *err)
{
    rpc_lines_init(&r->from_client, RPC_LINE_MAX, on_client_line, r);
    rpc_lines_init(&r->from_daemon, ANSWER_LINE_MAX, on_daemon_line, r);
    buf_init(&r->to_daemon, 2 * RPC_LINE_MAX + UNSENT_MAX);
    r->patience_ms = LOOK_AFTER_MS;
    r->flush_ms = FINISH_MS;
    r->broken_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return r->broken_fd < 0 ? err_sys(err, "make an event descriptor")
                            : mcp_out_open(r->out_fd, r->broken_fd, &r->out, err);
}

struct buf mcp_relay_take_begun(struct mcp_relay *r)
{
    struct buf begun = r->begun;

    r->begun = (struct buf){0};
    buf_init(&r->begun, AGAIN_MAX);
    return begun;
}

/* What another server read of the client. The daemon learns the client's choices first. */
static void take_over(struct mcp_relay *r)
{
    AUTO_BUF struct buf begun = mcp_relay_take_begun(r);

    r->repeated = mcp_pending_choices(&r->pending, &r->to_daemon);
    mcp_pending_restart(&r->pending, r->repeated);
    rpc_lines_feed(&r->from_client, buf_str(&begun));
}

int mcp_relay_run(struct mcp_relay *r, struct err *err)
{
    int result = open_parts(r, err);

    if (result == 0) {
        take_over(r);
        rpc_lines_feed(&r->from_daemon, http_client_unread(&r->client));
    }
    while (result == 0 && !r->over)
        result = step(r, err);
    if (r->out) {
        result = result < 0 ? lost(r, err) : 1;
        mcp_out_close(r->out, (int)r->flush_ms);
        r->out = NULL;
    }
    close_parts(r);
    return result;
}

void mcp_relay_done(struct mcp_relay *r)
{
    http_client_done(&r->client);
    mcp_pending_done(&r->pending);
    buf_done(&r->earlier);
    buf_done(&r->begun);
}
