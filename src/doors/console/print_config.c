/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox run --print-config`.
 */
#include "console/print_config.h"

#include <string.h>

#include "base/mem.h"
#include "store/store.h"
#include "text/blocks.h"
#include "text/format_profiles.h"

/* True for a setting that a run may use; false for an option that chooses the program or the
 * printed output. */
static bool is_setting(const struct opt *row)
{
    static const struct opt *const tables[] = {work_options,   data_options,  wall_options,
                                               policy_options, guard_options, limit_options,
                                               log_options,    NULL};

    return opt_find(tables, str_from(row->name)) != NULL;
}

/* Returns the profile or the log that a run uses if the user names none. */
static char *in_effect(const void *settings, const struct opt *row)
{
    const struct settings *s = settings;
    char *path = NULL;
    struct err err;

    if (strcmp(row->name, "profile") == 0)
        return xstrdup(strcmp(s->backend, "host") == 0 ? "host" : "standard");
    if (strcmp(row->name, "log") == 0 && store_default_path(&path, &err) == 0)
        return path;
    return NULL;
}

/* ---- settings that are fixed, or belong to another command ---- */

static void add_pairs(struct buf *b, const struct block_pair *pairs, size_t n)
{
    AUTO_BUF struct buf both = {0};

    buf_init(&both, 1 << 10);
    for (size_t i = 0; i < n; i++) {
        buf_clear(&both);
        (void)buf_addf(&both, "%.*s..%.*s", (int)pairs[i].open.n, pairs[i].open.p,
                       (int)pairs[i].close.n, pairs[i].close.p);
        (void)buf_adds(b, i ? ",\n#     " : "");
        (void)conf_add_value(b, buf_str(&both));
    }
}

static void print_fixed(FILE *out)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 8 << 10);
    opt_print_line(STR("# stateful = false"), "of a run; 'repl' and 'session new' keep state", out);
    (void)buf_adds(&b, "# code-delimiters = [");
    add_pairs(&b, blocks_adk_pairs, BLOCKS_ADK_PAIRS);
    (void)buf_addc(&b, ']');
    opt_print_line(buf_str(&b), "'glovebox blocks --profile adk'; its --delimiters", out);
    buf_clear(&b);
    (void)buf_adds(&b, "# result-delimiters = [");
    add_pairs(&b, &format_adk_pair, 1);
    (void)buf_addc(&b, ']');
    opt_print_line(buf_str(&b), "'glovebox format --profile adk'", out);
}

void print_config(const struct cli_options *options, FILE *out)
{
    static const struct opt_print how = {.shows = is_setting, .unset = in_effect};

    opt_print_with(&options->set, &how, out);
    print_fixed(out);
}
