/* SPDX-License-Identifier: Apache-2.0
 *
 * One request and its answer, of the service or of a port of the sandbox.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "e2b_api/json.h"
#include "e2b_api/parts.h"
#include "formats/json_get.h"
#include "formats/json_write.h"

enum {
    CONNECT_MS = 15000,
    ANSWER_MS = 60000,
    ANSWER_MAX = 8 << 20,
    RETRY_AFTER_MOST_S = 3600,
};

/* ---- the address ---- */

static bool is_shared_domain(const char *domain)
{
    static const char *const shared[] = {"e2b.app", "e2b.dev", "e2b.pro", "e2b-staging.dev"};

    for (size_t i = 0; i < ARRAY_LEN(shared); i++)
        if (strcmp(domain, shared[i]) == 0)
            return true;
    return false;
}

/* The base address of this side. The caller frees it. */
static char *base_of(const struct e2b *e, enum e2b_side side)
{
    const char *domain = e->domain ? e->domain : e->account.domain;

    if (side == E2B_CONTROL)
        return xstrdup(e->account.api);
    if (e->account.sandbox_url)
        return xstrdup(e->account.sandbox_url);
    if (e->account.debug)
        return xasprintf("http://localhost:%u", (unsigned)side);
    if (side == E2B_ENVD && is_shared_domain(domain))
        return xasprintf("https://sandbox.%s", domain);
    return xasprintf("https://%u-%s.%s", (unsigned)side, e->id, domain);
}

/* ---- sending ---- */

struct headers {
    char *list[E2B_HEADERS_MAX + 1];
    size_t n;
};

static void add_header(struct headers *h, char *line)
{
    if (h->n < E2B_HEADERS_MAX)
        h->list[h->n++] = line;
}

static void add_headers(struct headers *h, const struct e2b *e, const struct e2b_ask *ask)
{
    if (ask->json || ask->type)
        add_header(h, xasprintf("Content-Type: %s", ask->json ? "application/json" : ask->type));
    if (ask->header)
        add_header(h, xstrdup(ask->header));
    if (ask->side == E2B_CONTROL) {
        add_header(h, xasprintf("X-API-KEY: %s", e->account.key));
        return;
    }
    if (ask->as_root)
        add_header(h, xstrdup("Authorization: Basic cm9vdDo="));
    if (e->token)
        add_header(h, xasprintf("X-Access-Token: %s", e->token));
    if (e->traffic_token)
        add_header(h, xasprintf("E2B-Traffic-Access-Token: %s", e->traffic_token));
    add_header(h, xasprintf("E2b-Sandbox-Id: %s", e->id));
    add_header(h, xasprintf("E2b-Sandbox-Port: %u", (unsigned)ask->side));
}

static void headers_done(struct headers *h)
{
    for (size_t i = 0; i < h->n; i++) {
        explicit_bzero(h->list[i], strlen(h->list[i]));
        free(h->list[i]);
    }
}

int e2b_send(struct e2b *e, struct fetch *fetch, const struct e2b_ask *ask, uint64_t max_bytes,
             struct err *err)
{
    AUTO_FREE char *base = base_of(e, ask->side);
    AUTO_FREE char *url = xasprintf("%s%s", base, ask->path);
    AUTO_FREE char *text = ask->json ? json_write(ask->json, false) : NULL;
    struct headers headers = {0};

    add_headers(&headers, e, ask);
    int result = fetch_send(fetch,
                            &(struct fetch_request){.method = ask->method,
                                                    .url = url,
                                                    .headers = (const char *const *)headers.list,
                                                    .body = text ? str_from(text) : ask->body,
                                                    .connect_ms = CONNECT_MS,
                                                    .idle_ms = ask->idle_ms,
                                                    .whole_ms = ask->timeout_ms,
                                                    .max_bytes = max_bytes},
                            err);
    headers_done(&headers);
    return result;
}

/* ---- receiving ---- */

static void ask_read_head(const struct fetch_event *event, struct e2b_answer *ret)
{
    int64_t seconds;

    const struct str next = fetch_header(event->header_lines, "x-next-token");

    ret->status = event->status;
    if (next.n < sizeof ret->next_page)
        memcpy(ret->next_page, next.p ? next.p : "", next.n);
    if (num_int64(fetch_header(event->header_lines, "retry-after"), &seconds) && seconds > 0)
        ret->retry_after_ms = (seconds < RETRY_AFTER_MOST_S ? seconds : RETRY_AFTER_MOST_S) * 1000;
}

static void ask_read_body(const struct e2b *e, const struct buf *body, struct e2b_answer *ret)
{
    struct err ignored;

    ret->json = e2b_json_read(buf_str(body), 0, "an answer", &ignored);
    if (!e2b_is_good(ret->status))
        e2b_show_body(e, ret->json, buf_str(body), ret->said);
}

/* The time to wait for an answer. */
struct patience {
    int64_t until_ms;
    int cancel_fd;
};

static int next_event(struct e2b *e, const struct e2b_ask *ask, struct patience *patience,
                      struct fetch_event *ret, struct err *err)
{
    bool cancelled;
    int result =
        fetch_next(e->fetch, patience->until_ms, patience->cancel_fd, ret, &cancelled, err);

    if (result < 0 && cancelled && ask->grace_ms) {
        *patience = (struct patience){clock_mono_ms() + ask->grace_ms, -1};
        result = fetch_next(e->fetch, patience->until_ms, -1, ret, &cancelled, err);
    }
    return result;
}

static int ask_receive(struct e2b *e, const struct e2b_ask *ask, struct buf *body,
                       struct e2b_answer *ret, struct err *err)
{
    struct patience patience = {clock_mono_ms() + ask->timeout_ms + 5000, ask->cancel_fd};
    struct fetch_event event = {.kind = FETCH_HEAD};

    while (event.kind != FETCH_END) {
        if (next_event(e, ask, &patience, &event, err) < 0)
            return -1;
        if (event.kind == FETCH_FAILED)
            return e2b_say_failure(e, ask->side, &event, err);
        if (event.kind == FETCH_HEAD)
            ask_read_head(&event, ret);
        if (event.kind == FETCH_BODY)
            (void)buf_add_str(body, event.bytes);
    }
    return 0;
}

int e2b_ask(struct e2b *e, const struct e2b_ask *given, struct e2b_answer *ret, struct err *err)
{
    AUTO_BUF struct buf body = {0};
    struct e2b_ask ask = *given;

    *ret = (struct e2b_answer){.side = given->side};
    buf_init(&body, ANSWER_MAX);
    ask.timeout_ms = ask.timeout_ms ? ask.timeout_ms : ANSWER_MS;
    if ((!e->fetch && fetch_open(&e->fetch, err) < 0) ||
        e2b_send(e, e->fetch, &ask, ANSWER_MAX, err) < 0 ||
        ask_receive(e, &ask, &body, ret, err) < 0) {
        fetch_close(e->fetch); /* the rest of this answer must not be read as the next one */
        e->fetch = NULL;
        *ret = (struct e2b_answer){0};
        return -1;
    }
    ask_read_body(e, &body, ret);
    return 0;
}

void e2b_answer_done(struct e2b_answer *answer)
{
    json_decref(answer->json);
    answer->json = NULL;
}
