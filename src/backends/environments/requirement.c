/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/requirement.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define SPACE   " \t\r\n\f\v"

enum { PARENTHESES_MAX = 8 };

struct reader {
    const char *p;
    struct buf text; /* the requirement as we write it */
    unsigned depth;  /* of parentheses in a marker */
};

static const char *const operators[] = {"===", "==", "~=", "!=", "<=", ">=", "<", ">"};

static void skip_blanks(struct reader *r)
{
    r->p += strspn(r->p, SPACE);
}

/* Appends the operator at r->p and moves behind it. */
static bool take_operator(struct reader *r)
{
    for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
        if (strncmp(r->p, operators[i], strlen(operators[i])) == 0) {
            r->p += strlen(operators[i]);
            (void)buf_adds(&r->text, operators[i]);
            return true;
        }
    }
    return false;
}

static bool is_operator(const char *p)
{
    return *p && strchr("<>=!~", *p);
}

/* ---- name, extras, versions ---- */

/* A name begins and ends with a letter or a digit. It is written as PEP 503 compares it. */
static bool take_package_name(struct reader *r)
{
    size_t n = strspn(r->p, LETTERS "._-");

    if (!n || !ascii_is_alnum(r->p[0]) || !ascii_is_alnum(r->p[n - 1]))
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = r->p[i];
        if (ascii_is_alnum(c))
            (void)buf_addc(&r->text, c >= 'A' && c <= 'Z' ? (char)(c + 32) : c);
        else if (ascii_is_alnum(r->p[i + 1]))
            (void)buf_addc(&r->text, '-');
    }
    r->p += n;
    return true;
}

/* "[socks, brotli]" */
static bool take_extras(struct reader *r)
{
    if (*r->p != '[')
        return true;
    do {
        (void)buf_addc(&r->text, *r->p++);
        skip_blanks(r);
        if (!take_package_name(r))
            return false;
        skip_blanks(r);
    } while (*r->p == ',');
    if (*r->p != ']')
        return false;
    (void)buf_addc(&r->text, *r->p++);
    return true;
}

static bool take_version(struct reader *r)
{
    if (!take_operator(r))
        return false;
    skip_blanks(r);
    size_t n = strspn(r->p, LETTERS "._*+!-");
    if (!n || !ascii_is_alnum(*r->p))
        return false;
    (void)buf_add(&r->text, r->p, n);
    r->p += n;
    return true;
}

/* Moves to the next version of the same package; a comma may stand before it. */
static bool another_version(struct reader *r)
{
    const char *p = r->p + strspn(r->p, SPACE);

    if (*p == ',')
        p += 1 + strspn(p + 1, SPACE);
    if (!is_operator(p))
        return false;
    (void)buf_addc(&r->text, ',');
    r->p = p;
    return true;
}

/* ">= 2, < 3", also in parentheses */
static bool take_versions(struct reader *r)
{
    const char *p = r->p + strspn(r->p, SPACE);
    bool enclosed = *p == '(';

    if (!enclosed && !is_operator(p))
        return true;
    r->p = p + enclosed;
    skip_blanks(r);
    do
        if (!take_version(r))
            return false;
    while (another_version(r));
    if (!enclosed)
        return true;
    skip_blanks(r);
    return *r->p++ == ')';
}

/* ---- markers ---- */

static const char *const variables[] = {
    "python_version",      "python_full_version",    "os_name",
    "sys_platform",        "platform_release",       "platform_system",
    "platform_version",    "platform_machine",       "platform_python_implementation",
    "implementation_name", "implementation_version", "extra",
};

static size_t word_at(const char *p)
{
    return strspn(p, LETTERS "_");
}

static bool is_marker_word(const char *p, const char *word)
{
    return word_at(p) == strlen(word) && strncmp(p, word, strlen(word)) == 0;
}

static bool is_variable(const char *p)
{
    for (size_t i = 0; i < ARRAY_LEN(variables); i++)
        if (is_marker_word(p, variables[i]))
            return true;
    return false;
}

/* True if the text after a semicolon is a marker and not the next package. */
static bool is_marker(const char *p)
{
    p += strspn(p, SPACE);
    if (*p && strchr("('\"", *p))
        return true;
    if (!is_variable(p))
        return false;
    p += word_at(p);
    p += strspn(p, SPACE);
    return is_operator(p) || is_marker_word(p, "in") || is_marker_word(p, "not");
}

static void add_marker_word(struct reader *r, const char *word)
{
    (void)buf_addf(&r->text, " %s ", word);
}

/* A variable, or a string, which has no escapes and no character that a shell would read; it is
 * written with double quotes. */
static bool take_value(struct reader *r)
{
    char quote = *r->p;

    if (is_variable(r->p)) {
        size_t n = word_at(r->p);
        (void)buf_add(&r->text, r->p, n);
        r->p += n;
        return true;
    }
    if (quote != '"' && quote != '\'')
        return false;
    const char *begin = ++r->p;
    r->p += strspn(r->p, LETTERS " ._+*!:/~#()-");
    if (*r->p != quote)
        return false;
    (void)buf_addf(&r->text, "\"%.*s\"", (int)(r->p - begin), begin);
    r->p++;
    return true;
}

