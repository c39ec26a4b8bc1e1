/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a stream of events: the first byte says in what pieces they come, and the pieces
 * must not matter.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "llm/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int on_event(void *ctx, struct str data, struct err *err)
{
    struct buf *all = ctx;

    (void)err;
    (void)buf_add_str(all, data);
    return buf_addc(all, '\n');
}

static int read_in(struct str text, size_t step, struct buf *all)
{
    struct sse sse;
    struct err err;
    int status = 0;

    sse_init(&sse, 1 << 12, on_event, all);
    for (size_t i = 0; i < text.n && status == 0; i += step)
        status = sse_feed(&sse, str_slice(text, i, i + step), &err);
    if (status == 0)
        status = sse_end(&sse, &err);
    sse_done(&sse);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    AUTO_BUF struct buf whole = {0};
    AUTO_BUF struct buf pieces = {0};
    struct str text = {n ? (const char *)data + 1 : "", n ? n - 1 : 0};

    buf_init(&whole, 1 << 22);
    buf_init(&pieces, 1 << 22);
    int a = read_in(text, text.n + 1, &whole);
    int b = read_in(text, n ? (data[0] & 15) + 1 : 1, &pieces);
    assert(a == b && str_eq(buf_str(&whole), buf_str(&pieces)));
    return 0;
}
