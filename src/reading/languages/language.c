/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/language.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "languages/detect.h"
#include "languages/language_rows.h"

static bool is_called(const struct language *language, struct str name)
{
    return str_is_nocase(name, language->name) || str_one_of_nocase(name, language->aliases);
}

const struct language *language_find(const struct language_table *table, struct str name)
{
    for (size_t i = 0; table && i < table->user_count; i++)
        if (is_called(table->user[i], name))
            return table->user[i];
    for (size_t i = 0; i < language_row_count; i++)
        if (is_called(&language_rows[i], name))
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

void language_each(const struct language_table *table,
                   void (*each)(void *ctx, const struct language *language), void *ctx)
{
    for (size_t i = 0; table && i < table->user_count; i++)
        each(ctx, table->user[i]);
    for (size_t i = 0; i < language_row_count; i++)
        each(ctx, &language_rows[i]);
}

/* ---- the user's own rows ---- */

/* Copies the words. With `dots`, "rb" becomes ".rb". */
static char **copy_words(const struct str *values, size_t n, bool dots)
{
    char **words = xcalloc(n + 1, sizeof *words);

    for (size_t i = 0; i < n; i++) {
        const char *dot = dots && !str_starts(values[i], ".") ? "." : "";
        words[i] = xasprintf("%s%.*s", dot, (int)values[i].n, values[i].p);
    }
    return words;
}

static void free_words(const char *const *words)
{
    for (const char *const *w = words; w && *w; w++)
        free((char *)*w);
    free((void *)words);
}

static struct language *user_row(struct language_table *table, struct str name, bool stranger)
{
    for (size_t i = 0; i < table->user_count; i++)
        if (str_is(name, table->user[i]->name))
            return table->user[i];
    const struct language *base = language_find(NULL, name);
    table->user = xrealloc_array(table->user, table->user_count + 1, sizeof *table->user);
    struct language *row = xcalloc(1, sizeof *row);
    /* Another interpreter for a known language is started as the built-in one is; language_complete
     * copies the rest of that row. */
    *row = base ? *base : (struct language){.traits = &no_traits};
    row->name = xstrndup(name.p, name.n);
    row->stranger = stranger;
    row->aliases = row->extensions = row->programs = row->args = row->waits_for = NULL;
    row->image = NULL;
    table->user[table->user_count++] = row;
    return row;
}

static const char *const *or_builtin(const char *const *own, const char *const *theirs)
{
    struct str items[16];
    size_t n = 0;

    if (own || !theirs)
        return own;
    for (; theirs[n] && n < ARRAY_LEN(items); n++)
        items[n] = str_from(theirs[n]);
    return (const char *const *)copy_words(items, n, false);
}

static bool has_extension(const struct language *row, struct str bare)
{
    for (const char *const *e = row->extensions; e && *e; e++)
        if (str_is_nocase(bare, *e + 1))
            return true;
    return false;
}

/* True for the name, an alias or an extension, with or without its dot: "py" and ".py". */
static bool means(const struct language *row, struct str word)
{
    return is_called(row, word) || str_one_of_nocase(word, row->extensions) ||
           has_extension(row, word);
}

/* Another row than `own` that has this name, alias or extension. */
static const struct language *taken_by(const struct language_table *table,
                                       const struct language *own, struct str word)
{
    for (size_t i = 0; i < table->user_count; i++)
        if (table->user[i] != own && means(table->user[i], word))
            return table->user[i];
    for (size_t i = 0; i < language_row_count; i++)
        if (means(&language_rows[i], word))
            return &language_rows[i];
    return NULL;
}

static int check_stranger(const struct language_table *table, const struct language *row,
                          const struct conf_item *item, struct err *err)
{
    const struct language *other = taken_by(table, row, str_from(row->name));
    bool command = str_is(item->key, "command");

    if (str_is(item->key, "image"))
        return err_set(err, ERR_USAGE,
                       "a project's config file may not name an image; do so in your own config "
                       "file");
    if (!row->stranger || other)
        return err_set(err, ERR_USAGE,
                       "a project's config file may not change the command of '%s'; change it in "
                       "your own config file",
                       row->name);
    for (size_t i = 0; i < item->n; i++) {
        struct str value = item->values[i];
        int shown = (int)(value.n < 60 ? value.n : 60);
        if (command && str_find(value, STR("/")) >= 0)
            return err_set(err, ERR_USAGE,
                           "a project's config file names programs without a path, not '%.*s'",
                           shown, value.p);
        other = command || str_is(item->key, "args") ? NULL : taken_by(table, row, value);
        if (other)
            return err_set(err, ERR_USAGE,
                           "'%.*s' already means %s; change it in your own config file", shown,
                           value.p, other->name);
    }
    return 0;
}

int language_configure(struct language_table *table, struct str name, const struct conf_item *item,
                       bool stranger, struct err *err)
{
    struct language *row = user_row(table, name, stranger);
    const struct {
        const char *key;
        const char *const **slot;
    } keys[] = {{"command", &row->programs},
                {"args", &row->args},
                {"extension", &row->extensions},
                {"extensions", &row->extensions},
                {"aliases", &row->aliases}};

    if (stranger && check_stranger(table, row, item, err) < 0)
        return -1;
    if (str_is(item->key, "image") && item->n == 1) {
        free((char *)row->image);
        row->image = xstrndup(item->values[0].p, item->values[0].n);
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (!str_is(item->key, keys[i].key))
            continue;
        bool dots = keys[i].slot == &row->extensions;
        free_words(*keys[i].slot);
        *keys[i].slot = (const char *const *)copy_words(item->values, item->n, dots);
        return 0;
    }
    return err_set(err, ERR_USAGE,
                   "language.%s has no '%.*s'; it has command, args, extension, aliases and image",
                   row->name, (int)item->key.n, item->key.p);
}

/* Copies missing values from the built-in language of that name. */
static int language_complete(struct language *row, const struct language *base, struct err *err)
{
    static const struct str file_only[] = {{"{file}", 6}};
    static const char *const version[] = {"--version", NULL};

    if (row->programs ? !row->programs[0] : !base)
        return err_set(err, ERR_USAGE, "[language.%s] needs a command", row->name);
    if (row->args && !str_one_of_nocase(STR("{file}"), row->args))
        return err_set(err, ERR_USAGE, "[language.%s] args needs \"{file}\", the program's path",
                       row->name);
    if (base) {
        if (row->programs)
            row->syntax_args = NULL;
        row->programs = or_builtin(row->programs, base->programs);
        row->extensions = or_builtin(row->extensions, base->extensions);
        row->aliases = or_builtin(row->aliases, base->aliases);
        row->args = or_builtin(row->args, base->args);
        row->image = row->image ? row->image : base->image ? xstrdup(base->image) : NULL;
        return 0;
    }
    if (!row->args)
        row->args = (const char *const *)copy_words(file_only, 1, false);
    row->check_args = version;
    row->extension = row->extensions && row->extensions[0] ? row->extensions[0] : "";
    row->install = "see your config file";
    return 0;
}

int language_check(const struct language_table *table, struct err *err)
{
    for (size_t i = 0; i < table->user_count; i++) {
        struct language *row = table->user[i];
        if (language_complete(row, language_find(NULL, str_from(row->name)), err) < 0)
            return -1;
    }
    return 0;
}

void language_table_done(struct language_table *table)
{
    for (size_t i = 0; i < table->user_count; i++) {
        struct language *row = table->user[i];
        free((char *)row->name);
        free_words(row->programs);
        free_words(row->args);
        free_words(row->extensions);
        free_words(row->aliases);
        free((char *)row->image);
        free(row);
    }
    free(table->user);
    *table = (struct language_table){0};
}

const char *language_main_name(const struct language *language, struct str code, char *out,
                               size_t n)
{
    const struct language_traits *traits = language->traits;
    const char *extension = traits->extension_for ? traits->extension_for(code) : NULL;

    snprintf(out, n, "main%s", extension ? extension : language->extension);
    return out;
}
