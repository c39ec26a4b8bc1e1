/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/hide_key.h"
#include "formats/json_get.h"
#include "formats/printable.h"
#include "llm/retry.h"
#include "llm/sse.h"
#include "net/url.h"

enum { WORDS_MAX = 240 };

/* An attempt while its answer arrives. */
struct arriving {
    struct attempt *a;
    struct llm_exchange exchange;
    struct reading reading;
    struct sse sse;
};

/* ---- a server's messages ---- */

/* Returns a server's message without the key, safe for a terminal, and cut. The caller frees. */
static char *shown_words(const struct llm_place *place, struct str words)
{
    AUTO_BUF struct buf hidden = {0};
    AUTO_BUF struct buf shown = {0};

    /* enough for WORDS_MAX characters */
    words = str_slice(words, 0, 16 << 10);
    buf_init(&hidden, 64 << 10);
    buf_init(&shown, 8 << 10);
    hide_key(&hidden, words, place->key);
    printable_add_word(&shown, buf_str(&hidden), WORDS_MAX);
    return buf_take(&shown);
}

static char *shown_url(const struct arriving *in)
{
    AUTO_FREE char *url = llm_place_url(in->a->place, in->exchange.path);
    AUTO_BUF struct buf hidden = {0};
    AUTO_BUF struct buf shown = {0};

    buf_init(&shown, 4096);
    buf_init(&hidden, 8192);
    url_add_shown(&shown, str_from(url));
    hide_key(&hidden, buf_str(&shown), in->a->place->key);
    return buf_take(&hidden);
}

/* Parsers' error messages may quote the server. */
static int hide_in_error(const struct arriving *in, struct err *err)
{
    AUTO_FREE char *words = shown_words(in->a->place, str_from(err->msg));
    AUTO_FREE char *url = shown_url(in);

    return err_set(err, err->kind, "%s (%s)", words, url);
}

/* ---- failures ---- */

static const struct {
    enum fetch_failure failure;
    enum err_kind kind;
    bool retry;
    const char *words;
} failures[] = {
    {FETCH_NOT_CONNECTED, ERR_SYSTEM, true, "the model's server cannot be reached"},
    {FETCH_NOT_TRUSTED, ERR_SYSTEM, false, "the model's server cannot be trusted"},
    {FETCH_TIMED_OUT, ERR_TIMEOUT, false, "the model's server is too slow"},
    {FETCH_TOO_LARGE, ERR_LIMIT, false, "the model's server sends too much"},
    {FETCH_BROKEN, ERR_SYSTEM, true, "the connection to the model's server broke"},
    {FETCH_BAD_REQUEST, ERR_USAGE, false, "the address of the model's server is invalid"},
};

static int network_failed(struct arriving *in, struct err *err)
{
    AUTO_FREE char *words = shown_words(in->a->place, buf_str(&in->exchange.words));
    AUTO_FREE char *url = shown_url(in);

    for (size_t i = 0; i < ARRAY_LEN(failures); i++)
        if (failures[i].failure == in->exchange.failure) {
            in->a->retry = failures[i].retry && !in->reading.shown;
            return err_set(err, failures[i].kind, "%s: %s (%s)", failures[i].words, words, url);
        }
    return err_set(err, ERR_GUEST, "the exchange failed for an unknown reason (%s)", url);
}

static enum err_kind kind_of_status(unsigned status)
{
    return status == 429   ? ERR_LIMIT
           : status >= 500 ? ERR_SYSTEM
           : status >= 400 ? ERR_USAGE
                           : ERR_GUEST;
}

/* Returns what the user can do about the failure, or NULL. */
static const char *advice(const struct arriving *in, const char *words)
{
    unsigned status = in->exchange.status;

    if (status == 401 || status == 403)
        return in->a->place->key ? "; check the key" : "; no key was sent";
    if (status == 404)
        return "; check the model's name and the address";
    if (status >= 300 && status < 400)
        return "; redirects are not followed: change the address";
    if (status == 400 && in->a->request->has_temperature && strstr(words, "temperature"))
        return "; try --temperature none";
    if (status == 400 && in->a->request->tool_n && strstr(words, "tool"))
        return "; try --calls blocks";
    return "";
}

static int server_refused(struct arriving *in, struct err *err)
{
    struct llm_exchange *x = &in->exchange;
    struct str body = buf_str(&x->body), said = body;
    json_t *document = reading_parse(body, err);

    if (reading_error(document))
        said = json_str(reading_error(document));
    else if (x->status >= 300 && x->status < 400)
        said = fetch_header(buf_str(&x->header_lines), "location");
    AUTO_FREE char *words = shown_words(in->a->place, said);
    AUTO_FREE char *url = shown_url(in);
    in->a->retry = retry_worth(x->status, buf_str(&x->header_lines), document);
    in->a->asked_ms = retry_asked_ms(buf_str(&x->header_lines), document);
    json_decref(document);
    return err_set(err, kind_of_status(x->status), "the model's server answered %u%s%s%s (%s)",
                   x->status, *words ? ": " : "", words, advice(in, words), url);
}

/* ---- answers ---- */

static int ask_read_event(void *ctx, struct str data, struct err *err)
{
    struct arriving *in = ctx;

    if (str_is(str_trim(data), "[DONE]") || str_trim(data).n == 0)
        return 0;
    json_t *event = reading_parse(data, err);
    if (!event)
        return -1;
    int status = in->a->protocol->event(&in->reading, event, err);
    json_decref(event);
    return status;
}

