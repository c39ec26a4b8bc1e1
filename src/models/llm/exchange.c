/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/json_write.h"
#include "llm/record.h"

enum {
    CONNECT_MS = 15000,
    IDLE_MS = 120000, /* between two chunks of a stream */
    STREAM_MAX = 64 << 20,
};

struct model_wire {
    struct fetch *fetch; /* NULL until it is needed, and after a failure */
    struct llm_record *record;
    struct llm_replay *replay;
};

void llm_exchange_init(struct llm_exchange *x)
{
    buf_init(&x->header_lines, FETCH_HEADERS_MAX);
    buf_init(&x->body, STREAM_MAX);
    buf_init(&x->words, 4096);
}

void llm_exchange_done(struct llm_exchange *x)
{
    buf_done(&x->header_lines);
    buf_done(&x->body);
    buf_done(&x->words);
}

int model_wire_open(const struct model_settings *settings, struct model_wire **ret, struct err *err)
{
    struct model_wire *wire = xcalloc(1, sizeof *wire);

    if ((settings->replay && llm_replay_open(settings->replay, &wire->replay, err) < 0) ||
        (settings->record && llm_record_open(settings->record, &wire->record, err) < 0)) {
        model_wire_close(wire);
        return -1;
    }
    *ret = wire;
    return 0;
}

void model_wire_close(struct model_wire *wire)
{
    if (!wire)
        return;
    fetch_close(wire->fetch);
    llm_record_close(wire->record);
    llm_replay_close(wire->replay);
    free(wire);
}

bool model_wire_is_replay(const struct model_wire *wire)
{
    return wire->replay;
}

const char *model_wire_first(const struct model_wire *wire)
{
    return wire->replay ? llm_replay_first_model(wire->replay) : NULL;
}

/* ---- over the network ---- */

static int exchange_begin(struct model_wire *wire, const struct llm_place *place,
                          const struct llm_exchange *x, struct err *err)
{
    AUTO_FREE char *url = llm_place_url(place, x->path);
    AUTO_FREE char *body = json_write(x->request, false);
    AUTO_FREE char *key = place->key ? xasprintf("%s%s", place->key_header, place->key) : NULL;
    const char *const *more = place->provider->protocol->headers;
    const char *headers[8] = {"Content-Type: application/json", key ? key : "Accept: */*"};
    const struct fetch_request request = {
        .method = "POST",
        .url = url,
        .headers = headers,
        .body = str_from(body),
        .connect_ms = CONNECT_MS,
        .idle_ms = x->stream ? IDLE_MS : 0,
        .whole_ms = x->timeout_ms,
        .max_bytes = x->stream ? STREAM_MAX : READING_EVENT_MAX,
    };

    for (size_t i = 0; more && more[i] && i < 4; i++)
        headers[2 + i] = more[i];
    int status = wire->fetch ? 0 : fetch_open(&wire->fetch, err);
    if (status == 0)
        status = fetch_send(wire->fetch, &request, err);
    if (key)
        explicit_bzero(key, strlen(key));
    return status;
}

static int exchange_take(struct model_wire *wire, struct llm_exchange *x,
                         const struct fetch_event *event, struct err *err)
{
    if (event->kind == FETCH_HEAD) {
        x->status = event->status;
        (void)buf_add_str(&x->header_lines, event->header_lines);
    } else if (event->kind == FETCH_FAILED) {
        x->failed = true;
        x->failure = event->failure;
        (void)buf_add_str(&x->words, event->bytes);
    } else if (event->kind == FETCH_BODY) {
        bool streamed = x->stream && x->status == 200;
        if (!streamed || wire->record)
            (void)buf_add_str(&x->body, event->bytes);
        if (streamed)
            return x->piece(x->ctx, event->bytes, err);
    }
    return 0;
}

/* Closes the connection: the rest of an aborted exchange must not be read as the start of the next
 * answer. */
static int give_up(struct model_wire *wire)
{
    fetch_close(wire->fetch);
    wire->fetch = NULL;
    return -1;
}

static int over_network(struct model_wire *wire, const struct llm_place *place,
                        struct llm_exchange *x, const struct llm_watch *watch, bool *ret_cancelled,
                        struct err *err)
{
    struct fetch_event event = {.kind = FETCH_HEAD};

    if (exchange_begin(wire, place, x, err) < 0)
        return give_up(wire);
    while (event.kind != FETCH_END && event.kind != FETCH_FAILED)
        if (fetch_next(wire->fetch, watch->deadline_ms, watch->cancel_fd, &event, ret_cancelled,
                       err) < 0 ||
            exchange_take(wire, x, &event, err) < 0)
            return give_up(wire);
    return 0;
}

/* ---- from a file ---- */

static int out_of_file(struct model_wire *wire, const struct llm_place *place,
                       struct llm_exchange *x, struct err *err)
{
    if (llm_replay_answer(wire->replay, place, x, err) < 0)
        return -1;
    if (x->failed || !x->stream || x->status != 200)
        return 0;
    return x->piece(x->ctx, buf_str(&x->body), err);
}

int model_wire_exchange(struct model_wire *wire, const struct llm_place *place,
                        struct llm_exchange *x, const struct llm_watch *watch, bool *ret_cancelled,
                        struct err *err)
{
    struct err other;

    if (wire->replay)
        return out_of_file(wire, place, x, err);
    int status = over_network(wire, place, x, watch, ret_cancelled, err);
    /* An invalid answer is recorded, too; if that fails, the exchange's own error is reported. */
    if (wire->record && (x->status || x->failed) &&
        llm_record_add(wire->record, place, x, status < 0 ? &other : err) < 0)
        return -1;
    return status;
}
