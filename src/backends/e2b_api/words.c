/* SPDX-License-Identifier: Apache-2.0
 *
 * Error messages: the failure and a remedy.
 */
#include <stdio.h>

#include "base/mem.h"
#include "e2b_api/json.h"
#include "e2b_api/parts.h"
#include "formats/hide_key.h"
#include "formats/json_get.h"
#include "formats/printable.h"

enum { BODY_SHOWN = 4096 };

static void words_show(const struct e2b *e, struct str text, char *out, size_t n)
{
    const char *const secrets[] = {e->account.key, e->token, e->traffic_token};
    AUTO_BUF struct buf shown = {0}, b = {0};

    buf_init(&shown, 64 << 10);
    (void)buf_add_str(&shown, str_slice(text, 0, BODY_SHOWN));
    for (size_t i = 0; i < ARRAY_LEN(secrets); i++) {
        AUTO_BUF struct buf hidden = {0};
        buf_init(&hidden, 64 << 10);
        hide_key(&hidden, buf_str(&shown), secrets[i]);
        buf_clear(&shown);
        (void)buf_add_str(&shown, buf_str(&hidden));
    }
    buf_init(&b, n);
    printable_add_word(&b, str_trim(buf_str(&shown)), n / 4);
    snprintf(out, n, "%s", b.p);
}

void e2b_show(const struct e2b *e, struct str text, char out[E2B_WORDS_MAX])
{
    words_show(e, text, out, E2B_WORDS_MAX);
}

void e2b_show_body(const struct e2b *e, const json_t *json, struct str body,
                   char out[E2B_WORDS_MAX])
{
    const json_t *message = json_object_get(json, "message");

    e2b_show(e, json_is_string(message) ? json_str(message) : body, out);
}

int e2b_say_failure(const struct e2b *e, enum e2b_side side, const struct fetch_event *event,
                    struct err *err)
{
    char words[E2B_WORDS_MAX];

    e2b_show(e, event->bytes, words);
    if (event->failure == FETCH_NOT_TRUSTED)
        return err_set(err, ERR_UNSUPPORTED, "there is no trusted TLS connection to E2B: %s",
                       words);
    if (event->failure == FETCH_TIMED_OUT)
        return err_set(err, ERR_SYSTEM, "E2B does not answer: %s", words);
    if (event->failure == FETCH_TOO_LARGE || event->failure == FETCH_BAD_REQUEST)
        return err_set(err, ERR_UNSUPPORTED, "E2B: %s", words);
    if (side != E2B_CONTROL)
        return err_set(err, ERR_SYSTEM, "the connection to the sandbox broke: %s", words);
    return err_set(err, ERR_SYSTEM, "E2B at %s cannot be reached: %s", e->account.shown, words);
}

/* ---- statuses ---- */

static const struct {
    unsigned from, to;
    enum err_kind kind;
    const char *service, *sandbox;
} statuses[] = {
    {300, 399, ERR_UNSUPPORTED, "the service is elsewhere: check E2B_API_URL",
     "the sandbox is elsewhere: check E2B_SANDBOX_URL"},
    {401, 401, ERR_UNSUPPORTED, "the key in E2B_API_KEY is not accepted",
     "the sandbox does not know the token that the service gave: check E2B_SANDBOX_URL"},
    {403, 403, ERR_UNSUPPORTED, "the account may not do this: see its plan and its limits",
     "the sandbox does not permit it"},
    {404, 404, ERR_UNSUPPORTED, "it does not exist, or is gone: check E2B_API_URL",
     "the sandbox does not have it: check the template and E2B_SANDBOX_URL"},
    {408, 408, ERR_SYSTEM, "the service took too long: try again",
     "the sandbox took too long: try again"},
    {409, 409, ERR_UNSUPPORTED, "another request is in its way: try again",
     "another request is in its way: try again"},
    {429, 429, ERR_SYSTEM, "the account's limit is reached: wait, or close other sandboxes",
     "the sandbox gets too many requests, which are limited: wait, and try again"},
    {502, 502, ERR_SYSTEM, "the service failed: try again later",
     "the sandbox is gone (it expired, or was killed), or its template lacks this"},
    {503, 503, ERR_SYSTEM, "the service is busy: try again later",
     "the sandbox is busy: try again later"},
    {507, 507, ERR_SYSTEM, "the service's disk is full: try again later",
     "the sandbox's disk is full: write less, or use a template with a larger one"},
    {500, 599, ERR_SYSTEM, "the service failed: try again later",
     "the sandbox failed: try again later"},
    {0, 999, ERR_UNSUPPORTED, "the service does not accept the request",
     "the sandbox does not accept the request"},
};

static int say_status(const struct e2b_answer *answer, const char *what, struct err *err)
{
    char wait[64] = "";
    size_t i = 0;

    while (answer->status < statuses[i].from || answer->status > statuses[i].to)
        i++;
    if (answer->retry_after_ms)
        snprintf(wait, sizeof wait, ", again after %d s", (int)(answer->retry_after_ms / 1000));
    return err_set(err, statuses[i].kind, "E2B cannot %s: %s (status %u%s%s%s)", what,
                   answer->side == E2B_CONTROL ? statuses[i].service : statuses[i].sandbox,
                   answer->status, wait, *answer->said ? ": " : "", answer->said);
}

int e2b_say_refused(const struct e2b *e, enum e2b_side side, unsigned status, struct str body,
                    const char *what, struct err *err)
{
    struct e2b_answer answer = {.side = side, .status = status < 1000 ? status : 999};
    struct err ignored;
    json_t *json = e2b_json_read(body, 0, "an answer", &ignored);

    e2b_show_body(e, json, body, answer.said);
    json_decref(json);
    return say_status(&answer, what, err);
}

/* A redirect is not a success: it is not followed, and its answer has no result. */
bool e2b_is_good(unsigned status)
{
    return status >= 200 && status < 300;
}

int e2b_must(const struct e2b_answer *answer, const char *what, struct err *err)
{
    return e2b_is_good(answer->status) ? 0 : say_status(answer, what, err);
}
