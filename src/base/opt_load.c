/* SPDX-License-Identifier: Apache-2.0 */
#include "base/opt.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fd.h"
#include "base/suggestion.h"

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

/* `key = value` in b; as a comment where there is no value, or it may not be told. */
static void add_assignment(struct buf *b, const struct opt_set *set, const struct opt *row)
{
    char *const *string = (char *const *)(const void *)((const char *)set->settings + row->offset);
    bool unset = row->kind == OPT_STRING && !*string;
    bool secret = row->flags & OPT_SECRET;

    (void)buf_addf(b, "%s%s =", unset || secret ? "# " : "", row->name);
    if (unset)
        return;
    (void)buf_addc(b, ' ');
    if (secret)
        (void)buf_adds(b, "***");
    else
        opt_add_value(b, row, set->settings);
}

static void print_row(const struct opt_set *set, const struct opt *row,
                      const struct opt_source *source, FILE *out)
{
    char where[512];
    AUTO_BUF struct buf line = {0};

    buf_init(&line, MAX_PRINTED);
    add_assignment(&line, set, row);
    size_t start = line.n;
    while (start && line.p[start - 1] != '\n')
        start--;
    int pad = line.n - start < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - (line.n - start)) : 0;
    fwrite(line.p, 1, line.n, out);
    fprintf(out, "%*s  # %s\n", pad, "", opt_source_text(source, where, sizeof where));
}

void opt_print(const struct opt_set *set, FILE *out)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(set->tables, &walk))) {
        const struct opt_source *source = opt_source_of(set, row->name);
        bool first = source == &set->sources[walk.index - 1];
        bool shown = !(row->flags & OPT_HIDDEN) || source->from != OPT_FROM_DEFAULT;
        if (row->flags & OPT_CONF && first && shown)
            print_row(set, row, source, out);
    }
}
