/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends one line of the client as a POST at /mcp, and reads the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/json_get.h"
#include "formats/json_write.h"
#include "mcp/headers.h"
#include "mcp/mcp.h"
#include "net/http_client.h"
#include "remote/mcp_daemon_parts.h"
#include "remote/run_remote.h"
#include "report/report.h"

#define ACCEPTS      "Accept: application/json"
#define CONVERSATION "Mcp-Session-Id"
#define VERSION      "MCP-Protocol-Version"
#define DISCOVER                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"server/discover\",\"params\":{\"_meta\":{"         \
    "\"" MCP_META "protocolVersion\":\"" MCP_MODERN "\",\"" MCP_META "clientCapabilities\":{}}}}"

enum {
    HEADERS_MAX = 16 << 10,
    NOTE_MAX = 64 << 10, /* bytes; a longer message is an answer */
    BEGIN_MS = 10000,    /* time for an answer that needs no work to begin */
    END_MS = 2000,
};

/* ---- errors ---- */

static void send_message(const struct mcp_relay *r, const json_t *message)
{
    mcp_pipe_send(&r->pipe, json_write(message, false));
}

void mcp_request_refuse(struct mcp_request *q, const struct rpc_problem *problem)
{
    const json_t *id;
    size_t i;

    q->answered = true;
    json_array_foreach(q->ids, i, id)
    {
        struct rpc_problem own = *problem;
        json_t *error = rpc_error(id, &own);
        send_message(q->relay, error);
        json_decref(error);
    }
}

/* Prints a line for people, once for each reason. */
static void mcp_daemon_ask_complain(struct mcp_relay *r, const char *text)
{
    pthread_mutex_lock(&r->lock);
    if (!r->complaint || strcmp(r->complaint, text) != 0) {
        free(r->complaint);
        r->complaint = xstrdup(text);
        report_complain(text);
    }
    pthread_mutex_unlock(&r->lock);
}

static void mcp_daemon_ask_fail(struct mcp_request *q, const char *why)
{
    struct rpc_problem problem;

    if (q->cancelled || q->answered)
        return;
    (void)rpc_problem_set(&problem, RPC_INTERNAL, "%s", why);
    mcp_request_refuse(q, &problem);
    mcp_daemon_ask_complain(q->relay, why);
}

/* ---- answers ---- */

static bool is_note(struct str message)
{
    json_t *doc =
        message.n <= NOTE_MAX ? json_loadb(message.p, message.n, JSON_ALLOW_NUL, NULL) : NULL;
    bool note = json_object_get(doc, "method");

    json_decref(doc);
    return note;
}

/* Reads a line of the response's body: JSON, or a part of an event, whose data are a message. */
static void mcp_daemon_ask_on_line(void *ctx, struct str line)
{
    struct mcp_request *q = ctx;
    struct rpc_problem problem;

    if (!line.p) {
        (void)rpc_too_long(q->relay->message_max, &problem);
        if (!q->cancelled && !q->answered)
            mcp_request_refuse(q, &problem);
        return;
    }
    line = str_trim(str_starts(line, "data:") ? str_slice(line, 5, line.n) : line);
    if (!str_starts(line, "{") && !str_starts(line, "["))
        return;
    mcp_pipe_wait(&q->relay->pipe, &q->cancelled);
    if (q->cancelled)
        return;
    if (!is_note(line))
        q->answered = true;
    mcp_pipe_send(&q->relay->pipe, xstrndup(line.p, line.n));
}

static int on_bytes(void *ctx, struct str bytes, struct err *err)
{
    struct mcp_request *q = ctx;

    rpc_lines_feed(&q->lines, bytes);
    return q->cancelled ? err_set(err, ERR_TIMEOUT, "stopped") : 0;
}

/* An invalid batch gets one error without an id, as JSON-RPC requires. */
static void answer_all(struct mcp_request *q, json_t *error)
{
    bool is_none =
        !q->message.id && json_get_int(json_object_get(error, "error"), "code") == RPC_INVALID;
    size_t i;
    json_t *id;

    q->answered = true;
    if (is_none || !json_array_size(q->ids))
        send_message(q->relay, error);
    else
        json_array_foreach(q->ids, i, id)
        {
            json_object_set(error, "id", id);
            send_message(q->relay, error);
        }
}

