/* SPDX-License-Identifier: Apache-2.0 */
#include "options/opt.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "options/opt_value.h"

/* ---- rows ---- */

const struct opt *opt_next(const struct opt *const *tables, struct opt_walk *walk)
{
    for (; tables[walk->table]; walk->table++, walk->row = 0) {
        const struct opt *row = &tables[walk->table][walk->row];
        if (!row->name)
            continue;
        walk->row++;
        walk->index++;
        return row;
    }
    return NULL;
}

bool opt_takes_value(const struct opt *row)
{
    return row->kind != OPT_FLAG && row->kind != OPT_NEGATION;
}

static bool same_name(struct str text, const char *name, bool fold)
{
    if (text.n != strlen(name))
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != name[i] && !(fold && text.p[i] == '_' && name[i] == '-'))
            return false;
    return true;
}

static const struct opt *find_in(const struct opt *const *tables, struct str name, bool fold)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(tables, &walk)))
        if (same_name(name, row->name, fold))
            return row;
    return NULL;
}

static const struct opt *find_row(const struct opt_set *set, struct str name, bool fold)
{
    return find_in(set->tables, name, fold);
}

/* The first row of a value's names: it has the default and keeps the source. */
static const struct opt *first_row(const struct opt_set *set, size_t offset, size_t *ret_index)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(set->tables, &walk)) && row->offset != offset)
        ;
    assert(row);
    *ret_index = walk.index - 1;
    return row;
}

static struct opt_source *source_slot(const struct opt_set *set, const struct opt *row)
{
    size_t index;

    first_row(set, row->offset, &index);
    return &set->sources[index];
}

/* A flag of one name holds for all names of the value: `check = false` loosens as `no-check = true`
 * does. */
static bool has_flag(const struct opt_set *set, const struct opt *named, unsigned flag)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(set->tables, &walk)))
        if (row->offset == named->offset && row->flags & flag)
            return true;
    return false;
}

/* ---- the set ---- */

static void clear(const struct opt *row, void *settings)
{
    union opt_value v = opt_value_get(row, settings), zero = {0};

    opt_value_free(row, &v);
    opt_value_put(row, settings, &zero);
}

static void set_default(const struct opt_set *set, const struct opt *named)
{
    size_t index;
    const struct opt *row = first_row(set, named->offset, &index);
    const char *text = row->initial ? row->initial : row->kind == OPT_NEGATION ? "false" : NULL;
    struct str s = str_from(text);
    union opt_value v = {0};
    struct err err;

    clear(row, set->settings);
    int bad = text ? opt_value_read(row, &s, 1, &v, &err) : 0;
    assert(!bad && "a row's default is wrong");
    (void)bad;
    opt_value_put(row, set->settings, &v);
}

static void set_source(struct opt_source *slot, const struct opt_source *source)
{
    char *old = (char *)slot->place;

    *slot = *source;
    slot->place = source->place ? xstrdup(source->place) : NULL;
    free(old);
}

void opt_init(struct opt_set *set, const struct opt *const *tables, void *settings)
{
    static const union opt_value zero;
    struct opt_walk walk = {0};
    const struct opt *row;

    *set = (struct opt_set){.tables = tables, .settings = settings};
    while ((row = opt_next(tables, &walk)))
        opt_value_put(row, settings, &zero);
    set->count = walk.index;
    set->sources = xcalloc(set->count, sizeof *set->sources);
    walk = (struct opt_walk){0};
    while ((row = opt_next(tables, &walk)))
        set_default(set, row);
}

void opt_done(struct opt_set *set)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(set->tables, &walk)))
        clear(row, set->settings);
    for (size_t i = 0; i < set->count; i++)
        free((char *)set->sources[i].place);
    free(set->sources);
    set->sources = NULL;
    set->count = 0;
}

/* ---- sources ---- */

static const struct {
    const char *text;
    bool config; /* sets OPT_CONF rows only */
} froms[] = {
    [OPT_FROM_DEFAULT] = {"default", false},       [OPT_FROM_USER] = {"user config", true},
    [OPT_FROM_PROJECT] = {"project config", true}, [OPT_FROM_ENV] = {"environment", true},
    [OPT_FROM_COMMAND] = {"command line", false},
};

/* Config files and arguments may come from a stranger: send no control characters to the terminal.
 */
static char *make_printable(char *text)
{
    for (unsigned char *p = (unsigned char *)text; *p; p++)
        if (*p < ' ' || *p == 0x7F)
            *p = '?';
        else if (*p == 0xC2 && p[1] >= 0x80 && p[1] < 0xA0) /* U+0080 to U+009F */
            p[0] = p[1] = '?';
    return text;
}

