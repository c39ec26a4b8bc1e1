/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/advice.h"

#include <string.h>

#include "base/buf.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "result/verdict_json.h"

/* Texts of ours in a document. */
static const char *const advice_keys[] = {"hint", "summary", "feedback", "feedback_text", NULL};
/* Data of the guest and of the caller. */
static const char *const data_keys[] = {"value",  "results", "stdout", "stderr",
                                        "output", "call",    "files",  NULL};

static const struct {
    const char *option, *argument;
} arguments[] = {
    {"--file", "the argument 'files'"},
    {"--stdin", "the argument 'stdin'"},
    {"--timeout", "the argument 'timeout', up to the server's limit"},
};

/* No tool restarts a session. */
#define ERROR_RESTART "; restart it"
#define ERROR_OPEN    "; open another one with create_session"

static const struct {
    const char *from, *to;
} phrases[] = {
    {ERROR_RESTART, ERROR_OPEN},
    {" Restart the session.",
     " Read them with read_file, and open another session with create_session."},
};

static bool is_one_of(const char *key, const char *const *keys)
{
    while (*keys && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

/* The bytes of the option that begins here; 0 if none does. */
static size_t option_at(struct str s, size_t at)
{
    size_t n = 2;
    bool begins = at == 0 || strchr(" ('\"", s.p[at - 1]);

    if (!begins || !str_starts(str_slice(s, at, s.n), "--"))
        return 0;
    while (at + n < s.n && s.p[at + n] && strchr("abcdefghijklmnopqrstuvwxyz-", s.p[at + n]))
        n++;
    return n > 2 ? n : 0;
}

static void add_option(struct buf *b, struct str option, bool all_time)
{
    if (all_time && str_is(option, "--timeout")) {
        (void)buf_adds(b, "the server's option --timeout, which is what a call has at most");
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(arguments); i++)
        if (str_is(option, arguments[i].option)) {
            (void)buf_adds(b, arguments[i].argument);
            return;
        }
    (void)buf_addf(b, "the server's option %.*s", (int)option.n, option.p);
}

/* The bytes that were replaced; 0: nothing is to be replaced here. */
static size_t replace_at(struct buf *b, struct str s, size_t at, bool all_time)
{
    size_t n = option_at(s, at);

    if (n) {
        add_option(b, str_slice(s, at, at + n), all_time);
        return n;
    }
    for (size_t i = 0; i < ARRAY_LEN(phrases) && !n; i++)
        if (str_starts(str_slice(s, at, s.n), phrases[i].from)) {
            (void)buf_adds(b, phrases[i].to);
            n = strlen(phrases[i].from);
        }
    return n;
}

static json_t *reworded(const json_t *text, bool all_time)
{
    struct str s = json_str(text);
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 8 * s.n + 200);
    for (size_t at = 0; at < s.n;) {
        size_t n = replace_at(&b, s, at, all_time);
        if (!n)
            (void)buf_addc(&b, s.p[at]);
        at += n ? n : 1;
    }
    return json_text(buf_str(&b));
}

json_t *advice_error(struct str message)
{
    bool restart = str_ends(message, ERROR_RESTART);
    size_t n = message.n - (restart ? strlen(ERROR_RESTART) : 0);
    AUTO_FREE char *text = xasprintf("%.*s%s", (int)n, message.p, restart ? ERROR_OPEN : "");

    return json_text(str_from(text));
}

static void reword_error(json_t *document)
{
    json_t *error = json_object_get(document, "error");
    const json_t *message = json_object_get(error, "message");

    if (json_is_string(message))
        json_object_set_new(error, "message", advice_error(json_str(message)));
}

static void reword_all(json_t *document, bool all_time);

static void reword_list(json_t *list, bool all_time)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            json_array_set_new(list, i, reworded(json_array_get(list, i), all_time));
        else
            reword_all(json_array_get(list, i), all_time);
}

static void reword_all(json_t *document, bool all_time)
{
    const char *key;
    json_t *value;
    void *next;

    json_object_foreach_safe(document, next, key, value)
    {
        bool ours = is_one_of(key, advice_keys);
        if (is_one_of(key, data_keys))
            continue;
        if (json_is_object(value))
            reword_all(value, all_time);
        else if (json_is_array(value) && (ours || json_is_object(json_array_get(value, 0))))
            reword_list(value, all_time);
        else if (ours && json_is_string(value))
            json_object_set_new(document, key, reworded(value, all_time));
    }
}

void advice_for_model(json_t *document, bool all_time)
{
    reword_all(document, all_time);
    reword_error(document);
}
