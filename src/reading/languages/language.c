/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/language.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "languages/detect.h"
#include "languages/language_rows.h"

bool language_is_called(const struct language *language, struct str name)
{
    return str_is_nocase(name, language->name) || str_one_of_nocase(name, language->aliases);
}

const struct language *language_find(const struct language_table *table, struct str name)
{
    for (size_t i = 0; table && i < table->user_count; i++)
        if (language_is_called(table->user[i], name))
            return table->user[i];
    for (size_t i = 0; i < language_row_count; i++)
        if (language_is_called(&language_rows[i], name))
            return &language_rows[i];
    return NULL;
}

static void suggest(void *ctx, const struct language *language)
{
    suggestion_try(ctx, language->name);
    for (const char *const *alias = language->aliases; alias && *alias; alias++)
        suggestion_try(ctx, *alias);
}

int language_unknown(const struct language_table *table, struct str name, struct err *err)
{
    struct suggestion near = {.word = name};
    int shown = (int)(name.n < 60 ? name.n : 60);

    /* A name of two letters is more often another language ("rb", "go") than a typing error. */
    if (name.n > 2)
        language_each(table, suggest, &near);
    if (near.best)
        return err_set(err, ERR_USAGE, "language '%.*s' is not known; did you mean '%s'?", shown,
                       name.p, near.best);
    return err_set(
        err, ERR_USAGE,
        "language '%.*s' is not known; 'glovebox doctor' lists the known ones, 'glovebox "
        "help languages' explains how to add one",
        shown, name.p);
}

bool language_has_runner(const struct language *language)
{
    return language->runner && str_one_of_nocase(STR("{runner}"), language->args);
}

const struct language_traits *language_traits_of(const char *name)
{
    for (size_t i = 0; i < language_row_count; i++)
        if (strcmp(language_rows[i].name, name) == 0)
            return language_rows[i].traits;
    return &no_traits;
}

static const struct language *by_extension(const struct language_table *table, struct str extension)
{
    for (size_t i = 0; table && i < table->user_count; i++)
        if (str_one_of_nocase(extension, table->user[i]->extensions))
            return table->user[i];
    for (size_t i = 0; i < language_row_count; i++)
        if (str_one_of_nocase(extension, language_rows[i].extensions))
            return &language_rows[i];
    return NULL;
}

static struct str base_name(struct str path)
{
    while (path.n && path.p[path.n - 1] == '/')
        path.n--;
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/')
            return str_slice(path, i, path.n);
    return path;
}

/* The language of a shebang: "#!/usr/bin/env -S python3.11 -u" and "#!/bin/sh" name their
 * interpreter. A version is cut off. */
static const struct language *by_shebang(const struct language_table *table, struct str code)
{
    struct str line, word;

    if (!str_starts(code, "#!") || !str_next_line(&code, &line))
        return NULL;
    line = str_trim(str_slice(line, 2, line.n));
    while (str_next(&line, ' ', &word)) {
        word = base_name(word);
        if (!word.n || str_is(word, "env") || word.p[0] == '-')
            continue;
        const struct language *found = language_find(table, word);
        while (!found && word.n && strchr("0123456789.", word.p[word.n - 1])) {
            word.n--;
            found = language_find(table, word);
        }
        return found;
    }
    return NULL;
}

const struct language *language_stated(const struct language_table *table, const char *file,
                                       struct str code)
{
    struct str base = base_name(str_from(file));
    const struct language *found = NULL;

    for (size_t i = base.n; i > 0 && !found; i--)
        if (base.p[i - 1] == '.')
            found = by_extension(table, str_slice(base, i - 1, base.n));
    if (!found || strcmp(found->name, "bash") == 0) {
        /* A .sh file may name its shell in a shebang line. */
        const struct language *said = by_shebang(table, code);
        found = said ? said : found;
    }
    return found;
}

const struct language *language_guess(const struct language_table *table, struct str code,
                                      struct python_text *text)
{
    const struct language *found = language_find(table, str_from(detect_language(code, text)));

    /* The content may look like a language without a row. */
    return found ? found : language_find(table, STR("python"));
}

const struct language *language_detect(const struct language_table *table, const char *file,
                                       struct str code)
{
    struct python_text text = {0};
    const struct language *found = language_stated(table, file, code);

    found = found ? found : language_guess(table, code, &text);
    python_text_done(&text);
    return found;
}

/* True if the user has a row of the same name. */
static bool is_replaced(const struct language_table *table, const struct language *row)
{
    for (size_t i = 0; table && i < table->user_count; i++)
        if (strcmp(table->user[i]->name, row->name) == 0)
            return true;
    return false;
}

void language_each(const struct language_table *table,
                   void (*each)(void *ctx, const struct language *language), void *ctx)
{
    for (size_t i = 0; table && i < table->user_count; i++)
        each(ctx, table->user[i]);
    for (size_t i = 0; i < language_row_count; i++)
        if (!is_replaced(table, &language_rows[i]))
            each(ctx, &language_rows[i]);
}

const char *language_main_name(const struct language *language, struct str code, char *out,
                               size_t n)
{
    const struct language_traits *traits = language->traits;
    const char *extension = traits->extension_for ? traits->extension_for(code) : NULL;

    snprintf(out, n, "main%s", extension ? extension : language->extension);
    return out;
}
