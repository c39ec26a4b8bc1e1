/* SPDX-License-Identifier: Apache-2.0
 *
 * Two texts, with the byte 0xff between them: their diff turns the first into the second.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct str cut_line(struct str *rest)
{
    const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
    struct str line = str_slice(*rest, 0, end ? (size_t)(end - rest->p) + 1 : rest->n);

    *rest = str_slice(*rest, line.n, rest->n);
    return line;
}

/* Takes from `old` the lines up to the one with this number, into `out`. */
static size_t copy_until(struct str *old, size_t at, size_t line, struct buf *out)
{
    for (; at < line; at++)
        assert(buf_add_str(out, cut_line(old)) == 0);
    return at;
}

static bool no_end_follows(struct str rest)
{
    return rest.n && rest.p[0] == '\\';
}

/* One line of a hunk. Returns how many lines of the old text it is. */
static size_t apply_line(struct str line, bool no_end, struct str *old, struct buf *out)
{
    struct str text = str_slice(line, 1, no_end ? line.n - 1 : line.n);

    if (line.p[0] != '+')
        assert(str_eq(cut_line(old), text));
    if (line.p[0] != '-')
        assert(buf_add_str(out, text) == 0);
    return line.p[0] != '+';
}

static void apply(struct str diff, struct str old, struct buf *out)
{
    size_t at = 0, first, count;

    assert(str_starts(cut_line(&diff), "--- ") && str_starts(cut_line(&diff), "+++ "));
    while (diff.n) {
        struct str line = cut_line(&diff);
        if (line.p[0] == '\\')
            continue;
        if (line.p[0] != '@') {
            at += apply_line(line, no_end_follows(diff), &old, out);
            continue;
        }
        count = 1;
        assert(sscanf(line.p, "@@ -%zu,%zu", &first, &count) >= 1);
        at = copy_until(&old, at, count ? first - 1 : first, out);
    }
    assert(buf_add_str(out, old) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint8_t *mark = n ? memchr(data, 0xff, n) : NULL;
    size_t cut = mark ? (size_t)(mark - data) : n;
    struct str a = {(const char *)data, cut};
    struct str b = {(const char *)data + cut + !!mark, n - cut - !!mark};
    AUTO_BUF struct buf diff = {0}, got = {0}, small = {0};

    buf_init(&diff, 64 << 20);
    buf_init(&got, n + 1);
    buf_init(&small, 64);
    diff_add(&(struct diff_side){"a", a}, &(struct diff_side){"b", b}, &diff);
    diff_add(&(struct diff_side){"a", a}, &(struct diff_side){"b", b}, &small);
    if (diff.n == 0) {
        assert(str_eq(a, b));
        return 0;
    }
    apply(buf_str(&diff), a, &got);
    assert(str_eq(buf_str(&got), b));
    return 0;
}