char *opt_source_text(const struct opt_source *source, char *out, size_t n)
{
    if (source->line)
        snprintf(out, n, "%s %s:%zu", froms[source->from].text, source->place, source->line);
    else
        snprintf(out, n, "%s%s%s", froms[source->from].text, source->place ? " " : "",
                 source->place ? source->place : "");
    return make_printable(out);
}

const struct opt_source *opt_source_of(const struct opt_set *set, const char *name)
{
    const struct opt *row = find_row(set, str_from(name), true);

    return row ? source_slot(set, row) : NULL;
}

static int blame_line(struct err *err, const struct opt_source *source)
{
    if (source->line && !source->in_section)
        err_wrap(err, "%s:%zu", source->place, source->line);
    make_printable(err->msg);
    return -1;
}

/* Puts the option and its location in front of a message; -1. */
static int blame(struct err *err, const struct opt_source *source, const char *name)
{
    if (source->from == OPT_FROM_COMMAND)
        err_wrap(err, "--%s", name);
    else if (source->from == OPT_FROM_ENV && source->place)
        err_wrap(err, "%s", source->place);
    else
        err_wrap(err, "%s", name);
    return blame_line(err, source);
}

const char *opt_advice(const struct opt_set *set, struct str name)
{
    for (const struct opt_other *o = set->others; o && o->name; o++)
        if (str_is(name, o->name))
            return o->advice;
    return NULL;
}

/* The advice for an option of another program that is misspelt by one letter. */
static const char *near_advice(const struct opt_set *set, struct str name)
{
    struct suggestion near = {.word = name};

    for (const struct opt_other *o = set->others; o && o->name; o++)
        suggestion_try(&near, o->name);
    return near.best && near.cost == 1 ? opt_advice(set, str_from(near.best)) : NULL;
}

/* "language" is longer than "lang". */
static void try_beginning(struct suggestion *near, struct str word, const char *name)
{
    enum { LEAST = 4 };

    if (!near->best && strlen(name) >= LEAST && str_starts(word, name))
        near->best = name;
}

static bool may_suggest(const struct opt *row, const struct opt_source *source)
{
    return !(row->flags & OPT_HIDDEN) && (!froms[source->from].config || row->flags & OPT_CONF);
}

static int unknown(const struct opt_set *set, const struct opt_source *source, struct str name,
                   struct err *err)
{
    bool command = source->from == OPT_FROM_COMMAND;
    const char *dashes = command ? "--" : "", *quote = command ? "" : "'";
    struct suggestion near = {.word = name};
    struct opt_walk walk = {0};
    const struct opt *row;
    int shown = (int)(name.n < 60 ? name.n : 60);

    const char *advice = command ? opt_advice(set, name) : NULL;
    if (advice)
        return err_set(err, ERR_USAGE, "unknown option --%.*s; %s", shown, name.p, advice);
    if (command && set->of_others && set->of_others(name))
        return err_set(err, ERR_USAGE, "--%.*s does not apply to 'glovebox %s'", shown, name.p,
                       set->command);
    while ((row = opt_next(set->tables, &walk)))
        if (may_suggest(row, source))
            suggestion_try(&near, row->name);
    advice = command && !near.best ? near_advice(set, name) : NULL;
    if (advice)
        return err_set(err, ERR_USAGE, "unknown option --%.*s; %s", shown, name.p, advice);
    walk = (struct opt_walk){0};
    while ((row = opt_next(set->tables, &walk)))
        if (may_suggest(row, source))
            try_beginning(&near, name, row->name);
    if (near.best)
        err_set(err, ERR_USAGE, "unknown %s %s%s%.*s%s; did you mean %s%s%s%s?",
                command ? "option" : "key", dashes, quote, shown, name.p, quote, dashes, quote,
                near.best, quote);
    else
        err_set(err, ERR_USAGE, "unknown %s %s%s%.*s%s", command ? "option" : "key", dashes, quote,
                shown, name.p, quote);
    return blame_line(err, source);
}

/* ---- applying ---- */

static bool opt_is_named(const char *names, const char *name)
{
    struct str rest = str_from(names), one;

    while (names && str_next(&rest, ',', &one))
        if (str_is(str_trim(one), name))
            return true;
    return false;
}

static bool contradict(const struct opt *a, const struct opt *b)
{
    return opt_is_named(a->excludes, b->name) || opt_is_named(b->excludes, a->name);
}

/* Checks the options that are set and exclude `row`. -1 if one has the same source; *ret_yield if
 * one has a stronger source. */
