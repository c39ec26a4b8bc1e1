/* SPDX-License-Identifier: Apache-2.0 */
#include "request/wording.h"

#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "request/setting.h"

/* ---- the spellings ---- */

/* Returns the row of the option with this name; for --file, the row of the field `files`. */
static const struct setting *setting_of(struct str option)
{
    if (str_is(option, "file"))
        return &settings_all[SETTING_files];
    for (const struct setting *row = settings_all; row < settings_all + SETTING_COUNT; row++)
        if (row->opt.name && str_is(option, row->opt.name))
            return row->field ? row : NULL;
    return NULL;
}

static const struct setting *setting_of_field(struct str field)
{
    for (const struct setting *row = settings_all; row < settings_all + SETTING_COUNT; row++)
        if (row->field && str_is(field, row->field))
            return row;
    return NULL;
}

/* The Python package has types for times and sizes, so its names have no unit. */
static struct str python_name(const char *field)
{
    struct str name = str_from(field);
    size_t unit = str_ends(name, "_ms") ? 3 : str_ends(name, "_bytes") ? 6 : 0;

    return str_slice(name, 0, name.n - unit);
}

static struct str wording_name_of(enum wording wording, struct str option)
{
    const struct setting *row = setting_of(option);

    if (!row)
        return (struct str){0};
    return wording == WORDING_PYTHON ? python_name(row->field) : str_from(row->field);
}

static bool spell(const void *ctx, struct str option, struct str value, struct buf *b)
{
    enum wording wording = *(const enum wording *)ctx;
    struct str name = wording_name_of(wording, option);
    bool python = wording == WORDING_PYTHON;

    if (!name.n)
        return false;
    (void)buf_addf(b, python ? "%.*s=" : "'%.*s'", (int)name.n, name.p);
    if (value.n)
        (void)buf_addf(b, "%s\"%.*s\"", python ? "" : ": ", (int)value.n, value.p);
    return true;
}

enum wording wording_find(struct str name)
{
    return str_is(name, "options")  ? WORDING_OPTIONS
           : str_is(name, "python") ? WORDING_PYTHON
                                    : WORDING_FIELDS;
}

/* ---- options in a text ---- */

static size_t span(struct str s, size_t at, const char *set)
{
    size_t n = 0;

    while (at + n < s.n && s.p[at + n] && strchr(set, s.p[at + n]))
        n++;
    return n;
}

/* Returns the length of the option with its value that begins here; 0 if there is none. */
static size_t option_at(struct str s, size_t at, struct str *ret_name, struct str *ret_value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
    static const char values[] = "abcdefghijklmnopqrstuvwxyz0123456789-_,.:*";
    bool begins = at == 0 || strchr(" (", s.p[at - 1]);
    size_t name = begins && str_starts(str_slice(s, at, s.n), "--") ? span(s, at + 2, letters) : 0;
    size_t equals = at + 2 + name;

    if (!name)
        return 0;
    size_t value = equals < s.n && s.p[equals] == '=' ? span(s, equals + 1, values) : 0;
    while (value && strchr(".:,", s.p[equals + value])) /* the end of a sentence or a clause */
        value--;
    *ret_name = str_slice(s, at + 2, equals);
    *ret_value = value ? str_slice(s, equals + 1, equals + 1 + value) : (struct str){0};
    return 2 + name + (value ? 1 + value : 0);
}

json_t *wording_text(struct str text, wording_speller *speller, const void *ctx)
{
    AUTO_BUF struct buf b = {0};
    struct str name, value;

    buf_init(&b, 8 * text.n + 200);
    for (size_t at = 0; at < text.n;) {
        size_t n = option_at(text, at, &name, &value);
        if (!n || !speller(ctx, name, value, &b)) {
            n = n ? n : 1;
            (void)buf_add_str(&b, str_slice(text, at, at + n));
        }
        at += n;
    }
    return json_text(buf_str(&b));
}

/* ---- a document ---- */

