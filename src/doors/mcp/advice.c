/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/advice.h"

#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "request/wording.h"
#include "text/format.h"

static const struct {
    const char *option, *argument;
} arguments[] = {
    {"file", "the argument 'files'"},
    {"stdin", "the argument 'stdin'"},
    {"lang", "the argument 'language'"},
    {"timeout", "the argument 'timeout', up to the server's limit"},
};

/* No tool restarts a session. */
#define ERROR_RESTART "; restart it"
#define ERROR_OPEN    "; open another one with create_session"

static const struct {
    const char *from, *to;
} phrases[] = {
    {ERROR_RESTART, ERROR_OPEN},
    {" files are kept. Restart the session.",
     " files are kept, and can still be read. Open another session with create_session."},
    {" Restart the session.", " Open another session with create_session."},
};

static bool spell(const void *ctx, struct str option, struct str value, struct buf *b)
{
    bool all_time = *(const bool *)ctx;

    if (all_time && str_is(option, "timeout"))
        return buf_adds(b, "the server's option --timeout, which is what a call has at most") == 0;
    for (size_t i = 0; i < ARRAY_LEN(arguments); i++)
        if (str_is(option, arguments[i].option))
            return buf_adds(b, arguments[i].argument) == 0;
    return buf_addf(b, "the server's option --%.*s%s%.*s", (int)option.n, option.p,
                    value.n ? "=" : "", (int)value.n, value.p) == 0;
}

/* Returns the index of the phrase that begins here; ARRAY_LEN(phrases) for none. */
static size_t phrase_at(struct str s, size_t at)
{
    size_t i = 0;

    while (i < ARRAY_LEN(phrases) && !str_starts(str_slice(s, at, s.n), phrases[i].from))
        i++;
    return i;
}

static json_t *reworded(const void *all_time, struct str s)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 8 * s.n + 200);
    for (size_t at = 0; at < s.n;) {
        size_t i = phrase_at(s, at);
        if (i == ARRAY_LEN(phrases)) {
            (void)buf_addc(&b, s.p[at++]);
            continue;
        }
        (void)buf_adds(&b, phrases[i].to);
        at += strlen(phrases[i].from);
    }
    return wording_text(buf_str(&b), spell, all_time);
}

json_t *advice_error(struct str message)
{
    static const bool all_time = false;
    bool restart = str_ends(message, ERROR_RESTART);
    size_t n = message.n - (restart ? strlen(ERROR_RESTART) : 0);
    AUTO_FREE char *text = xasprintf("%.*s%s", (int)n, message.p, restart ? ERROR_OPEN : "");

    return wording_text(str_from(text), spell, &all_time);
}

static json_t *error_of(const void *all_time, struct str message)
{
    (void)all_time;
    return advice_error(message);
}

/* Keeps one piece of the advice, and in it no option that only the operator can set. */
static void keep_one(json_t *document)
{
    AUTO_BUF struct buf text = {0};

    if (!json_object_get(document, "feedback"))
        return;
    buf_init(&text, 16 << 10);
    format_advice(document, &text);
    json_object_set_new(document, "feedback",
                        text.n ? json_pack("[o]", json_text(buf_str(&text))) : json_array());
    json_object_set_new(document, "advice", json_text_or_null(buf_str(&text)));
}

void advice_for_model(json_t *document, bool all_time)
{
    wording_document(
        document, &(struct wording_rules){.advice = reworded, .error = error_of, .ctx = &all_time});
    keep_one(document);
}
