/* SPDX-License-Identifier: Apache-2.0
 *
 * Two output streams of a process on one connection, as container engines send them: chunks, here
 * called pieces, each with a head that holds the stream's number and the number of bytes that
 * follow.
 */
#ifndef NET_STREAM_PIECE_H
#define NET_STREAM_PIECE_H

#include "base/buf.h"
#include "base/str.h"

enum { STREAM_PIECE_HEAD = 8 };

/* Appends the head of a piece of n bytes. -1 when it does not fit. */
int stream_piece_put_head(struct buf *b, int stream, uint32_t n);
/* Reads the head at the beginning of the bytes; the stream is 0, 1 or 2. False if the head is
 * incomplete or invalid. */
bool stream_piece_head(struct str bytes, int *ret_stream, uint32_t *ret_n);

#endif
