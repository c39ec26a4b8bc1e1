/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames to and from the backend (docker/contained.h).
 */
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "inside/contained.h"

void contained_send(enum contained_frame kind, const void *p, size_t n)
{
    char frame[CONTAINED_HEAD + CONTAINED_PIECE_MAX];
    const uint32_t head[2] = {kind, (uint32_t)n};

    for (unsigned i = 0; i < CONTAINED_HEAD; i++)
        frame[i] = (char)(head[i / 4] >> (8 * (i % 4)));
    memcpy(frame + CONTAINED_HEAD, p, n);
    if (fd_write_all(STDOUT_FILENO, frame, CONTAINED_HEAD + n) < 0)
        _exit(CONTAINED_BROKEN);
}

void contained_send_buf(enum contained_frame kind, const struct buf *b)
{
    contained_send(kind, b->p, b->n);
}

void contained_send_err(enum contained_frame kind, const struct err *err)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1024);
    wire_put_u32(&b, err->kind);
    wire_put_u32(&b, (uint32_t)err->sys);
    wire_put_cstr(&b, err->kind ? err->msg : "");
    contained_send_buf(kind, &b);
}

void contained_send_numbers(enum contained_frame kind, const uint32_t *numbers, size_t n)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64);
    for (size_t i = 0; i < n; i++)
        wire_put_u32(&b, numbers[i]);
    contained_send_buf(kind, &b);
}

static void take(void *p, size_t n)
{
    if (fd_read_exactly(STDIN_FILENO, p, n) != (ssize_t)n)
        _exit(0); /* the backend is gone, and so is the guest */
}

static uint32_t read_number(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

char *contained_read(size_t max, uint32_t *ret_kind, size_t *ret_n)
{
    unsigned char head[CONTAINED_HEAD];

    take(head, sizeof head);
    *ret_kind = read_number(head);
    *ret_n = read_number(head + 4);
    if (*ret_n > max)
        _exit(CONTAINED_BROKEN);
    char *bytes = xmalloc(*ret_n + 1);
    take(bytes, *ret_n);
    bytes[*ret_n] = '\0';
    return bytes;
}
