/* SPDX-License-Identifier: Apache-2.0 */
#include "server/mcp_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "server/job.h"

enum {
    READ_IN_LOOP = 64 << 10,
    ALL_LINES_MAX = 256 << 20,   /* bytes of lines that are not handled yet, of all connections */
    UNREAD_BYTES_MAX = 64 << 20, /* of answers */
    ALL_UNREAD_MAX = 256 << 20,  /* the same of all connections; beyond that, each has its share */
    UNREAD_SHARE = 1 << 20,
};

struct line_text {
    struct line_text *next;
    char *text; /* NULL: the line was too long, or there were too many */
    size_t n;
    bool crowded;
};

struct line_parse {
    struct mcp_line *line; /* NULL: it is gone */
    struct rpc_problem problem;
};

/* ---- life ---- */

static void drop_waiting(struct mcp_line *line)
{
    struct line_text *first = line->waiting;

    line->waiting = first->next;
    if (!line->waiting)
        line->end = &line->waiting;
    line->waiting_bytes -= first->n;
    free(first->text);
    free(first);
}

/* Sums of all lines, kept up to date line by line: a message looks at its own line only. */
static void count_bytes(struct mcp_line *line)
{
    size_t now = line->lines.held.n + line->waiting_bytes;

    line->hub->lines_bytes += now - line->bytes;
    line->bytes = now;
}

static void count_unread(struct mcp_line *line)
{
    size_t now = line->call ? http_unsent(line->call->x) : 0;

    line->hub->lines_unread += now - line->unread;
    line->unread = now;
}

static void line_free(struct mcp_line *line)
{
    *line->place = line->next;
    if (line->next)
        line->next->place = line->place;
    kept_forget(line->hub->kept, line->keeper);
    while (line->waiting)
        drop_waiting(line);
    rpc_lines_done(&line->lines);
    count_bytes(line);
    count_unread(line);
    line_settings_drop(line->settings);
    free(line);
}

void mcp_line_enter(struct mcp_line *line)
{
    line->inside++;
}

static bool is_idle(const struct mcp_line *line)
{
    return !line->dialog.client.call_n && !line->parse && !line->waiting;
}

/* The daemon stops, and all calls have their answers. */
static void close_connection(struct mcp_line *line)
{
    struct call *call = mem_take(&line->call);

    http_end(call->x);
}

void mcp_line_leave(struct mcp_line *line)
{
    if (line->inside == 1 && line->draining && line->call && is_idle(line))
        close_connection(line);
    if (--line->inside == 0 && !line->call && !line->dialog.client.call_n)
        line_free(line);
}

static void end_parse(struct mcp_line *line)
{
    if (line->parse)
        line->parse->line = NULL;
    line->parse = NULL;
}

static void on_ended(struct call *call)
{
    struct mcp_line *line = call->own;

    mcp_line_enter(line);
    line->call = NULL;
    end_parse(line);
    mcp_client_cancel_all(&line->dialog.client);
    sessions_close_scope(line->hub->server->sessions, line->dialog.client.scope);
    mcp_line_leave(line);
}

/* ---- sending ---- */

static bool has_too_much(const struct mcp_line *line)
{
    return line->unread > UNREAD_BYTES_MAX ||
           (line->unread > UNREAD_SHARE && line->hub->lines_unread > ALL_UNREAD_MAX);
}

/* In the loop. */
static void send_line(void *ctx, char *text)
{
    struct mcp_line *line = ctx;
    size_t n = strlen(text);

    if (line->call) {
        text = xrealloc_array(text, n + 2, 1);
        text[n] = '\n';
        http_piece(line->call->x, (struct str){text, n + 1});
    }
    free(text);
    count_unread(line);
    if (has_too_much(line))
        line->full = true;
}

/* ---- receiving ---- */

static void advance(struct mcp_line *line);

static void parse_work(struct job *job)
{
    struct line_parse *parse = job->own;

    (void)rpc_parse(buf_str(&job->body), &job->doc, &parse->problem);
    job->status = 200;
}

static void parse_over(struct job *job)
{
    struct line_parse *parse = job->own;
    struct mcp_line *line = parse->line;
    json_t *doc = mem_take(&job->doc);

    if (!line) {
        json_decref(doc);
        job_free(job);
        return;
    }
    mcp_line_enter(line);
    line->parse = NULL;
    if (!job->status)
        (void)rpc_problem_set(&parse->problem, RPC_INTERNAL, "the daemon is stopping");
    mcp_dialog_take(&line->dialog, doc, &parse->problem, buf_str(&job->body));
    job_free(job);
    advance(line);
    mcp_line_leave(line);
}

static void parse_in_worker(struct mcp_line *line, struct line_text *text)
{
    struct job *job = job_bare(line->hub->server, NULL);
    struct line_parse *parse = xcalloc(1, sizeof *parse);

    parse->line = line;
    line->parse = parse;
    memcpy(job->owner, line->owner, sizeof job->owner);
    buf_init(&job->body, text->n);
    (void)buf_add(&job->body, text->text, text->n);
    job->own = parse;
    job->work = parse_work;
    job->over = parse_over;
    job_submit(job);
}

