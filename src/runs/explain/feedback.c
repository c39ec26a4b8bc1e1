/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "explain/exception_parts.h"
#include "explain/feedback_parts.h"
#include "formats/printable.h"
#include "languages/language.h"

enum {
    TEXT_CHARS = 500,
    HINT_CHARS = 1000,
    TESTS_MAX = 12,
    TAIL_MAX = 16 << 10,
    LINES = 5,
    FALLBACK_CHARS = 200
};

/* ---- collecting ---- */

static void collect_topic(struct collector *c, enum advice_topic topic)
{
    if (topic != TOPIC_NONE)
        c->reported |= 1u << topic;
}

static bool is_there(const struct feedback *f, const char *text)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->texts[i], text) == 0)
            return true;
    return false;
}

void collect_text(struct collector *c, enum advice_topic topic, char *text)
{
    bool known = topic != TOPIC_NONE && c->reported & 1u << topic;

    if (!text || !*text || known || c->to->n == FEEDBACK_TEXTS || is_there(c->to, text)) {
        free(text);
        return;
    }
    collect_topic(c, topic);
    c->to->texts[c->to->n++] = text;
}

static char *short_text(struct str s, size_t chars)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 4 * chars + 16);
    printable_add_word(&b, s, chars);
    return buf_take(&b);
}

/* ---- the error stream ---- */

/* Returns the end of the stream, which has the message of the error that ended the run. */
static char *error_tail(const struct result *r)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, r->err.limit + 256);
    capture_text(&r->err, &b);
    struct str s = buf_str(&b);
    if (s.n > TAIL_MAX)
        s = str_slice(s, s.n - TAIL_MAX, s.n);
    return printable_text(s);
}

/* Returns the beginning of the last n lines, without counting an empty last line. */
static struct str last_lines(struct str s, size_t n)
{
    size_t at = s.n;

    while (at && s.p[at - 1] == '\n')
        at--;
    for (; at; at--)
        if (s.p[at - 1] == '\n' && --n == 0)
            break;
    return str_slice(s, at, s.n);
}

struct str feedback_excerpt(struct str stderr_text)
{
    return last_lines(stderr_text, LINES);
}

/* ---- tests ---- */

static bool all_passed(const struct feedback_input *in)
{
    for (size_t i = 0; i < in->test_count; i++)
        if (!in->tests[i].passed)
            return false;
    return true;
}

static char *write_test(const struct feedback_test *t)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 8 * TEXT_CHARS);
    (void)buf_adds(&b, FEEDBACK_TEST);
    printable_add_word(&b, str_from(t->name), TEXT_CHARS / 2);
    (void)buf_adds(&b, "' failed: ");
    printable_add_word(&b, str_from(t->detail), TEXT_CHARS);
    return buf_take(&b);
}

static void collect_tests(struct collector *c)
{
    size_t reported = 0, left = 0;

    for (size_t i = 0; i < c->in->test_count; i++) {
        if (c->in->tests[i].passed)
            continue;
        if (reported++ < TESTS_MAX)
            collect_text(c, TOPIC_NONE, write_test(&c->in->tests[i]));
        else
            left++;
    }
    if (left)
        collect_text(c, TOPIC_NONE,
                     xasprintf("%zu more test%s failed.", left, left == 1 ? "" : "s"));
}

/* ---- errors ---- */

static void collect_type(struct collector *c, const char *type)
{
    const char *text = advice_has_types(c->result->language) ? advice_of_type(type) : NULL;

    collect_text(c, TOPIC_NONE, text ? xstrdup(text) : NULL);
}

static struct advice_error error_of(const struct collector *c, const char *type,
                                    const char *message)
{
    return (struct advice_error){c->result->language, type, str_from(message),
                                 advice_place_of(c->result)};
}

static void collect_hint(struct collector *c, const struct result_exception *e)
{
    const struct advice_error error = error_of(c, e->type, e->message);
    char *hint =
        e->hint && *e->hint ? short_text(str_from(e->hint), HINT_CHARS) : advice_for_error(&error);

    collect_text(c, advice_topic_of(&error), hint);
}

/* Adds advice about the error that ended the program, then about its cause; specific rows come
 * before general ones. */
static void collect_exception(struct collector *c, const struct result_exception *e)
{
    if (!e || result_refused(c->result))
        return;
    collect_hint(c, e);
    if (e->cause)
        collect_hint(c, e->cause);
    collect_type(c, e->type);
    if (e->cause)
        collect_type(c, e->cause->type);
}

