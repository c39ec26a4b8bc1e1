/* SPDX-License-Identifier: Apache-2.0 */
#include "text/json_check.h"

#include <stddef.h>
#include <string.h>

#include "base/utf8.h"

struct reader {
    const char *at, *end;
    struct json_facts *facts;
    const char *problem;         /* NULL while all is well; `at` is its place */
    char open[JSON_CHECK_DEPTH]; /* '{' and '[' that wait for their ends */
    unsigned depth;
};

static void fail(struct reader *r, const char *problem)
{
    if (!r->problem)
        r->problem = problem;
}

static char peek(const struct reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static void skip_space(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool take(struct reader *r, char c)
{
    if (peek(r) != c || r->at == r->end)
        return false;
    r->at++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool take_digits(struct reader *r)
{
    const char *begin = r->at;

    while (peek(r) >= '0' && peek(r) <= '9')
        r->at++;
    return r->at > begin;
}

/* ---- what has no parts ---- */

static void read_number(struct reader *r)
{
    (void)take(r, '-');
    if (take_word(r, "Infinity")) {
        r->facts->has_special = true;
        return;
    }
    if (!take(r, '0') && !take_digits(r))
        fail(r, "no number");
    if (take(r, '.') && !take_digits(r))
        fail(r, "a number ends with its point");
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '-'))
            (void)take(r, '+');
        if (!take_digits(r))
            fail(r, "a number has an empty exponent");
    }
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool read_escape(struct reader *r)
{
    char c = peek(r);

    if (r->at == r->end || !strchr("\"\\/bfnrtu", c) || !c)
        return false;
    r->at++;
    for (int i = 0; c == 'u' && i < 4; i++, r->at++)
        if (!is_hex(peek(r)))
            return false;
    return true;
}

static void read_string(struct reader *r)
{
    if (!take(r, '"')) {
        fail(r, "a text in \"\" is missing");
        return;
    }
    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < 0x20) {
            fail(r, "a text holds a control character");
            return;
        }
        if (*r->at++ == '\\' && !read_escape(r)) {
            fail(r, "a text holds an escape that there is not");
            return;
        }
    }
    if (!take(r, '"'))
        fail(r, "a text has no end");
}

static void read_scalar(struct reader *r)
{
    char c = peek(r);

    if (c == '"')
        read_string(r);
    else if (c == '-' || c == 'I' || (c >= '0' && c <= '9'))
        read_number(r);
    else if (take_word(r, "NaN"))
        r->facts->has_special = true;
    else if (!take_word(r, "true") && !take_word(r, "false") && !take_word(r, "null"))
        fail(r, r->at == r->end ? "a value is missing" : "no value");
}

/* ---- what has ---- */

static void read_key(struct reader *r)
{
    skip_space(r);
    read_string(r);
    skip_space(r);
    if (!r->problem && !take(r, ':'))
        fail(r, "a ':' is missing");
}

/* True when a value is to follow: it was a beginning, and not of something empty. */
static bool begin(struct reader *r)
{
    char kind = peek(r);

    if (r->depth == JSON_CHECK_DEPTH) {
        fail(r, "nested too deeply");
        return false;
    }
    r->at++;
    skip_space(r);
    if (take(r, kind == '{' ? '}' : ']'))
        return false;
    r->open[r->depth++] = kind;
    if (kind == '{')
        read_key(r);
    return true;
}

/* After a value: ends, or a comma and what comes before the next value. True when one is to follow.
 */
static bool go_on(struct reader *r)
{
    for (; r->depth; r->depth--) {
        char kind = r->open[r->depth - 1];
        skip_space(r);
        if (take(r, ',')) {
            if (kind == '{')
                read_key(r);
            return true;
        }
        if (!take(r, kind == '{' ? '}' : ']')) {
            fail(r, kind == '{' ? "a ',' or '}' is missing" : "a ',' or ']' is missing");
            return false;
        }
    }
    return false;
}

static void read_value(struct reader *r)
{
    bool more = true;

    while (more && !r->problem) {
        skip_space(r);
        if (peek(r) == '{' || peek(r) == '[') {
            more = begin(r);
            if (more || r->problem)
                continue;
        } else {
            read_scalar(r);
        }
        more = !r->problem && go_on(r);
    }
}

static int bad_json(struct str text, const char *at, const char *problem, struct err *err)
{
    size_t line = 1;
    const char *begin = text.p;

    for (const char *p = text.p; p < at; p++)
        if (*p == '\n') {
            line++;
            begin = p + 1;
        }
    size_t column = utf8_count((struct str){begin, (size_t)(at - begin)}) + 1;
    return err_set(err, ERR_USAGE, "line %zu, column %zu: %s", line, column, problem);
}

int json_check(struct str text, struct json_facts *ret, struct err *err)
{
    struct reader r = {.at = text.p, .end = text.p + text.n, .facts = ret};
    size_t valid = utf8_valid_prefix(text);

    *ret = (struct json_facts){0};
    if (valid < text.n)
        return bad_json(text, text.p + valid, "is not UTF-8", err);
    read_value(&r);
    skip_space(&r);
    if (!r.problem && r.at < r.end)
        fail(&r, "more text after the value");
    return r.problem ? bad_json(text, r.at, r.problem, err) : 0;
}
