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

#define MARK "\n...(truncated: "
#define TAIL " bytes left out)...\n"

static void check_kept(struct str all, struct str kept, size_t limit)
{
    if (all.n <= limit) {
        assert(str_eq(all, kept));
        return;
    }
    long mark = str_find(all, STR(MARK)) < 0 ? str_find(kept, STR(MARK)) : -1;
    if (mark < 0) /* the stream had such a line of its own */
        return;
    struct str head = str_slice(kept, 0, (size_t)mark);
    long end = str_find(str_slice(kept, (size_t)mark, kept.n), STR(TAIL));
    assert(end >= 0);
    struct str tail = str_slice(kept, (size_t)(mark + end) + strlen(TAIL), kept.n);
    assert(head.n + tail.n <= limit && head.n + tail.n + 6 >= limit);
    assert(str_eq(head, str_slice(all, 0, head.n)));
    assert(str_eq(tail, str_slice(all, all.n - tail.n, all.n)));
}

static void check(const struct capture *c, struct str all)
{
    AUTO_BUF struct buf kept = {0};

    assert(c->total == all.n && c->head.n <= c->limit);
    buf_init(&kept, 1 << 20);
    capture_text(c, &kept);
    check_kept(all, buf_str(&kept), c->limit);
    assert(!utf8_valid(all) || utf8_valid(buf_str(&kept)));
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