static void refuse_crowd(const struct mcp_line *line)
{
    struct rpc_problem problem;

    (void)rpc_problem_set(&problem, RPC_INTERNAL,
                          "too many long messages at once; send it again later");
    mcp_dialog_refuse(&line->dialog, &problem);
}

static void take(struct mcp_line *line, struct line_text *text)
{
    line->dialog.line++;
    if (text->crowded)
        refuse_crowd(line);
    else if (text->n > READ_IN_LOOP)
        parse_in_worker(line, text);
    else
        mcp_dialog_receive(&line->dialog, (struct str){text->text, text->n}, line->line_max);
}

/* Handles the waiting lines, until one needs a worker. */
static void advance(struct mcp_line *line)
{
    while (line->call && line->waiting && !line->parse && !line->full) {
        take(line, line->waiting);
        drop_waiting(line);
    }
    count_bytes(line);
    bool hold = line->parse || line->full || line->draining;
    if (line->call && hold != line->held) {
        line->held = hold;
        http_hold(line->call->x, hold);
    }
}

static void on_line(void *ctx, struct str text)
{
    struct mcp_line *line = ctx;
    struct line_text *waits = xcalloc(1, sizeof *waits);

    *waits = (struct line_text){
        .text = text.p ? xstrndup(text.p, text.n) : NULL, .n = text.n, .crowded = line->crowded};
    line->crowded = false;
    *line->end = waits;
    line->end = &waits->next;
    line->waiting_bytes += text.n;
}

static void on_bytes(struct call *call, struct str bytes)
{
    struct mcp_line *line = call->own;

    mcp_line_enter(line);
    rpc_lines_feed(&line->lines, bytes);
    count_bytes(line);
    if (line->lines.held.n > READ_IN_LOOP && line->hub->lines_bytes > ALL_LINES_MAX) {
        rpc_lines_drop(&line->lines);
        line->crowded = true;
    }
    advance(line);
    mcp_line_leave(line);
}

static void on_drained(struct call *call)
{
    struct mcp_line *line = call->own;

    if (!line->full)
        return;
    mcp_line_enter(line);
    line->full = false;
    advance(line);
    mcp_line_leave(line);
}

/* ---- all of them ---- */

void mcp_lines_tick(struct mcp_hub *hub)
{
    for (struct mcp_line *line = hub->lines; line; line = line->next)
        count_unread(line);
}

static struct mcp_line *next_to_drain(const struct mcp_hub *hub)
{
    struct mcp_line *line = hub->lines;

    while (line && line->draining)
        line = line->next;
    return line;
}

/* One that is closed leaves the list. */
void mcp_lines_drain(struct mcp_hub *hub)
{
    struct mcp_line *line;

    while ((line = next_to_drain(hub))) {
        mcp_line_enter(line);
        line->draining = true;
        advance(line);
        mcp_line_leave(line);
    }
}

/* ---- the beginning ---- */

static void open_client(struct mcp_line *line)
{
    struct mcp_client *client = &line->dialog.client;

    mcp_client_init(client, line->call, line->owner);
    client->host = &mcp_line_host;
    client->service = &line->settings->service;
    client->keeper = line->keeper;
    client->scope = line->hub->line_number;
    client->sessions_max = (size_t)line->settings->fields.sessions;
    line->dialog.message_max = (size_t)line->settings->fields.message_bytes;
    line->dialog.send = send_line;
    line->dialog.ctx = line;
}

static void open_line(struct call *call, struct line_settings *settings)
{
    struct mcp_hub *hub = call->server->mcp;
    struct mcp_line *line = xcalloc(1, sizeof *line);

    *line = (struct mcp_line){
        .next = hub->lines, .place = &hub->lines, .hub = hub, .call = call, .settings = settings};
    if (line->next)
        line->next->place = &line->next;
    hub->lines = line;
    hub->line_number++;
    memcpy(line->owner, call->owner, sizeof line->owner);
    snprintf(line->keeper, sizeof line->keeper, "/%" PRIu64, hub->line_number);
    line->end = &line->waiting;
    line->line_max = (size_t)call->server->config->settings.max_body;
    rpc_lines_init(&line->lines, line->line_max, on_line, line);
    open_client(line);
    call->own = line;
    call->bytes = on_bytes;
    call->drained = on_drained;
    call->ended = on_ended;
    http_upgrade(call->x, MCP_LINES_PROTOCOL);
}

static bool wants_lines(const struct call *call)
{
    const struct http_head *head = call->x->head;

    return http_list_has(http_header(head, "connection"), "upgrade") &&
           str_is_nocase(str_trim(http_header(head, "upgrade")), MCP_LINES_PROTOCOL);
}

void handle_mcp_lines(struct call *call)
{
    struct line_settings *settings;
    struct err err;
    json_t *doc;

    if (!wants_lines(call))
        call_refuse(call, 426, "Connection: Upgrade\r\nUpgrade: " MCP_LINES_PROTOCOL "\r\n",
                    "usage", "this address is for 'glovebox mcp'; other clients use /mcp");
    else if (json_read(call->x->body, &doc, &err) < 0 ||
             !(settings = line_settings_new(call->server->config, call_rules(call), doc, &err)))
        call_fail(call, &err);
    else
        open_line(call, settings);
}
