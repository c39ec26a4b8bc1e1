/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what a guest says of a value: two of them, with a line's end between. Whatever is
 * read can be shown and compared, and equality goes both ways.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "values/compare.h"
#include "values/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool read_value(struct str text, bool ours, struct arena *arena, struct value *ret)
{
    const struct value_limits limits = {.nodes = 2000};
    struct err err = {0};

    if (value_read_json(text, &limits, arena, ret, &err) == 0 &&
        value_resolve(ret, text, ours, arena, &err) == 0)
        return true;
    assert(err.kind == ERR_USAGE && err.msg[0]);
    return false;
}

static void show(const struct value *v)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 4096);
    value_repr(v, 200, &b);
    assert(b.n && b.n <= 800 && !b.overflow);
    assert(value_type_name(v)[0] || v->class_name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct tolerance close = {.on = true, .rel = 1e-6, .abs = 1e-6, .nan_equal = true};
    struct str text = {(const char *)data, n};
    const char *end = n ? memchr(text.p, '\n', n) : NULL;
    size_t first = end ? (size_t)(end - text.p) : n;
    struct arena arena = {0};
    struct value a, b;

    bool one = read_value(str_slice(text, 0, first), true, &arena, &a);
    bool other = read_value(str_slice(text, first + (end != NULL), n), false, &arena, &b);
    if (one)
        show(&a);
    if (other)
        show(&b);
    if (one && other) {
        assert(value_equal(&a, &b, NULL) == value_equal(&b, &a, NULL));
        (void)value_equal(&a, &b, &close);
    }
    arena_done(&arena);
    return 0;
}
