/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames to and from the backend (jail/contained_wire.h).
 */
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "helper/contained.h"

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

static uint32_t contained_frames_read_number(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void take_plainly(void *p, size_t n)
{
    if (fd_read_exactly(STDIN_FILENO, p, n) != (ssize_t)n)
        _exit(0); /* the backend is gone, and so is the guest */
}

/* ---- numbered pieces ---- */

static struct {
    bool on;
    uint32_t last; /* the number of the current piece */
    size_t left;   /* bytes of it that are not read yet */
} pieces;

void contained_number_input(void)
{
    pieces.on = true;
}

/* Reads the head of a piece. Returns false for one that came before, which is dropped. */
static bool begin_piece(void)
{
    unsigned char head[CONTAINED_HEAD], waste[4096];

    take_plainly(head, sizeof head);
    bool again = contained_frames_read_number(head) == pieces.last;
    pieces.last = contained_frames_read_number(head);
    pieces.left = contained_frames_read_number(head + 4);
    while (again && pieces.left) {
        size_t n = pieces.left < sizeof waste ? pieces.left : sizeof waste;
        take_plainly(waste, n);
        pieces.left -= n;
    }
    return !again;
}

bool contained_is_frame(void)
{
    return !pieces.on || pieces.left || begin_piece();
}

static void contained_frames_take(void *p, size_t n)
{
    char *at = p;

    while (pieces.on && n) {
        if (!pieces.left && !begin_piece())
            continue;
        size_t some = n < pieces.left ? n : pieces.left;
        take_plainly(at, some);
        pieces.left -= some;
        at += some;
        n -= some;
    }
    take_plainly(at, n);
}

/* ---- frames ---- */

char *contained_read(size_t max, uint32_t *ret_kind, size_t *ret_n)
{
    unsigned char head[CONTAINED_HEAD];

    contained_frames_take(head, sizeof head);
    *ret_kind = contained_frames_read_number(head);
    *ret_n = contained_frames_read_number(head + 4);
    if (*ret_n > max)
        _exit(CONTAINED_BROKEN);
    char *bytes = xmalloc(*ret_n + 1);
    contained_frames_take(bytes, *ret_n);
    bytes[*ret_n] = '\0';
    return bytes;
}
