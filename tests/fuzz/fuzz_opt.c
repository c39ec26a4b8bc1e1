/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes, cut at NULs, as a command line. The settings it gives are printed as a config file,
 * and must read back the same.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unit/opt_tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_WORDS = 200 };

static int apply_item(void *ctx, const struct conf_item *item, struct err *ret_err)
{
    struct opt_source source = {.from = OPT_FROM_USER, .place = "printed", .line = item->line};

    return opt_apply_list(ctx, &source, item->key, item->values, item->n, ret_err);
}

/* All values as text, without their sources. */
static void add_values(struct buf *b, const struct settings *values)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(tables, &walk)))
        if (row->flags & OPT_CONF && !(row->flags & OPT_SECRET))
            opt_add_value(b, row, values);
}

static void read_back(const struct opt_set *from)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    struct settings copy = {0};
    struct opt_set again;
    struct buf want, got;

    opt_print(from, out);
    fclose(out);
    opt_init(&again, tables, &copy);
    int failed = conf_parse((struct str){text, n}, "printed", apply_item, &again, &err);
    assert(!failed || strstr(err.msg, "longer than"));

    buf_init(&want, 64 << 20);
    buf_init(&got, 64 << 20);
    add_values(&want, from->settings);
    add_values(&got, &copy);
    assert(failed || str_eq(buf_str(&want), buf_str(&got)));
    buf_done(&want);
    buf_done(&got);
    opt_done(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    AUTO_FREE char *text = xstrndup((const char *)data, n);
    char *argv[MAX_WORDS + 1] = {(char *)"run"};
    int argc = 1;

    for (size_t at = 0; at < n && argc < MAX_WORDS; at += strlen(text + at) + 1)
        argv[argc++] = text + at;
    fresh();
    if (opt_parse(&set, argc, argv, &args, &err) == 0)
        read_back(&set);
    else
        assert(err.kind == ERR_USAGE && err.msg[0]);
    done();
    return 0;
}
