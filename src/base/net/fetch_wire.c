/* SPDX-License-Identifier: Apache-2.0 */
#include "net/fetch_wire.h"

enum { VERSION = 1 };

void fetch_order_put(struct buf *b, const struct fetch_order *order)
{
    wire_put_u32(b, VERSION);
    wire_put_str(b, order->method);
    wire_put_str(b, order->url);
    wire_put_str(b, order->socket);
    wire_put_u32(b, order->header_n);
    wire_put_str(b, order->header_lines);
    wire_put_u64(b, order->connect_ms);
    wire_put_u64(b, order->idle_ms);
    wire_put_u64(b, order->whole_ms);
    wire_put_u64(b, order->max_bytes);
    wire_put_str(b, order->body);
}

bool fetch_order_get(struct str record, struct fetch_order *ret)
{
    struct wire w = {.rest = record};

    if (wire_u32(&w) != VERSION)
        return false;
    ret->method = wire_str(&w);
    ret->url = wire_str(&w);
    ret->socket = wire_str(&w);
    ret->header_n = wire_u32(&w);
    ret->header_lines = wire_str(&w);
    ret->connect_ms = wire_u64(&w);
    ret->idle_ms = wire_u64(&w);
    ret->whole_ms = wire_u64(&w);
    ret->max_bytes = wire_u64(&w);
    ret->body = wire_str(&w);
    return wire_ok(&w);
}

int fetch_frame_next(struct str bytes, size_t max, struct str *ret_record, size_t *ret_length)
{
    struct wire w = {.rest = bytes};
    uint32_t n = wire_u32(&w);

    if (w.bad)
        return 0;
    if (n > max)
        return -1;
    if (n > w.rest.n)
        return 0;
    *ret_record = str_slice(w.rest, 0, n);
    *ret_length = n + sizeof n;
    return 1;
}

void fetch_frame_length(uint32_t n, unsigned char ret[4])
{
    for (unsigned i = 0; i < 4; i++)
        ret[i] = (unsigned char)(n >> (8 * i));
}
