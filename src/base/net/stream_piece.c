/* SPDX-License-Identifier: Apache-2.0 */
#include "net/stream_piece.h"

int stream_piece_put_head(struct buf *b, int stream, uint32_t n)
{
    const unsigned char head[STREAM_PIECE_HEAD] = {
        [0] = (unsigned char)stream,    [4] = (unsigned char)(n >> 24),
        [5] = (unsigned char)(n >> 16), [6] = (unsigned char)(n >> 8),
        [7] = (unsigned char)n,
    };

    return buf_add(b, head, sizeof head);
}

bool stream_piece_head(struct str bytes, int *ret_stream, uint32_t *ret_n)
{
    const unsigned char *p = (const unsigned char *)bytes.p;

    if (bytes.n < STREAM_PIECE_HEAD || p[0] > 2 || p[1] || p[2] || p[3])
        return false;
    *ret_stream = p[0];
    *ret_n = (uint32_t)p[4] << 24 | (uint32_t)p[5] << 16 | (uint32_t)p[6] << 8 | p[7];
    return true;
}