/* Our own texts in a document. */
static const char *const advice_keys[] = {"hint",   "summary", "feedback", "feedback_text",
                                          "reason", "notes",   "warnings", NULL};
/* Data of the guest or the caller. */
static const char *const data_keys[] = {"value",  "results",  "stdout",  "stderr", "output", "call",
                                        "actual", "expected", "context", "cell",   NULL};
/* More of such data, which feedback quotes. */
static const char *const quoted_keys[] = {"statement", "traceback", "detail",
                                          "excerpt",   "name",      NULL};

static bool is_one_of(const char *key, const char *const *keys)
{
    while (*keys && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

/* ---- our own texts that quote the guest ---- */

static bool says(const json_t *value, struct str words);

/* True if a string of the guest or the caller anywhere in the document contains these words. */
static bool quotes(const json_t *document, struct str words)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)document, key, value)
    {
        bool theirs = is_one_of(key, data_keys) || is_one_of(key, quoted_keys) ||
                      (strcmp(key, "message") == 0 && json_object_get(document, "traceback"));
        if (theirs ? says(value, words) : json_is_object(value) && quotes(value, words))
            return true;
        for (size_t i = 0; !theirs && i < json_array_size(value); i++)
            if (quotes(json_array_get(value, i), words))
                return true;
    }
    return false;
}

static bool says(const json_t *value, struct str words)
{
    const char *key;
    json_t *member;

    if (json_is_string(value))
        return str_find(json_str(value), words) >= 0;
    json_object_foreach((json_t *)value, key, member) if (says(member, words)) return true;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (says(json_array_get(value, i), words))
            return true;
    return false;
}

/* Returns the length of the quoted line of the program that begins here, "    12 | code"; 0 if
 * there is none. */
static size_t program_line(struct str s, size_t at)
{
    size_t n = span(s, at, " "), digits = span(s, at + n, "0123456789");
    long end = str_find(str_slice(s, at, s.n), STR("\n"));
    bool begins = at == 0 || s.p[at - 1] == '\n';

    if (!begins || !digits || !str_starts(str_slice(s, at + n + digits, s.n), " | "))
        return 0;
    return end < 0 ? s.n - at : (size_t)end;
}

static size_t word_before(struct str s, size_t at)
{
    size_t from = at;

    while (from && s.p[from - 1] == ' ')
        from--;
    while (from && !strchr(" \n", s.p[from - 1]))
        from--;
    return from;
}

static size_t word_after(struct str s, size_t at)
{
    at += span(s, at, " ");
    while (at < s.n && !strchr(" \n", s.p[at]))
        at++;
    return at;
}

/* True if the data of the guest or the caller has this option next to the same word. */
static bool is_quoted(const json_t *whole, struct str s, size_t at, size_t end)
{
    size_t before = word_before(s, at), after = word_after(s, end);

    return (before < at && quotes(whole, str_slice(s, before, end))) ||
           (after > end && quotes(whole, str_slice(s, at, after)));
}

/* Returns the length of the quote that begins here; 0 if the text here is our own. */
static size_t quoted_at(const json_t *whole, struct str s, size_t at)
{
    struct str name, value;
    size_t n = program_line(s, at);

    if (!n && (n = option_at(s, at, &name, &value)) && !is_quoted(whole, s, at, at + 2 + name.n))
        n = 0;
    return n;
}

/* The state of the walk through a document. */
struct rewording {
    const struct wording_rules *rules;
    const json_t *whole;
};

static void add_ours(struct buf *b, const struct wording_rules *rules, struct str text)
{
    json_t *reworded = rules->advice(rules->ctx, text);

    (void)buf_add_str(b, json_str(reworded));
    json_decref(reworded);
}

static json_t *wording_advise(const struct rewording *r, struct str s)
{
    AUTO_BUF struct buf b = {0};
    size_t from = 0, n;

    buf_init(&b, 16 * s.n + 400);
    for (size_t at = 0; at < s.n; at += n ? n : 1) {
        if (!(n = quoted_at(r->whole, s, at)))
            continue;
        add_ours(&b, r->rules, str_slice(s, from, at));
        (void)buf_add_str(&b, str_slice(s, at, at + n));
        from = at + n;
    }
    add_ours(&b, r->rules, str_slice(s, from, s.n));
    return json_text(buf_str(&b));
}