/* Passes a refusal on: an error of the protocol, which has no id if the daemon could not read one,
 * or an error of the HTTP API. */
static void take_refusal(struct mcp_request *q, const struct http_reply *reply)
{
    struct err err;
    struct str text = buf_str(&reply->body);
    json_t *doc = json_loadb(text.p, text.n, 0, NULL), *error = json_object_get(doc, "error");
    bool ours = json_get_text(doc, "jsonrpc") && json_is_object(error);

    (void)remote_refused(reply, &err);
    if (!ours || q->message.kind != RPC_REQUEST)
        mcp_daemon_ask_fail(q, err.msg);
    else if (!q->cancelled)
        answer_all(q, doc);
    json_decref(doc);
}

/* ---- asking ---- */

static int mcp_daemon_ask(const struct mcp_relay *r, struct http_ask *request,
                          struct http_reply *ret, struct err *err)
{
    struct http_client client;

    *ret = (struct http_reply){0};
    if (remote_open(r->settings, &client, err) < 0)
        return -1;
    request->path = "/mcp";
    int result = http_client_ask(&client, request, ret, err);
    if (result < 0 && request->piece)
        (void)err_wrap(err, "this call may have run, so it is not repeated");
    http_client_done(&client);
    return result;
}

static void add_headers(struct mcp_request *q, struct buf *b)
{
    struct mcp_relay *r = q->relay;
    struct str name;

    (void)buf_adds(b, ACCEPTS ", text/event-stream");
    if (q->modern) {
        const json_t *meta = json_object_get(q->message.params, "_meta");
        mcp_header_add(b, VERSION, json_str(json_object_get(meta, MCP_META "protocolVersion")));
        mcp_header_add(b, "Mcp-Method", str_from(q->message.method));
        if (mcp_header_name(&q->message, &name))
            mcp_header_add(b, "Mcp-Name", name);
        return;
    }
    pthread_mutex_lock(&r->lock);
    memcpy(q->conversation, r->conversation, sizeof q->conversation);
    if (*q->conversation) {
        mcp_header_add(b, CONVERSATION, str_from(q->conversation));
        mcp_header_add(b, VERSION, str_from(r->version));
    }
    pthread_mutex_unlock(&r->lock);
}

static int ask_once(struct mcp_request *q, struct http_reply *reply, struct err *err)
{
    AUTO_BUF struct buf headers = {0};

    *reply = (struct http_reply){0};
    buf_init(&headers, HEADERS_MAX);
    add_headers(q, &headers);
    if (headers.overflow)
        return err_set(err, ERR_USAGE, "the name in the request is too long");
    rpc_lines_init(&q->lines, q->relay->message_max + strlen("data: "), mcp_daemon_ask_on_line, q);
    int result = mcp_daemon_ask(q->relay,
                                &(struct http_ask){.method = "POST",
                                                   .header = headers.p,
                                                   .body = {q->text, q->n},
                                                   .cancel_fd = q->cancel_fd,
                                                   .piece = on_bytes,
                                                   .ctx = q},
                                reply, err);
    if (result == 0)
        rpc_lines_end(&q->lines);
    rpc_lines_done(&q->lines);
    return result;
}

/* ---- the conversation ---- */

/* Sends a line with `initialize`. With the lock, or in the loop before there is a worker. */
static int mcp_daemon_ask_begin(struct mcp_relay *r, struct str hello, int cancel_fd,
                                struct http_reply *reply, struct err *err)
{
    struct http_ask request = {.method = "POST",
                               .header = ACCEPTS,
                               .wanted = CONVERSATION,
                               .body = hello,
                               .timeout_ms = BEGIN_MS,
                               .cancel_fd = cancel_fd};
    int result = mcp_daemon_ask(r, &request, reply, err);
    json_t *doc = result < 0 ? NULL : json_loadb(reply->body.p, reply->body.n, 0, NULL);
    const char *version = json_get_text(json_object_get(doc, "result"), "protocolVersion");

    if (version) {
        free(r->hello);
        r->hello = xstrndup(hello.p, hello.n);
        snprintf(r->conversation, sizeof r->conversation, "%s", reply->wanted);
        snprintf(r->version, sizeof r->version, "%s", version);
        r->in_conversation = *r->conversation;
    }
    json_decref(doc);
    return result;
}

