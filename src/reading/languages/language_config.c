/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's own rows: sections [language.NAME] of config files.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "languages/language.h"
#include "languages/language_rows.h"

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
    row->errors = row->frames = row->heap = row->needs = NULL;
    row->image = NULL;
    row->compile = NULL;
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
    return language_is_called(row, word) || str_one_of_nocase(word, row->extensions) ||
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
    bool program = str_is(item->key, "command") || str_is(item->key, "compile");
    bool names = str_starts(item->key, "extension") || str_is(item->key, "aliases");

    if (str_is(item->key, "image") || str_is(item->key, "needs"))
        return err_set(err, ERR_USAGE,
                       "a project's config file may not name %s; do so in your own config file",
                       str_is(item->key, "image") ? "an image" : "folders of this host");
    if (!row->stranger || other)
        return err_set(err, ERR_USAGE,
                       "a project's config file may not change the command of '%s'; change it in "
                       "your own config file",
                       row->name);
    /* Each word of a command is a program; of a compiler's, only the first. */
    size_t words = str_is(item->key, "compile") ? 1 : item->n;
    for (size_t i = 0; i < item->n; i++) {
        struct str value = item->values[i];
        if (i == 0 && str_is(item->key, "compile"))
            (void)str_next(&(struct str){value.p, value.n}, ' ', &value);
        int shown = (int)(value.n < 60 ? value.n : 60);
        if (program && i < words && str_find(value, STR("/")) >= 0)
            return err_set(err, ERR_USAGE,
                           "a project's config file names programs without a path, not '%.*s'",
                           shown, value.p);
        other = names ? taken_by(table, row, value) : NULL;
        if (other)
            return err_set(err, ERR_USAGE,
                           "'%.*s' already means %s; change it in your own config file", shown,
                           value.p, other->name);
    }
    return 0;
}

/* ---- keys of a section ---- */

/* The row's compiler, which the row then owns. */
static struct language_compile *own_compile(struct language *row)
{
    const struct language *base = language_find(NULL, str_from(row->name));
    struct language_compile *own = (struct language_compile *)row->compile;

    if (own)
        return own;
    own = xcalloc(1, sizeof *own);
    if (base && base->compile) {
        *own = *base->compile;
        own->is_copy = true;
    }
    row->compile = own;
    return own;
}

/* `compile = ["gcc", "-o", "{out}", "{file}"]`, or the same as one string of words. */
static int set_compile(struct language *row, const struct conf_item *item, struct err *err)
{
    struct str words[64], rest = item->n == 1 ? item->values[0] : (struct str){0};
    size_t n = 0;

    for (; item->n != 1 && n < item->n && n < ARRAY_LEN(words); n++)
        words[n] = item->values[n];
    while (n < ARRAY_LEN(words) && str_next(&rest, ' ', &words[n]))
        n += words[n].n > 0;
    if (!n || n == ARRAY_LEN(words))
        return err_set(err, ERR_USAGE,
                       "language.%s: compile is the compiler and its arguments, such as [\"gcc\", "
                       "\"-o\", \"{out}\", \"{file}\"]",
                       row->name);
    struct language_compile *own = own_compile(row);
    free_words(own->own_programs);
    free_words(own->own_args);
    own->programs = own->own_programs = (const char *const *)copy_words(words, 1, false);
    own->args = own->own_args = (const char *const *)copy_words(words + 1, n - 1, false);
    own->shared = NULL;
    return 0;
}

static int bad_value(const struct language *row, const struct conf_item *item, const char *example,
                     struct err *err)
{
    return err_set(err, ERR_USAGE, "language.%s: %.*s is %s", row->name, (int)item->key.n,
                   item->key.p, example);
}

static int too_much(const struct language *row, const struct conf_item *item, struct err *err)
{
    return err_set(
        err, ERR_USAGE,
        "language.%s: %.*s is more than a project may give to a compiler; set it in your "
        "own config file",
        row->name, (int)item->key.n, item->key.p);
}

/* The limits of the compiler. A stranger may only tighten them. */
static int set_limit(struct language *row, const struct conf_item *item, bool stranger,
                     struct err *err)
{
    struct language_compile *own = own_compile(row);
    struct str value = item->n == 1 ? item->values[0] : STR("");
    struct err unused;
    uint64_t bytes = 0;
    int64_t n = 0;