static int opt_settle(const struct opt_set *set, const struct opt *row,
                      const struct opt_source *source, bool *ret_yield, struct err *err)
{
    struct opt_walk walk = {0};
    const struct opt *other;

    while ((other = opt_next(set->tables, &walk))) {
        if (!contradict(row, other))
            continue;
        enum opt_from from = source_slot(set, other)->from;
        union opt_value v = opt_value_get(other, set->settings);
        if (from == OPT_FROM_DEFAULT || from < source->from || !opt_value_is_on(other, &v))
            continue;
        if (from == source->from)
            return err_set(err, ERR_USAGE, "cannot be given together with %s%s",
                           from == OPT_FROM_COMMAND ? "--" : "", other->name);
        *ret_yield = true;
    }
    return 0;
}

/* After opt_settle, every option that still contradicts `row` has a weaker source: reset it to its
 * default. */
static void reset_contradicted(const struct opt_set *set, const struct opt *row)
{
    static const struct opt_source none = {.from = OPT_FROM_DEFAULT};
    struct opt_walk walk = {0};
    const struct opt *other;

    while ((other = opt_next(set->tables, &walk))) {
        union opt_value v = opt_value_get(other, set->settings);
        if (!contradict(row, other) || !opt_value_is_on(other, &v))
            continue;
        set_default(set, other);
        set_source(source_slot(set, other), &none);
    }
}

static int may_set(const struct opt_set *set, const struct opt *row,
                   const struct opt_source *source, struct err *err)
{
    if (froms[source->from].config && !(row->flags & OPT_CONF))
        return err_set(err, ERR_USAGE, "can be given on the command line only");
    if (source->from == OPT_FROM_PROJECT && has_flag(set, row, OPT_LOOSENS))
        return err_set(err, ERR_USAGE,
                       "weakens the sandbox, so a project's config file may not set it; "
                       "give it on the command line or in your own config file");
    return 0;
}

/* A guest of an earlier run may have written the project's config file. */
static int may_change(const struct opt_set *set, const struct opt *row,
                      const struct opt_source *source, const union opt_value *v, struct err *err)
{
    union opt_value present = opt_value_get(row, set->settings);
    AUTO_BUF struct buf text = {0};

    if (source->from != OPT_FROM_PROJECT || !has_flag(set, row, OPT_ONLY_LOWER) ||
        !opt_value_is_more(row, v, &present))
        return 0;
    buf_init(&text, 64);
    opt_add_value(&text, row, set->settings);
    return err_set(err, ERR_USAGE,
                   "a project's config file may only lower this limit, and it is %s; "
                   "raise it on the command line or in your own config file",
                   text.p);
}

static void store(const struct opt_set *set, const struct opt *row, union opt_value *v,
                  const struct opt_source *source)
{
    struct opt_source *present = source_slot(set, row);
    bool adds = source->from == OPT_FROM_PROJECT && has_flag(set, row, OPT_ONLY_LOWER);

    if (row->kind == OPT_LIST && (adds || present->from == source->from)) {
        union opt_value old = opt_value_get(row, set->settings);
        opt_value_join(&old, v);
        *v = old;
    } else {
        clear(row, set->settings);
    }
    opt_value_put(row, set->settings, v);
    set_source(present, source);
}

static int apply(const struct opt_set *set, const struct opt *row, const struct opt_source *source,
                 const struct str *values, size_t n, struct err *err)
{
    bool yield = source_slot(set, row)->from > source->from;
    union opt_value v = {0};

    if (may_set(set, row, source, err) < 0 || opt_value_read(row, values, n, &v, err) < 0)
        return blame(err, source, row->name);
    if (opt_value_is_on(row, &v) && opt_settle(set, row, source, &yield, err) < 0) {
        opt_value_free(row, &v);
        return blame(err, source, row->name);
    }
    if (yield) {
        opt_value_free(row, &v);
        return 0;
    }
    if (may_change(set, row, source, &v, err) < 0)
        return blame(err, source, row->name);
    if (opt_value_is_on(row, &v))
        reset_contradicted(set, row);
    store(set, row, &v, source);
    return 0;
}

const struct opt *opt_find(const struct opt *const *tables, struct str name)
{
    return find_in(tables, name, true);
}

int opt_apply_list(struct opt_set *set, const struct opt_source *source, struct str name,
                   const struct str *values, size_t n, struct err *err)
{
    const struct opt *row = find_row(set, name, source->from != OPT_FROM_COMMAND);

    if (!row)
        return unknown(set, source, name, err);
    return apply(set, row, source, values, n, err);
}

int opt_apply(struct opt_set *set, const struct opt_source *source, const char *name,
              struct str value, struct err *err)
{
    return opt_apply_list(set, source, str_from(name), &value, 1, err);
}
