/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames between a caller (net/fetch.h) and glovebox-fetch (src/base/fetch/main.c): a length of 4
 * bytes, then as many bytes of a record (base/wire.h). The caller sends one request and receives
 * one head, body chunks and one end; or a failure at any time. Then it may send the next request.
 */
#ifndef NET_FETCH_WIRE_H
#define NET_FETCH_WIRE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/wire.h"

enum {
    FETCH_REQUEST_MAX = 64 << 20,
    FETCH_ANSWER_MAX = 1 << 20, /* of one frame to the caller */
    FETCH_PIECE_MAX = 64 << 10, /* of a chunk of a body */
    FETCH_HEADERS_MAX = 256 << 10,
};

/* The first number in each frame to the caller. */
enum fetch_frame {
    FETCH_FRAME_HEAD = 1, /* status, header lines with their line ends */
    FETCH_FRAME_BODY,     /* bytes */
    FETCH_FRAME_END,
    FETCH_FRAME_FAILED, /* enum fetch_failure, message */
};

enum fetch_failure {
    FETCH_NOT_CONNECTED = 1, /* name look-up, address, proxy */
    FETCH_NOT_TRUSTED,       /* TLS: certificate or handshake */
    FETCH_TIMED_OUT,         /* while connecting, by silence, or in total */
    FETCH_TOO_LARGE,
    FETCH_BROKEN, /* the connection broke, or the answer is not HTTP */
    FETCH_BAD_REQUEST,
};

/* A request; its strings point into bytes that it does not own. */
struct fetch_order {
    struct str method, url, socket, body;
    struct str header_lines; /* records of wire_put_str */
    uint32_t header_n;
    uint64_t connect_ms, idle_ms, whole_ms, max_bytes;
};

void fetch_order_put(struct buf *b, const struct fetch_order *order);
/* False if the bytes are not a valid request. */
bool fetch_order_get(struct str record, struct fetch_order *ret);

/* Finds a whole frame at the start of the bytes. Returns 1 with the record and the frame's length;
 * 0 if more bytes are needed; -1 if the frame is longer than max. */
int fetch_frame_next(struct str bytes, size_t max, struct str *ret_record, size_t *ret_length);
/* Writes the length with which a frame begins. */
void fetch_frame_length(uint32_t n, unsigned char ret[4]);

#endif