static void mcp_daemon_ask_end(const struct mcp_relay *r, const char *conversation)
{
    AUTO_BUF struct buf headers = {0};
    struct http_reply reply;
    struct err err;

    if (!*conversation)
        return;
    buf_init(&headers, HEADERS_MAX);
    (void)buf_adds(&headers, ACCEPTS);
    mcp_header_add(&headers, CONVERSATION, str_from(conversation));
    (void)mcp_daemon_ask(
        r,
        &(struct http_ask){
            .method = "DELETE", .header = headers.p, .timeout_ms = END_MS, .cancel_fd = -1},
        &reply, &err);
    http_reply_done(&reply);
}

static bool awaits_answers(const struct mcp_relay *r)
{
    const struct mcp_request *q = r->first;

    while (q && (q->message.kind != RPC_REQUEST || q->answered))
        q = q->next;
    return q;
}

void mcp_request_begin(struct mcp_request *q)
{
    struct mcp_relay *r = q->relay;
    char old[CONVERSATION_ID];
    struct http_reply reply;
    struct err err;

    pthread_mutex_lock(&r->lock);
    memcpy(old, r->conversation, sizeof old);
    int result =
        mcp_daemon_ask_begin(r, (struct str){q->text, q->n}, r->pipe.quit_fd, &reply, &err);
    bool replaced = strcmp(r->conversation, old) != 0;
    pthread_mutex_unlock(&r->lock);
    if (result < 0)
        mcp_daemon_ask_fail(q, err.msg);
    else if (reply.status != 200)
        take_refusal(q, &reply);
    else
        mcp_daemon_ask_on_line(q, buf_str(&reply.body));
    http_reply_done(&reply);
    if (replaced && !awaits_answers(r)) /* else the daemon ends it, when it has been idle */
        mcp_daemon_ask_end(r, old);
}

/* Begins a new conversation, for a daemon that was started again does not know the old one. False
 * if no other conversation could be begun. */
static bool renew(const struct mcp_request *q)
{
    struct mcp_relay *r = q->relay;
    struct http_reply reply = {0};
    struct err err;

    pthread_mutex_lock(&r->lock);
    AUTO_FREE char *hello = xstrdup(r->hello);
    if (strcmp(r->conversation, q->conversation) == 0)
        (void)mcp_daemon_ask_begin(r, str_from(hello), q->cancel_fd, &reply, &err);
    bool renewed = strcmp(r->conversation, q->conversation) != 0;
    pthread_mutex_unlock(&r->lock);
    http_reply_done(&reply);
    return renewed;
}

void mcp_relay_end(const struct mcp_relay *r)
{
    mcp_daemon_ask_end(r, r->conversation);
}

/* ---- a whole request ---- */

void mcp_request_ask(struct mcp_request *q)
{
    struct http_reply reply;
    struct err err;
    int result = ask_once(q, &reply, &err);

    if (result == 0 && reply.status == 404 && *q->conversation && renew(q)) {
        http_reply_done(&reply);
        result = ask_once(q, &reply, &err);
    }
    if (result < 0)
        mcp_daemon_ask_fail(q, err.msg);
    else if (reply.status != 200 && reply.status != 202)
        take_refusal(q, &reply);
    else if (!q->answered && json_array_size(q->ids))
        mcp_daemon_ask_fail(q, "the daemon has ended this call");
    http_reply_done(&reply);
}

int mcp_relay_look(const struct mcp_relay *r, struct err *err)
{
    AUTO_BUF struct buf headers = {0};
    struct http_reply reply;

    buf_init(&headers, HEADERS_MAX);
    (void)buf_adds(&headers, ACCEPTS);
    mcp_header_add(&headers, VERSION, STR(MCP_MODERN));
    mcp_header_add(&headers, "Mcp-Method", STR("server/discover"));
    int result = mcp_daemon_ask(r,
                                &(struct http_ask){.method = "POST",
                                                   .header = headers.p,
                                                   .body = STR(DISCOVER),
                                                   .timeout_ms = BEGIN_MS,
                                                   .cancel_fd = r->pipe.quit_fd},
                                &reply, err);
    if (result == 0 && reply.status == 404)
        result = err_set(err, ERR_UNSUPPORTED, "the daemon has no /mcp: it is of another version");
    else if (result == 0 && reply.status != 200)
        result = remote_refused(&reply, err);
    http_reply_done(&reply);
    return result;
}