/* Adds an error that is in no table. */
static void collect_error(struct collector *c)
{
    AUTO_BUF struct buf b = {0};

    if (!c->result->exception)
        return;
    buf_init(&b, 16 * TEXT_CHARS);
    feedback_add_error(&b, c->result->exception, TEXT_CHARS);
    collect_text(c, TOPIC_NONE, buf_take(&b));
}

/* A program may catch an error and print it: then the printed name identifies the error. */
static void collect_words(struct collector *c, struct str text)
{
    if (!advice_has_types(c->result->language))
        return;
    for (size_t i = 0; advice_type(i); i++)
        if (str_find(text, str_from(advice_type(i))) >= 0)
            collect_type(c, advice_type(i));
}

/* Reads "KeyError: 'a'", the judge's text for a call that raised an exception. */
static void collect_raised(struct collector *c, const char *detail)
{
    long colon = str_find(str_from(detail), STR(": "));
    struct str name = {detail, colon > 0 ? (size_t)colon : 0};

    if (!str_ends(name, "Error") || !reading_is_name(name))
        return;
    AUTO_FREE char *type = xstrndup(name.p, name.n);
    const struct advice_error error = error_of(c, type, detail + colon + 2);
    collect_text(c, advice_topic_of(&error), advice_for_error(&error));
    collect_type(c, type);
}

static void collect_details(struct collector *c)
{
    for (size_t i = 0, n = 0; i < c->in->test_count && n < TESTS_MAX; i++)
        if (!c->in->tests[i].passed && c->in->tests[i].detail) {
            collect_raised(c, c->in->tests[i].detail);
            n++;
        }
}

/* Adds advice about messages of the operating system in the last lines, beginning with the last
 * one. */
static void collect_lines(struct collector *c, struct str text)
{
    const struct advice_place place = advice_place_of(c->result);

    for (size_t i = 0; i < 4 * LINES && text.n; i++) {
        enum advice_topic topic;
        struct str line = last_lines(text, 1);
        char *advice = advice_find(&(struct advice_error){"", NULL, line, place}, &topic);
        collect_text(c, topic, advice);
        text = str_slice(text, 0, (size_t)(line.p - text.p));
    }
}

bool feedback_is_general(const char *text)
{
    return strcmp(text, FEEDBACK_GENERAL) == 0 || str_starts(str_from(text), FEEDBACK_SILENT) ||
           str_starts(str_from(text), FEEDBACK_SIGNAL);
}

static void collect_fallback(struct collector *c, struct str text)
{
    AUTO_BUF struct buf b = {0};

    collect_text(c, TOPIC_NONE, xstrdup(FEEDBACK_GENERAL));
    buf_init(&b, 8 * FALLBACK_CHARS);
    (void)buf_adds(&b, FEEDBACK_ERROR);
    printable_add(&b, str_slice(text, 0, utf8_cut(text, 4 * FALLBACK_CHARS)));
    size_t n = strlen(FEEDBACK_ERROR);
    for (size_t chars = 0; n < b.n && chars < FALLBACK_CHARS; chars++)
        for (n++; n < b.n && (b.p[n] & 0xc0) == 0x80;)
            n++;
    collect_text(c, TOPIC_NONE, text.n ? xstrndup(b.p, n) : NULL);
}

/* ---- the list ---- */

static bool is_security_violation(const struct result *r, struct str text)
{
    return result_refused(r) && str_find(text, STR("SECURITY")) >= 0;
}

static void collect_all(struct collector *c, struct str text)
{
    const struct result *r = c->result;

    if (is_security_violation(r, text)) {
        collect_text(c, TOPIC_NONE,
                     xstrdup("Code violates sandbox security rules; avoid system calls and I/O."));
        return;
    }
    collect_ends(c);
    collect_tests(c);
    collect_network(c); /* before what a missing network would explain */
    collect_exception(c, r->exception);
    collect_details(c);
    if (!r->success && (!r->exception || language_traits_of(r->language)->errors_of_others))
        collect_lines(c, text);
    if (!r->success && !r->exception)
        collect_words(c, text);
    collect_denied(c);
    bool explained = c->to->n > 0;
    if (!explained)
        collect_error(c);
    collect_status(c);
    if (!explained)
        collect_fallback(c, text);
}

void feedback_make(const struct feedback_input *in, struct feedback *ret)
{
    struct collector c = {.in = in, .result = in->result, .to = ret};

    *ret = (struct feedback){0};
    if (in->result->success && all_passed(in))
        return;
    AUTO_FREE char *text = error_tail(in->result);
    collect_all(&c, str_from(text));
}
