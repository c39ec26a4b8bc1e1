/* SPDX-License-Identifier: Apache-2.0
 *
 * javac requires that a public class is in the file of its name, and `java` is given the class with
 * main(): both are read from the text.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "languages/language_rows.h"

struct java_reader {
    struct str rest;
    struct str word; /* the last token: a word, or one other character */
};

/* Skips to the end of a comment or a text, whose first characters are at the beginning. */
static struct str skip_to(struct str s, const char *end, size_t from)
{
    for (size_t i = from; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (str_starts(str_slice(s, i, s.n), end))
            return str_slice(s, i + strlen(end), s.n);
    }
    return (struct str){s.p + s.n, 0};
}

static bool skip_one(struct str *s)
{
    static const char *const forms[][2] = {
        {"//", "\n"}, {"/*", "*/"}, {"\"\"\"", "\"\"\""}, {"\"", "\""}, {"'", "'"}};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (str_starts(*s, forms[i][0])) {
            *s = skip_to(*s, forms[i][1], strlen(forms[i][0]));
            return true;
        }
    if (!s->n || !ascii_is_space(s->p[0]))
        return false;
    *s = str_slice(*s, 1, s->n);
    return true;
}

static bool next_word(struct java_reader *r)
{
    size_t n = 0;

    while (skip_one(&r->rest))
        continue;
    while (n < r->rest.n && (ascii_is_word(r->rest.p[n]) || r->rest.p[n] == '$' ||
                             (unsigned char)r->rest.p[n] >= 0x80))
        n++;
    n = n || !r->rest.n ? n : 1;
    r->word = str_slice(r->rest, 0, n);
    r->rest = str_slice(r->rest, n, r->rest.n);
    return n > 0;
}

static bool is_type_word(struct str word)
{
    static const char *const words[] = {"class", "interface", "enum", "record", NULL};

    return str_one_of(word, words);
}

static void read_package(struct java_reader *r, char *out, size_t n)
{
    size_t used = 0;

    while (next_word(r) && !str_is(r->word, ";"))
        if (used + r->word.n + 2 < n) {
            memcpy(out + used, r->word.p, r->word.n);
            used += r->word.n;
        }
    snprintf(out + used, n - used, ".");
}

struct java_types {
    struct str current, public, with_main;
};

/* A word at the top level, or in the body of a type there. */
static void take_word(struct java_reader *r, int depth, bool *is_public, struct java_types *t)
{
    if (depth == 0 && str_is(r->word, "public")) {
        *is_public = true;
    } else if (depth == 0 && is_type_word(r->word) && next_word(r)) {
        t->current = r->word;
        if (*is_public)
            t->public = r->word;
        *is_public = false;
    } else if (depth == 1 && str_is(r->word, "main") && str_starts(str_trim(r->rest), "(") &&
               !t->with_main.p) {
        t->with_main = t->current;
    }
}

bool java_names(struct str code, struct program_names *ret)
{
    struct java_reader r = {.rest = code};
    struct java_types t = {{0}, {0}, {0}};
    char package[300] = "";
    bool is_public = false;
    int depth = 0;

    while (next_word(&r)) {
        if (str_is(r.word, "{"))
            depth++;
        else if (str_is(r.word, "}"))
            depth--;
        else if (depth == 0 && str_is(r.word, "package"))
            read_package(&r, package, sizeof package);
        else
            take_word(&r, depth, &is_public, &t);
    }
    struct str main = t.with_main.p ? t.with_main : t.public.p ? t.public : t.current;
    struct str file = t.public.p ? t.public : main;
    if (!main.n || main.n > 200 || file.n > 200)
        return false;
    snprintf(ret->file, sizeof ret->file, "%.*s.java", (int)file.n, file.p);
    snprintf(ret->main, sizeof ret->main, "%s%.*s", package, (int)main.n, main.p);
    return true;
}

/* Kotlin puts the functions of main.kt into a class MainKt. */
bool kotlin_names(struct str code, struct program_names *ret)
{
    struct str line;
    int n = 0;

    while (!n && str_next_line(&code, &line))
        if (str_starts(line, "package "))
            n = snprintf(ret->main, sizeof ret->main, "%.*s.MainKt",
                         (int)str_trim(str_slice(line, 8, line.n)).n,
                         str_trim(str_slice(line, 8, line.n)).p);
    if (!n)
        snprintf(ret->main, sizeof ret->main, "MainKt");
    snprintf(ret->file, sizeof ret->file, "main.kt");
    return n < (int)sizeof ret->main;
}