static bool take_comparison(struct reader *r)
{
    if (is_marker_word(r->p, "in")) {
        add_marker_word(r, "in");
        r->p += strlen("in");
        return true;
    }
    if (is_marker_word(r->p, "not")) {
        r->p += strlen("not");
        skip_blanks(r);
        if (!is_marker_word(r->p, "in"))
            return false;
        add_marker_word(r, "not in");
        r->p += strlen("in");
        return true;
    }
    (void)buf_addc(&r->text, ' ');
    bool found = take_operator(r);
    (void)buf_addc(&r->text, ' ');
    return found;
}

static bool take_marker(struct reader *r);

static bool take_term(struct reader *r)
{
    skip_blanks(r);
    if (*r->p == '(') {
        if (++r->depth > PARENTHESES_MAX)
            return false;
        (void)buf_addc(&r->text, *r->p++);
        if (!take_marker(r) || *r->p != ')')
            return false;
        (void)buf_addc(&r->text, *r->p++);
        r->depth--;
        return true;
    }
    if (!take_value(r))
        return false;
    skip_blanks(r);
    if (!take_comparison(r))
        return false;
    skip_blanks(r);
    return take_value(r);
}

/* Terms with "and" and "or" between them; their order of precedence is pip's concern. Leaves the
 * space after the last term. */
static bool take_marker(struct reader *r)
{
    for (;;) {
        if (!take_term(r))
            return false;
        const char *p = r->p + strspn(r->p, SPACE);
        const char *word = is_marker_word(p, "and") ? "and" : is_marker_word(p, "or") ? "or" : NULL;
        if (!word) {
            r->p = r->depth ? p : r->p;
            return true;
        }
        add_marker_word(r, word);
        r->p = p + strlen(word);
    }
}

/* ---- the list ---- */

static bool take_requirement(struct reader *r)
{
    buf_clear(&r->text);
    r->depth = 0;
    if (!take_package_name(r))
        return false;
    if (r->p[strspn(r->p, SPACE)] == '[')
        skip_blanks(r);
    if (!take_extras(r) || !take_versions(r))
        return false;
    const char *p = r->p + strspn(r->p, SPACE);
    if (*p == ';' && is_marker(p + 1)) {
        r->p = p + 1;
        (void)buf_adds(&r->text, "; ");
        if (!take_marker(r))
            return false;
    }
    return !r->text.overflow && (!*r->p || strchr(",;" SPACE, *r->p));
}

static int refuse(const char *begin, struct err *err)
{
    size_t n = strcspn(begin, ",;" SPACE);
    const char *p = begin + n + strspn(begin + n, SPACE);
    bool address = *p == '@' || memmem(begin, n, "://", 3) || memmem(begin, n, "@", 1);

    return err_set(err, ERR_USAGE,
                   "--pip: '%.*s' is not the name of a package; write NAME, NAME==1.2, "
                   "'NAME>=2,<3', NAME[EXTRA] or 'NAME; python_version<\"3.12\"' (no options, "
                   "addresses or paths)%s",
                   (int)(n < 100 ? n : 100), begin,
                   address ? ": a package comes by its name from your index" : "");
}

struct list {
    char **items;
    size_t count, room;
};

static int read_text(struct reader *r, struct list *list, struct err *err)
{
    for (;;) {
        r->p += strspn(r->p, ",;" SPACE);
        if (*r->p == '#') {
            r->p += strcspn(r->p, "\n");
            continue;
        }
        if (!*r->p)
            return 0;
        const char *begin = r->p;
        if (!take_requirement(r))
            return refuse(begin, err);
        if (list->count == REQUIREMENTS_MAX)
            return err_set(err, ERR_LIMIT, "--pip: names more than %d packages", REQUIREMENTS_MAX);
        list->items = xrealloc_array(list->items, list->count + 2, sizeof *list->items);
        list->items[list->count++] = xstrdup(r->text.p);
        list->items[list->count] = NULL;
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_once(struct list *list)
{
    size_t kept = 0;

    if (!list->count)
        return;
    qsort(list->items, list->count, sizeof *list->items, by_text);
    for (size_t i = 0; i < list->count; i++) {
        if (kept && strcmp(list->items[i], list->items[kept - 1]) == 0)
            free(list->items[i]);
        else
            list->items[kept++] = list->items[i];
    }
    list->items[kept] = NULL;
}

int requirements_read(char *const *texts, char ***ret, struct err *err)
{
    struct reader r = {0};
    struct list list = {0};
    int result = 0;

    buf_init(&r.text, REQUIREMENT_TEXT_MAX);
    for (; texts && *texts && result == 0; texts++) {
        r.p = *texts;
        result = read_text(&r, &list, err);
    }
    buf_done(&r.text);
    if (result < 0) {
        requirements_done(list.items);
        return -1;
    }
    sort_once(&list);
    *ret = list.items;
    return 0;
}

void requirements_done(char **list)
{
    for (char **p = list; p && *p; p++)
        free(*p);
    free(list);
}
