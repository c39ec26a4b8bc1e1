/* SPDX-License-Identifier: Apache-2.0 */
#include "server/front.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "server/access_log.h"
#include "server/job.h"
#include "server/metrics.h"
#include "server/session_parts.h"
#include "server/workers.h"

/* ---- answers ---- */

void call_answer(struct call *call, int status, const char *type, char *text)
{
    http_answer(call->x,
                &(struct http_answer){
                    .status = status, .type = type, .body = text, .size = text ? strlen(text) : 0});
}

void call_fail(struct call *call, const struct err *err)
{
    call_answer(call, err_http_status(err->kind), NULL, error_words(err, call->wording));
}

void call_refuse(struct call *call, int status, const char *extra, const char *kind,
                 const char *fmt, ...)
{
    char message[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    char *text = error_text(kind, message);
    http_answer(call->x, &(struct http_answer){
                             .status = status, .extra = extra, .body = text, .size = strlen(text)});
}

int call_no_fields(struct call *call)
{
    static const struct ask_form none;
    json_t *doc = NULL;
    struct err err;
    int result = json_read(call->x->body, &doc, &err);

    if (result == 0)
        result = ask_read(&none, doc, call_rules(call), NULL, &err);
    json_decref(doc);
    if (result < 0)
        call_fail(call, &err);
    return result;
}

static char *refusal(void *ctx, int status, const char *why)
{
    (void)ctx;
    return error_text(status == 408                    ? "timeout"
                      : status == 413 || status == 503 ? "limit"
                      : status >= 500                  ? "system"
                                                       : "usage",
                      why);
}

/* ---- the query ---- */

static bool is_in(const struct query_field *fields, const char *name, struct suggestion *near)
{
    for (; fields && fields->name; fields++) {
        if (strcmp(fields->name, name) == 0)
            return true;
        suggestion_try(near, fields->name);
    }
    return false;
}

static int take_pair(struct call *call, struct str raw_name, struct str raw_value,
                     int (*take)(void *, const char *, const char *, struct err *), void *ctx,
                     struct err *err)
{
    AUTO_BUF struct buf name = {0}, value = {0};

    buf_init(&name, HTTP_TARGET_MAX);
    buf_init(&value, HTTP_TARGET_MAX);
    if (http_decode(raw_name, true, &name) < 0 || http_decode(raw_value, true, &value) < 0)
        return err_set(err, ERR_USAGE, "the query string is not encoded correctly");
    struct suggestion near = {.word = buf_str(&name)};
    if (!is_in(call->route->query, name.p, &near))
        return err_set(err, ERR_USAGE, "there is no parameter '%.60s'%s%s%s", name.p,
                       near.best ? "; did you mean '" : "", near.best ? near.best : "",
                       near.best ? "'?" : "");
    return take(ctx, name.p, value.p, err);
}

int call_query(struct call *call,
               int (*take)(void *ctx, const char *name, const char *value, struct err *err),
               void *ctx)
{
    struct str rest = call->x->head->query, name, value;
    struct err err;

    while (http_query_next(&rest, &name, &value))
        if (take_pair(call, name, value, take, ctx, &err) < 0) {
            call_fail(call, &err);
            return -1;
        }
    return 0;
}

/* ---- which route ---- */

/* True if the address has the path's form. Keeps the text that is in the place of {id} and
 * {anything else}. */
static bool front_matches(const char *pattern, struct str path, struct str *ret_id,
                          struct str *ret_rest)
{
    struct str want = str_from(pattern), part, piece;

    *ret_id = *ret_rest = (struct str){NULL, 0};
    want = str_slice(want, 1, want.n);
    path = str_slice(path, 1, path.n);
    while (str_next(&want, '/', &part)) {
        if (str_is(part, "{path}")) {
            *ret_rest = path;
            return path.n > 0;
        }
        if (!path.p || !str_next(&path, '/', &piece))
            return false;
        if (str_is(part, "{id}"))
            *ret_id = piece;
        else if (part.p[0] == '{')
            *ret_rest = piece;
        else if (!str_eq(part, piece))
            return false;
        if (part.p[0] == '{' && !piece.n)
            return false;
    }
    return !path.p;
}

static bool has_method(const struct route *r, enum http_method method)
{
    return r->method == method || (method == HTTP_HEAD && r->method == HTTP_GET);
}

/* Writes methods such as "GET, HEAD, OPTIONS"; for the address *, which has no route, "OPTIONS".
 * False if the address is unknown. */
static bool allowed_methods(const struct route *routes, struct str path, char out[96])
{
    struct str id, rest;
    size_t n = 0;

    for (const struct route *r = routes; r->path; r++)
        if (front_matches(r->path, path, &id, &rest))
            n += (size_t)snprintf(out + n, 96 - n, "%s%s, ", http_method_name(r->method),
                                  r->method == HTTP_GET ? ", HEAD" : "");
    snprintf(out + n, 96 - n, "OPTIONS");
    return n > 0 || str_is(path, "*");
}

/* Answers OPTIONS, and refuses any other method that the address does not have. */
static void no_method(struct call *call, const char *methods)
{
    const struct http_head *head = call->x->head;
    struct str method = head->method_name;
    char allow[128];

    snprintf(allow, sizeof allow, "Allow: %s\r\n", methods);
    const char *extra = str_is(head->path, "*") ? NULL : allow;
    if (head->method == HTTP_OPTIONS)
        http_answer(call->x, &(struct http_answer){.status = 204, .extra = extra});
    else
        call_refuse(call, 405, extra, "usage", "this address does not take %.*s; it takes %s",
                    (int)(method.n < 40 ? method.n : 40), method.p, methods);
}

static void no_route(struct call *call)
{
    const struct route *routes = call->server->site->routes;
    struct str path = call->x->head->path;
    struct suggestion near = {.word = path};
    char methods[96];

    if (allowed_methods(routes, path, methods)) {
        no_method(call, methods);
        return;
    }
    for (const struct route *r = routes; r->path; r++)
        if (!strchr(r->path, '{') && r->path[1])
            suggestion_try(&near, r->path);
    call_refuse(call, 404, NULL, "usage", "there is nothing at this address%s%s%s",
                near.best ? "; did you mean " : "; /openapi.json lists the addresses",
                near.best ? near.best : "", near.best ? "?" : "");
}

/* 0, or -1 and the request is answered. */
static int find_route(struct call *call)
{
    const struct http_head *head = call->x->head;
    struct str id, rest;

    for (const struct route *r = call->server->site->routes; r->path; r++) {
        if (!has_method(r, head->method) || !front_matches(r->path, head->path, &id, &rest))
            continue;
        call->route = r;
        if (http_decode(id, false, &call->id) == 0 && http_decode(rest, false, &call->rest) == 0)
            return 0;
        call_refuse(call, 400, NULL, "usage", "the address is not percent-encoded correctly");
        return -1;
    }
    no_route(call);
    return -1;
}

/* ---- the caller ---- */

/* "name:port", "[::1]:port" */
static struct str host_of(struct str host)
{
    if (host.n && host.p[0] == '[') {
        const char *end = memchr(host.p, ']', host.n);
        return end ? str_slice(host, 1, (size_t)(end - host.p)) : host;
    }
    const char *colon = host.n ? memchr(host.p, ':', host.n) : NULL;
    return colon ? str_slice(host, 0, (size_t)(colon - host.p)) : host;
}

/* A page in a user's browser can make its own host name resolve to our address (DNS rebinding). So
 * a host must be an address, or a name from our settings. */
static bool host_is_ours(const struct call *call)
{
    struct str host = host_of(call->x->head->host);
    const struct opt_list *names = &call->server->config->settings.host_names;
    AUTO_FREE char *text = xstrndup(host.p ? host.p : "", host.n);
    unsigned char address[16];

    if (!host.n || str_is_nocase(host, "localhost") || inet_pton(AF_INET, text, address) == 1 ||
        inet_pton(AF_INET6, text, address) == 1)
        return true;
    for (size_t i = 0; i < names->n; i++)
        if (str_is_nocase(host, names->items[i]))
            return true;
    return false;
}

/* A page at our own address would be one that we served. We serve none, so the request is a
 * program's. The host is checked as well, so a page cannot give its own name to our address. */
static bool is_own_origin(const struct http_head *head)
{
    struct str origin = http_header(head, "origin");
    const char *scheme = str_starts(origin, "https://") ? "https://" : "http://";

    return str_starts(origin, scheme) && head->host.n &&
           str_eq(str_slice(origin, strlen(scheme), origin.n), head->host);
}

static int refuse_stranger(struct call *call)
{
    metrics_refused(call->server->metrics, REFUSAL_TOKEN);
    call_refuse(call, 401, "WWW-Authenticate: Bearer realm=\"glovebox\"\r\n", "policy",
                "send one of the daemon's tokens: Authorization: Bearer TOKEN");
    return -1;
}

static int check_caller(struct call *call)
{
    const struct http_head *head = call->x->head;

    call->operator= !call->x->listener->tcp;
    if (call->operator)
        return 0;
    if (http_header(head, "origin").p && !is_own_origin(head)) {
        call_refuse(call, 403, NULL, "policy",
                    "requests from web pages in a browser are not accepted");
        return -1;
    }
    if (!host_is_ours(call)) {
        call_refuse(call, 421, NULL, "policy",
                    "the Host header is not a name of this host; 'glovebox serve --host-name' "
                    "adds one");
        return -1;
    }
    const struct token *token =
        token_list_find(&call->server->config->tokens, http_header(head, "authorization"));
    if (token)
        memcpy(call->owner, token->name, sizeof call->owner);
    else if (!call->route || !(call->route->flags & ROUTE_OPEN))
        return refuse_stranger(call);
    return 0;
}

bool call_is_own_user(const struct call *call)
{
    int64_t uid = http_peer_uid(call->x);

    return call->operator&&(uid == 0 || uid == (int64_t)geteuid());
}

const struct request_rules *call_rules(const struct call *call)
{
    const struct config *config = call->server->config;

    return call_is_own_user(call) ? &config->own_rules : &config->rules;
}

/* ---- the body's headers ---- */

static bool is_json_type(struct str type)
{
    return !type.n || str_is_nocase(type, "application/json") || str_is_nocase(type, "text/json") ||
           str_is_nocase(type, "text/plain") || str_ends(type, "+json");
}

/* curl -d sends this type for any body. A page in a browser can send it without a preflight
 * request, too, but that is harmless: over TCP every POST needs a token in a header that no form
 * can set, and a request with an Origin is refused. */
static bool is_form_type(struct str type)
{
    return str_is_nocase(type, "application/x-www-form-urlencoded");
}

static int refuse_type(struct call *call, struct str type)
{
    call_refuse(call, 415, NULL, "unsupported",
                "the body must be JSON: send Content-Type: application/json (curl: --json), "
                "not '%.*s'",
                (int)(type.n < 60 ? type.n : 60), type.p);
    return -1;
}

static int check_body(struct call *call)
{
    const struct http_head *head = call->x->head;
    struct str type = http_media_type(http_header(head, "content-type"));
    struct str encoding = http_header(head, "content-encoding");

    if (encoding.n && !str_is_nocase(encoding, "identity")) {
        call_refuse(call, 415, NULL, "unsupported",
                    "Content-Encoding '%.*s' is not supported; send the body uncompressed",
                    (int)(encoding.n < 40 ? encoding.n : 40), encoding.p);
        return -1;
    }
    bool any = head->chunked || head->length;
    if (call->route->flags & ROUTE_JSON && any && !is_json_type(type) && !is_form_type(type))
        return refuse_type(call, type);
    return 0;
}

/* A body with the type of forms must be a JSON object. The error for anything else is about its
 * type. */
static int check_form(struct call *call)
{
    struct str type = http_media_type(http_header(call->x->head, "content-type"));
    struct str body = str_trim(call->x->body);

    if (call->route->flags & ROUTE_JSON && is_form_type(type) && body.n && body.p[0] != '{')
        return refuse_type(call, type);
    return 0;
}

static int prepare_body(struct call *call)
{
    const struct server_settings *s = &call->server->config->settings;

    if (check_body(call) < 0)
        return -1;
    if (call->route->flags & ROUTE_UPLOAD) {
        if (http_to_file(call->x, s->max_upload) == 0)
            return 0;
        call_refuse(call, 500, NULL, "system", "this host has no room for the body");
        return -1;
    }
    http_body_max(call->x, call->route->flags & ROUTE_JSON ? s->max_body : 64 << 10);
    return 0;
}

/* ---- the handler of net/http_server.h ---- */

static void on_head(void *ctx, struct http_exchange *x)
{
    struct server *server = ctx;
    struct call *call = xcalloc(1, sizeof *call);
    struct http_exchange *const exchange = x;

    call->server = server;
    call->x = exchange;
    buf_init(&call->id, HTTP_TARGET_MAX);
    buf_init(&call->rest, HTTP_TARGET_MAX);
    x->user = call;
    call->wording = wording_find(http_header(x->head, "glovebox-wording"));
    struct str id, rest;
    /* An open route is looked up before the caller is authenticated, other routes after that. */
    for (const struct route *r = server->site->routes; r->path && !call->route; r++)
        if (r->flags & ROUTE_OPEN && front_matches(r->path, x->head->path, &id, &rest))
            call->route = r;
    if (check_caller(call) < 0 || find_route(call) < 0)
        return;
    if (server->state != SERVER_SERVING && !(call->route->flags & ROUTE_DRAINING)) {
        call_refuse(call, 503, "Retry-After: 1\r\n", "limit", "the daemon is stopping");
        return;
    }
    call->streams =
        call->route->event && http_list_has(http_header(x->head, "accept"), "application/x-ndjson");
    (void)prepare_body(call);
}

static void on_request(void *ctx, struct http_exchange *x)
{
    struct call *call = x->user;

    (void)ctx;
    if (check_form(call) < 0)
        return;
    if (call->route->work)
        session_job_make(call);
    else
        call->route->handle(call);
}

static void on_drained(void *ctx, struct http_exchange *x)
{
    struct call *call = x->user;

    (void)ctx;
    if (call->job && call->job->drained)
        call->job->drained(call->job);
}

static void on_gone(void *ctx, struct http_exchange *x)
{
    struct call *call = x->user;
    struct job *job = call ? call->job : NULL;

    (void)ctx;
    if (call && call->gone)
        call->gone(call);
    if (!job)
        return;
    call->job = NULL;
    job->call = NULL;
    job_cancel(job);
}

static void on_done(void *ctx, struct http_exchange *x)
{
    struct server *server = ctx;
    struct call *call = x->user;

    metrics_request(server->metrics, x->failed && !x->status ? 499 : x->status,
                    (clock_mono_ns() - x->began_ns) / 1000);
    access_log_add(server->access, x, call ? call->owner : "");
    if (!call)
        return;
    if (call->job)
        call->job->call = NULL;
    if (call->ended)
        call->ended(call);
    buf_done(&call->id);
    buf_done(&call->rest);
    free(call);
    x->user = NULL;
}

static uint64_t on_held(void *ctx)
{
    const struct server *server = ctx;
    struct workers_stats stats;

    workers_stats(server->workers, &stats);
    return stats.queued_bytes;
}

const struct http_handler server_front = {
    .head = on_head,
    .request = on_request,
    .drained = on_drained,
    .gone = on_gone,
    .done = on_done,
    .held = on_held,
    .refusal = refusal,
};
