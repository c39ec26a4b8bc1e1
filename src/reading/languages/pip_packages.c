/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/pip_packages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* ---- one package ---- */

static bool is_operator(char c)
{
    return c == '<' || c == '>' || c == '=' || c == '!' || c == '~';
}

/* The end of a name, which begins and ends with a letter or a digit; NULL if there is no name. */
static const char *skip_name(const char *p)
{
    size_t n = strspn(p, LETTERS "._-");

    return n && ascii_is_alnum(p[0]) && ascii_is_alnum(p[n - 1]) ? p + n : NULL;
}

/* "[socks,brotli]" */
static const char *skip_extras(const char *p)
{
    if (*p != '[')
        return p;
    do
        p = skip_name(p + 1);
    while (p && *p == ',');
    return p && *p == ']' ? p + 1 : NULL;
}

/* ">=2,<3" */
static const char *skip_versions(const char *p)
{
    static const char *const operators[] = {"===", "==", "~=", "!=", "<=", ">=", "<", ">"};

    while (is_operator(*p)) {
        size_t i = 0, n;
        while (i < ARRAY_LEN(operators) && strncmp(p, operators[i], strlen(operators[i])) != 0)
            i++;
        if (i == ARRAY_LEN(operators))
            return NULL;
        p += strlen(operators[i]);
        n = strspn(p, LETTERS "._*+!-");
        if (!n || !ascii_is_alnum(*p))
            return NULL;
        p += n;
        p += p[0] == ',' && is_operator(p[1]);
    }
    return p;
}

static int pip_packages_check(const char *package, struct err *err)
{
    const char *p = strlen(package) <= PIP_PACKAGE_TEXT_MAX ? skip_name(package) : NULL;

    if (p)
        p = skip_extras(p);
    if (p)
        p = skip_versions(p);
    if (p && !*p)
        return 0;
    return err_set(err, ERR_USAGE,
                   "--pip: '%.100s' is not the name of a package; write NAME, NAME==1.2, "
                   "'NAME>=2,<3' or NAME[EXTRA] (no options, addresses or paths)",
                   package);
}

/* ---- the list ---- */

struct reading {
    struct buf word;
    bool in_extras;
    char **list;
    size_t count;
};

static int end_word(struct reading *r, struct err *err)
{
    if (!r->word.n)
        return 0;
    if (r->count == PIP_PACKAGES_MAX)
        return err_set(err, ERR_LIMIT, "--pip: names more than %d packages", PIP_PACKAGES_MAX);
    if (pip_packages_check(r->word.p, err) < 0)
        return -1;
    r->list = xrealloc_array(r->list, r->count + 2, sizeof *r->list);
    r->list[r->count++] = xstrdup(r->word.p);
    r->list[r->count] = NULL;
    buf_clear(&r->word);
    return 0;
}

static bool is_between(char c)
{
    return c == ',' || c == ';' || isspace((unsigned char)c);
}

/* True if the text at `p` belongs to the word before it: "numpy >= 2", "numpy >=2, <3". */
static bool goes_on(const struct reading *r, const char *p)
{
    return r->word.n && (is_operator(*p) || is_operator(r->word.p[r->word.n - 1]));
}

static int pip_packages_read_text(struct reading *r, const char *p, struct err *err)
{
    while (*p) {
        bool comma = false;
        for (; is_between(*p) && !r->in_extras; p++)
            comma |= *p == ',';
        if (!*p)
            break;
        if (!goes_on(r, p)) {
            if (end_word(r, err) < 0)
                return -1;
        } else if (comma && is_operator(*p)) {
            (void)buf_addc(&r->word, ',');
        }
        for (; *p && (r->in_extras || !is_between(*p)); p++) {
            r->in_extras = *p == '[' || (r->in_extras && *p != ']');
            if (!isspace((unsigned char)*p))
                (void)buf_addc(&r->word, *p);
        }
    }
    r->in_extras = false;
    return end_word(r, err);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_once(char **list, size_t count)
{
    size_t kept = 0;

    qsort(list, count, sizeof *list, by_text);
    for (size_t i = 0; i < count; i++) {
        if (kept && strcmp(list[i], list[kept - 1]) == 0)
            free(list[i]);
        else
            list[kept++] = list[i];
    }
    list[kept] = NULL;
}

int pip_packages_read(char *const *texts, char ***ret, struct err *err)
{
    struct reading r = {0};
    int result = 0;

    buf_init(&r.word, PIP_PACKAGE_TEXT_MAX + 1);
    for (; texts && *texts && result == 0; texts++)
        result = pip_packages_read_text(&r, *texts, err);
    buf_done(&r.word);
    if (result < 0) {
        pip_packages_done(r.list);
        return -1;
    }
    if (r.count)
        sort_once(r.list, r.count);
    *ret = r.list;
    return 0;
}

void pip_packages_done(char **packages)
{
    for (char **p = packages; p && *p; p++)
        free(*p);
    free(packages);
}
