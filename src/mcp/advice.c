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

static void add_option(struct buf *b, struct str option)
{
    for (size_t i = 0; i < ARRAY_LEN(arguments); i++)
        if (str_is(option, arguments[i].option)) {
            (void)buf_adds(b, arguments[i].argument);
            return;
        }
    (void)buf_addf(b, "the server's option %.*s", (int)option.n, option.p);
}

static json_t *reworded(const json_t *text)
{
    struct str s = json_str(text);
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 8 * s.n + 100);
    for (size_t at = 0; at < s.n;) {
        size_t n = option_at(s, at);
        if (n)
            add_option(&b, str_slice(s, at, at + n));
        else
            (void)buf_addc(&b, s.p[at]);
        at += n ? n : 1;
    }
    return json_text(buf_str(&b));
}

static void reword_list(json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            json_array_set_new(list, i, reworded(json_array_get(list, i)));
        else
            advice_for_model(json_array_get(list, i));
}

void advice_for_model(json_t *document)
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
            advice_for_model(value);
        else if (json_is_array(value) && (ours || json_is_object(json_array_get(value, 0))))
            reword_list(value);
        else if (ours && json_is_string(value))
            json_object_set_new(document, key, reworded(value));
    }
}