    if (str_is(item->key, "compile_timeout")) {
        if (num_duration_ms(value, &n, &unused) < 0 || n <= 0)
            return bad_value(row, item, "a time, such as 2m", err);
        if (stranger && n > COMPILE_MS)
            return too_much(row, item, err);
        own->wall_ms = n;
    } else if (str_is(item->key, "compile_memory")) {
        if (num_size(value, &bytes, &unused) < 0 || bytes < 1 << 20)
            return bad_value(row, item, "a size, such as 2g", err);
        if (stranger && bytes > COMPILE_MEMORY)
            return too_much(row, item, err);
        own->memory_bytes = bytes;
    } else {
        if (!num_int64(value, &n) || n <= 0 || n > UINT32_MAX)
            return bad_value(row, item, "a number of processes, such as 256", err);
        if (stranger && n > COMPILE_PIDS)
            return too_much(row, item, err);
        own->pids = (uint32_t)n;
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
    } keys[] = {{"command", &row->programs},     {"args", &row->args},
                {"extension", &row->extensions}, {"extensions", &row->extensions},
                {"aliases", &row->aliases},      {"errors", &row->errors},
                {"needs", &row->needs},          {"heap", &row->heap}};

    if (stranger && check_stranger(table, row, item, err) < 0)
        return -1;
    if (str_is(item->key, "image") && item->n == 1) {
        free((char *)row->image);
        row->image = xstrndup(item->values[0].p, item->values[0].n);
        return 0;
    }
    if (str_is(item->key, "compile"))
        return set_compile(row, item, err);
    if (str_is(item->key, "compile_timeout") || str_is(item->key, "compile_memory") ||
        str_is(item->key, "compile_pids"))
        return set_limit(row, item, stranger, err);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (!str_is(item->key, keys[i].key))
            continue;
        bool dots = keys[i].slot == &row->extensions;
        free_words(*keys[i].slot);
        *keys[i].slot = (const char *const *)copy_words(item->values, item->n, dots);
        return 0;
    }
    return err_set(err, ERR_USAGE,
                   "language.%s has no '%.*s'; it has command, args, extension, aliases, image, "
                   "compile, compile_timeout, compile_memory, compile_pids, errors, needs and heap",
                   row->name, (int)item->key.n, item->key.p);
}

/* ---- complete rows ---- */

static bool has_out(const char *const *args)
{
    while (args && *args && !strstr(*args, "{out}"))
        args++;
    return args && *args;
}

/* The compiler of a complete row. Without a command, the product is the program itself. */
static int complete_compile(struct language *row, const struct language *base, struct err *err)
{
    struct language_compile *own = (struct language_compile *)row->compile;

    if (!own) {
        row->compile = base ? base->compile : NULL;
        return 0;
    }
    if (!own->args || !has_out(own->args))
        return err_set(
            err, ERR_USAGE,
            "[language.%s] compile needs \"{out}\", the path of the program that it makes",
            row->name);
    if (!own->is_copy)
        own->native = !row->programs;
    return 0;
}

/* Copies missing values from the built-in language of that name. */
static int language_complete(struct language *row, const struct language *base, struct err *err)
{
    static const struct str file_only[] = {{"{file}", 6}}, out_only[] = {{"{out}", 5}};
    static const char *const version[] = {"--version", NULL};

    if (complete_compile(row, base, err) < 0)
        return -1;
    bool native = row->compile && row->compile->native;
    if (row->programs ? !row->programs[0] : !base && !native)
        return err_set(err, ERR_USAGE, "[language.%s] needs a command", row->name);
    if (row->args && !row->compile && !str_one_of_nocase(STR("{file}"), row->args))
        return err_set(err, ERR_USAGE, "[language.%s] args needs \"{file}\", the program's path",
                       row->name);
    if (base) {
        if (row->programs)
            row->syntax_args = NULL;
        row->programs = or_builtin(row->programs, base->programs);
        row->extensions = or_builtin(row->extensions, base->extensions);
        row->aliases = or_builtin(row->aliases, base->aliases);
        row->args = or_builtin(row->args, base->args);
        row->errors = or_builtin(row->errors, base->errors);
        row->frames = or_builtin(row->frames, base->frames);
        row->heap = or_builtin(row->heap, base->heap);
        row->image = row->image ? row->image : base->image ? xstrdup(base->image) : NULL;
        return 0;
    }
    if (!row->args && !native)
        row->args = (const char *const *)copy_words(row->compile ? out_only : file_only, 1, false);
    if (!row->args)
        row->args = (const char *const *)copy_words(NULL, 0, false);
    if (!row->programs)
        row->programs = or_builtin(NULL, row->compile->programs);
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

static void free_compile(struct language *row)
{
    const struct language *base = language_find(NULL, str_from(row->name));
    struct language_compile *own = (struct language_compile *)row->compile;

    if (!own || (base && own == base->compile))
        return;
    free_words(own->own_programs);
    free_words(own->own_args);
    free(own);
}

void language_table_done(struct language_table *table)
{
    for (size_t i = 0; i < table->user_count; i++) {
        struct language *row = table->user[i];
        free_compile(row);
        free((char *)row->name);
        free_words(row->programs);
        free_words(row->args);
        free_words(row->extensions);
        free_words(row->aliases);
        free((char *)row->image);
        free_words(row->errors);
        free_words(row->frames);
        free_words(row->heap);
        free_words(row->needs);
        free(row);
    }
    free(table->user);
    *table = (struct language_table){0};
}
