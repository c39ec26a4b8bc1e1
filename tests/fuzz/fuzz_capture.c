/* SPDX-License-Identifier: Apache-2.0
 *
 * A limit, then an output stream in pieces (a byte of length before each). What is kept is its
 * beginning and its end, no more than the limit, and no character is cut that was whole.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "result/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_kept(struct str all, struct str text, const struct capture_kept *kept,
                       size_t limit)
{
    if (all.n <= limit) {
        assert(str_eq(all, text) && kept->head == all.n && !kept->tail);
        return;
    }
    assert(kept->head + kept->tail <= limit && kept->head + kept->tail + 6 >= limit);
    assert(kept->head + kept->tail < text.n);
    assert(str_eq(str_slice(text, 0, kept->head), str_slice(all, 0, kept->head)));
    assert(str_eq(str_slice(text, text.n - kept->tail, text.n),
                  str_slice(all, all.n - kept->tail, all.n)));
}

static void check(const struct capture *c, struct str all)
{
    AUTO_BUF struct buf text = {0};

    assert(c->total == all.n && c->head.n <= c->limit);
    buf_init(&text, 1 << 20);
    struct capture_kept parts = capture_text(c, &text);
    check_kept(all, buf_str(&text), &parts, c->limit);
    assert(!utf8_valid(all) || utf8_valid(buf_str(&text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    AUTO_BUF struct buf all = {0};
    struct capture c;

    if (!n)
        return 0;
    buf_init(&all, 1 << 20);
    capture_init(&c, data[0]);
    for (data++, n--; n;) {
        size_t take = data[0] < n - 1 ? data[0] : n - 1;
        capture_add(&c, (const char *)data + 1, take);
        if (buf_add(&all, data + 1, take) < 0)
            break;
        data += 1 + take;
        n -= 1 + take;
    }
    check(&c, buf_str(&all));
    capture_done(&c);
    return 0;
}