/* ---- the walk ---- */

static void rewrite_advice(json_t *object, const char *key, const struct rewording *r)
{
    const json_t *text = json_object_get(object, key);

    if (json_is_string(text))
        json_object_set_new(object, key, wording_advise(r, json_str(text)));
}

static void rewrite_error(json_t *error, const struct wording_rules *rules)
{
    const json_t *text = json_object_get(error, "message");

    if (json_is_string(text))
        json_object_set_new(error, "message", rules->error(rules->ctx, json_str(text)));
}

static void rewrite_document(json_t *document, const struct rewording *r);

static void rewrite_list(json_t *list, const struct rewording *r)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            json_array_set_new(list, i, wording_advise(r, json_str(json_array_get(list, i))));
        else
            rewrite_document(json_array_get(list, i), r);
}

static void rewrite_document(json_t *document, const struct rewording *r)
{
    const char *key;
    json_t *value;
    void *next;

    if (json_get_text(document, "event")) /* a warning */
        rewrite_advice(document, "message", r);
    json_object_foreach_safe(document, next, key, value)
    {
        /* This code handles every answer, and most members are numbers: skip these first. */
        if (!json_is_string(value) && !json_is_object(value) && !json_is_array(value))
            continue;
        bool ours = is_one_of(key, advice_keys);
        if (is_one_of(key, data_keys))
            continue;
        if (json_is_object(value) && strcmp(key, "error") == 0)
            rewrite_error(value, r->rules);
        else if (json_is_object(value))
            rewrite_document(value, r);
        else if (json_is_array(value) && (ours || json_is_object(json_array_get(value, 0))))
            rewrite_list(value, r);
        else if (ours)
            rewrite_advice(document, key, r);
    }
}

void wording_document(json_t *document, const struct wording_rules *rules)
{
    rewrite_document(document, &(struct rewording){.rules = rules, .whole = document});
}

/* ---- the front doors of request.def ---- */

static json_t *advice_as(const void *ctx, struct str text)
{
    return *(const enum wording *)ctx == WORDING_OPTIONS ? json_text(text)
                                                         : wording_text(text, spell, ctx);
}

/* Returns the setting whose name begins the error, as a field in quotes or as an option; NULL if
 * there is none. *ret_end is the position after the name. */
static const struct setting *subject_of(struct str text, size_t *ret_end)
{
    struct str name, value;
    bool quoted = text.n && *text.p == '\'';
    long end = quoted ? str_find(str_slice(text, 1, text.n), STR("'")) : -1;

    if (end > 0) {
        *ret_end = (size_t)end + 2;
        return setting_of_field(str_slice(text, 1, 1 + (size_t)end));
    }
    *ret_end = option_at(text, 0, &name, &value);
    return *ret_end && !value.n ? setting_of(name) : NULL;
}

static json_t *error_as(const void *ctx, struct str text)
{
    enum wording wording = *(const enum wording *)ctx;
    size_t end;
    const struct setting *row = subject_of(text, &end);

    if (!row || wording == WORDING_FIELDS)
        return advice_as(ctx, text);
    struct str name = python_name(row->field), rest = str_slice(text, end, text.n);
    AUTO_FREE char *spelled =
        wording == WORDING_PYTHON
            ? xasprintf("'%.*s'%.*s", (int)name.n, name.p, (int)rest.n, rest.p)
            : xasprintf("--%s%.*s", row->opt.name, (int)rest.n, rest.p);
    return advice_as(ctx, str_from(spelled));
}

void wording_use(json_t *document, enum wording wording)
{
    const struct wording_rules rules = {.advice = advice_as, .error = error_as, .ctx = &wording};

    wording_document(document, &rules);
}