/* Some servers do not stream, even if the request demands it. */
static bool is_events(const struct llm_exchange *x)
{
    struct str type = fetch_header(buf_str(&x->header_lines), "content-type");

    return x->stream && !str_starts(type, "application/json");
}

static int take_piece(void *ctx, struct str bytes, struct err *err)
{
    struct arriving *in = ctx;

    if (is_events(&in->exchange))
        return sse_feed(&in->sse, bytes, err);
    return buf_add_str(&in->sse.data, bytes) < 0
               ? err_set(err, ERR_LIMIT, "the answer is too large")
               : 0;
}

static int ask_read_whole(struct arriving *in, struct str body, struct err *err)
{
    json_t *document = reading_parse(body, err);

    if (!document)
        return -1;
    int status = in->a->protocol->whole(&in->reading, document, err);
    json_decref(document);
    return status;
}

static int read_answer(struct arriving *in, struct err *err)
{
    if (!in->exchange.stream)
        return ask_read_whole(in, buf_str(&in->exchange.body), err);
    return is_events(&in->exchange) ? sse_end(&in->sse, err)
                                    : ask_read_whole(in, buf_str(&in->sse.data), err);
}

static void hide_in(char **text, const char *key)
{
    char *hidden = hide_key_text(str_from(*text), key);

    if (!hidden)
        return;
    free(*text);
    *text = hidden;
}

/* In JSON, escapes can hide the key from a search. */
static void hide_in_arguments(char **text, const char *key)
{
    struct err err;

    if (!hide_key_is_secret(key))
        return;
    hide_in(text, key);
    json_t *value = reading_parse(str_from(*text), &err);
    AUTO_FREE char *plain = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    if (plain && strstr(plain, key)) {
        value = hide_key_json(value, key);
        free(*text);
        *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    }
    json_decref(value);
}

/* A server may send the key back in the model's text: removes it there. */
static void hide_in_text(struct arriving *in)
{
    struct buf *text = &in->a->answer->text;
    AUTO_FREE char *hidden = hide_key_text(buf_str(text), in->a->place->key);

    if (!hidden)
        return;
    buf_clear(text);
    (void)buf_adds(text, hidden);
}

/* Removes the key from the calls, and from the parts that the next request repeats and a record
 * keeps. */
static void hide_in_rest(struct arriving *in)
{
    struct llm_answer *answer = in->a->answer;
    const char *key = in->a->place->key;

    for (size_t i = 0; i < answer->call_n; i++) {
        hide_in(&answer->calls[i].id, key);
        hide_in(&answer->calls[i].name, key);
        hide_in_arguments(&answer->calls[i].arguments, key);
    }
    answer->raw = hide_key_json(answer->raw, key);
}

static int ask_finish(struct arriving *in, struct err *err)
{
    if (in->exchange.failed)
        return network_failed(in, err);
    if (in->exchange.status != 200)
        return server_refused(in, err);
    if (read_answer(in, err) < 0)
        return hide_in_error(in, err);
    if (!in->reading.complete) {
        in->a->retry = !in->reading.shown;
        err_set(err, ERR_SYSTEM, "the model's answer ended too early");
        return hide_in_error(in, err);
    }
    reading_show_rest(&in->reading);
    hide_in_text(in);
    if (reading_finish(&in->reading, err) < 0)
        return hide_in_error(in, err);
    hide_in_rest(in);
    return 0;
}

/* ---- the attempt ---- */

static void begin(struct arriving *in, const struct llm_asking *asking)
{
    const struct attempt *a = in->a;

    llm_exchange_init(&in->exchange);
    reading_init(&in->reading, a->answer, a->watch);
    in->reading.key = hide_key_is_secret(a->place->key) ? a->place->key : NULL;
    sse_init(&in->sse, READING_EVENT_MAX, ask_read_event, in);
    in->exchange.path =
        a->protocol->make_path ? a->protocol->make_path(asking) : xstrdup(a->protocol->path);
    in->exchange.request = a->protocol->body(asking);
    in->exchange.stream = a->request->stream;
    in->exchange.timeout_ms = a->timeout_ms;
    in->exchange.piece = take_piece;
    in->exchange.ctx = in;
}

static void end(struct arriving *in)
{
    free((char *)(uintptr_t)in->exchange.path);
    json_decref((json_t *)(uintptr_t)in->exchange.request);
    llm_exchange_done(&in->exchange);
    reading_done(&in->reading);
    sse_done(&in->sse);
}

int attempt_run(struct attempt *a, struct err *err)
{
    struct arriving in = {.a = a};
    const struct llm_asking asking = {
        .request = a->request,
        .model = a->place->model,
        .max_tokens = a->request->max_tokens ? a->request->max_tokens : a->max_tokens,
    };

    a->retry = a->cancelled = false;
    a->asked_ms = -1;
    begin(&in, &asking);
    int status = model_wire_exchange(a->wire, a->place, &in.exchange, a->watch, &a->cancelled, err);
    if (status < 0 && in.exchange.status == 200)
        (void)hide_in_error(&in, err);
    if (status == 0)
        status = ask_finish(&in, err);
    end(&in);
    if (status < 0)
        llm_answer_done(a->answer);
    return status;
}
