/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a config file. What parses is written out again, and must parse to the same items.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "options/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct dump {
    struct buf items; /* lengths and bytes: no two lists of items look the same */
    struct buf again; /* the same as a config file */
    struct str section;
};

static void add_str(struct buf *b, struct str s)
{
    (void)buf_add(b, &s.n, sizeof s.n);
    (void)buf_add_str(b, s);
}

static void write_again(struct dump *d, const struct conf_item *item)
{
    if (!str_eq(d->section, item->section))
        (void)buf_addf(&d->again, "[%.*s]\n", (int)item->section.n, item->section.p);
    (void)buf_addf(&d->again, "%.*s = %s", (int)item->key.n, item->key.p, item->array ? "[" : "");
    for (size_t i = 0; i < item->n; i++) {
        (void)conf_add_value(&d->again, item->values[i]);
        if (item->array)
            (void)buf_adds(&d->again, ",\n");
    }
    (void)buf_adds(&d->again, item->array ? "]\n" : "\n");
    d->section = item->section;
}

static int note(void *ctx, const struct conf_item *item, struct err *err)
{
    struct dump *d = ctx;

    (void)err;
    assert(item->n == 1 || item->array);
    add_str(&d->items, item->section);
    add_str(&d->items, item->key);
    for (size_t i = 0; i < item->n; i++)
        add_str(&d->items, item->values[i]);
    write_again(d, item);
    return 0;
}

static void dump_init(struct dump *d)
{
    buf_init(&d->items, 64 << 20);
    buf_init(&d->again, 64 << 20);
    d->section = (struct str){"", 0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str text = {n ? (const char *)data : "", n};
    struct dump first, second;
    struct err err = {0};

    dump_init(&first);
    dump_init(&second);
    if (conf_parse(text, "fuzz", note, &first, &err) < 0) {
        assert(err.kind == ERR_USAGE && strncmp(err.msg, "fuzz:", 5) == 0);
    } else if (conf_parse(buf_str(&first.again), "again", note, &second, &err) == 0) {
        assert(str_eq(buf_str(&first.items), buf_str(&second.items)));
    } else {
        /* Escapes make it longer, so only a limit may stop it. */
        assert(strstr(err.msg, "longer than") || strstr(err.msg, "larger than"));
    }
    buf_done(&first.items);
    buf_done(&first.again);
    buf_done(&second.items);
    buf_done(&second.again);
    return 0;
}
