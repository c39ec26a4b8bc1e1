/* SPDX-License-Identifier: Apache-2.0 */
#include "options/opt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"

/* ---- config files ---- */

struct loader {
    struct opt_set *set;
    const struct opt_conf *conf;
};

static int take_item(void *ctx, const struct conf_item *item, struct err *err)
{
    const struct loader *l = ctx;
    const struct opt_source source = {l->conf->from, l->conf->path, item->line,
                                      item->section.n > 0};

    if (!item->section.n && l->set->elsewhere && !opt_find(l->set->tables, item->key) &&
        l->set->elsewhere(item->key))
        return 0;
    if (!item->section.n)
        return opt_apply_list(l->set, &source, item->key, item->values, item->n, err);
    int failed = l->conf->section
                     ? l->conf->section(l->conf->ctx, &source, item, err)
                     : err_set(err, ERR_USAGE, "unknown section '%.*s'",
                               (int)(item->section.n < 60 ? item->section.n : 60), item->section.p);
    return failed ? err_wrap(err, "%s:%zu", source.place, source.line) : 0;
}

int opt_load_conf(struct opt_set *set, const struct opt_conf *conf, struct err *err)
{
    struct loader l = {set, conf};
    struct err local;
    AUTO_BUF struct buf text = {0};

    buf_init(&text, CONF_MAX_BYTES);
    if (fd_read_file(conf->path, &text, &local) < 0) {
        if (conf->optional && (local.sys == ENOENT || local.sys == ENOTDIR))
            return 0;
        if (local.sys == EFBIG)
            return err_set(err, ERR_USAGE, "%s: larger than %d bytes", conf->path, CONF_MAX_BYTES);
        *err = local;
        if (local.sys == ENOENT || local.sys == ENOTDIR)
            err->kind = ERR_USAGE;
        return err_wrap(err, "config file");
    }
    return conf_parse(buf_str(&text), conf->path, take_item, &l, err);
}

/* ---- the environment ---- */

static void variable_name(struct buf *b, const char *prefix, const char *name)
{
    buf_clear(b);
    (void)buf_addf(b, "%s_", prefix);
    for (; *name; name++)
        if (*name == '-')
            (void)buf_addc(b, '_');
        else
            (void)buf_addc(b, *name >= 'a' && *name <= 'z' ? (char)(*name - ('a' - 'A')) : *name);
}

int opt_load_env(struct opt_set *set, const char *prefix, struct err *err)
{
    struct opt_walk walk = {0};
    const struct opt *row;
    AUTO_BUF struct buf name = {0};

    buf_init(&name, 200);
    while ((row = opt_next(set->tables, &walk))) {
        if (!(row->flags & OPT_CONF))
            continue;
        variable_name(&name, prefix, row->name);
        const char *value = getenv(name.p);
        const struct opt_source source = {.from = OPT_FROM_ENV, .place = name.p};
        if (value && *value && opt_apply(set, &source, row->name, str_from(value), err) < 0)
            return -1;
    }
    return 0;
}

/* ---- --print-config ---- */

enum { COMMENT_COLUMN = 40, MAX_PRINTED = 64 << 20 };

/* Appends `key = value`; commented out if the option is unset, not a config key, or secret. */
static void add_assignment(struct buf *b, const struct opt_set *set, const struct opt *row,
                           const struct opt_print *how)
{
    char *const *string = (char *const *)(const void *)((const char *)set->settings + row->offset);
    bool unset = row->kind == OPT_STRING && !*string;
    bool comment = unset || row->flags & OPT_SECRET || !(row->flags & OPT_CONF);
    AUTO_FREE char *effect = unset && how->unset ? how->unset(set->settings, row) : NULL;
    AUTO_BUF struct buf value = {0};

    buf_init(&value, MAX_PRINTED);
    (void)buf_addf(b, "%s%s =", comment ? "# " : "", row->name);
    if (row->flags & OPT_SECRET && !unset)
        (void)buf_adds(&value, "***");
    else if (effect)
        (void)conf_add_value(&value, str_from(effect));
    else if (!unset)
        opt_add_value(&value, row, set->settings);
    if (value.n)
        (void)buf_addc(b, ' ');
    for (size_t i = 0; i < value.n; i++) {
        (void)buf_addc(b, value.p[i]);
        if (comment && value.p[i] == '\n')
            (void)buf_adds(b, "# ");
    }
}

void opt_print_line(struct str text, const char *where, FILE *out)
{
    const char *end = text.n ? memrchr(text.p, '\n', text.n) : NULL;
    size_t last = end ? text.n - (size_t)(end + 1 - text.p) : text.n;
    int pad = last < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - last) : 0;

    fwrite(text.p, 1, text.n, out);
    fprintf(out, "%*s  # %s\n", pad, "", where);
}

static void print_row(const struct opt_set *set, const struct opt *row,
                      const struct opt_source *source, const struct opt_print *how, FILE *out)
{
    char where[512];
    AUTO_BUF struct buf line = {0};

    buf_init(&line, MAX_PRINTED);
    add_assignment(&line, set, row, how);
    opt_print_line(buf_str(&line), opt_source_text(source, where, sizeof where), out);
}

void opt_print_with(const struct opt_set *set, const struct opt_print *how, FILE *out)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(set->tables, &walk))) {
        const struct opt_source *source = opt_source_of(set, row->name);
        bool first = source == &set->sources[walk.index - 1];
        bool key = row->flags & OPT_CONF || (how->shows && how->shows(row));
        bool shown = !(row->flags & OPT_HIDDEN) || source->from != OPT_FROM_DEFAULT;
        if (key && first && shown)
            print_row(set, row, source, how, out);
    }
}

void opt_print(const struct opt_set *set, FILE *out)
{
    static const struct opt_print plain;

    opt_print_with(set, &plain, out);
}
