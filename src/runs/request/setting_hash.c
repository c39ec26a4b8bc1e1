/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings as a hash: two commands with the same hash run a program under the same conditions.
 */
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "request/setting.h"

static void add_field(struct sha256 *hash, struct str text)
{
    const uint64_t n = text.n;

    sha256_add(hash, &n, sizeof n);
    sha256_add(hash, text.p, text.n);
}

static bool names_file(const struct setting *row)
{
    return row->shape == SHAPE_TEXT || setting_id_of(row) == SETTING_profile;
}

/* A file that cannot be read is only a name here: its reader reports the error. */
static void add_content(struct sha256 *hash, const char *path)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, RUN_SOURCE_MAX);
    if (fd_read_file(path, &b, &(struct err){0}) == 0)
        add_field(hash, buf_str(&b));
}

static void add_setting(struct sha256 *hash, const struct settings *s, const struct setting *row)
{
    AUTO_BUF struct buf value = {0};
    const char *path = names_file(row) ? *(char *const *)((const char *)s + row->opt.offset) : NULL;

    buf_init(&value, RUN_SOURCE_MAX);
    opt_add_value(&value, &row->opt, s);
    add_field(hash, str_from(row->opt.name));
    add_field(hash, buf_str(&value));
    if (path)
        add_content(hash, path);
}

void settings_hash(const struct settings *s, unsigned verb, struct sha256 *hash)
{
    for (const struct setting *row = settings_all; row < settings_all + SETTING_COUNT; row++)
        if (row->opt.name && row->opt.kind != OPT_NEGATION && row->of == setting_id_of(row) &&
            row->verbs & verb && !row->aside)
            add_setting(hash, s, row);
    if (s->review)
        add_field(hash, str_from(s->model.model));
}
