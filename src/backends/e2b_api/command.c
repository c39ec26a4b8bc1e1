/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "e2b_api/parts.h"
#include "e2b_api/process.h"
#include "net/stream_piece.h"

enum { READ_STEP = 32 << 10, WORDS_KEPT = 4096, PENDING_MAX = 8 << 20 };

struct command {
    struct e2b_process *process;
    int fd;
    struct buf pieces; /* received bytes of an incomplete piece */
    struct buf words;  /* the last part of the output */
};

static void keep_words(struct command *c, struct str bytes)
{
    bytes = str_slice(bytes, bytes.n > WORDS_KEPT ? bytes.n - WORDS_KEPT : 0, bytes.n);
    if (c->words.n + bytes.n > WORDS_KEPT)
        buf_drop(&c->words, c->words.n + bytes.n - WORDS_KEPT);
    (void)buf_add_str(&c->words, bytes);
}

/* Takes the complete pieces. Their heads are valid: process.c has written them. */
static void take_pieces(struct command *c)
{
    size_t at = 0;
    uint32_t n;
    int stream;

    while (stream_piece_head(str_slice(buf_str(&c->pieces), at, c->pieces.n), &stream, &n) &&
           c->pieces.n - at - STREAM_PIECE_HEAD >= n) {
        at += STREAM_PIECE_HEAD;
        keep_words(c, str_slice(buf_str(&c->pieces), at, at + n));
        at += n;
    }
    buf_drop(&c->pieces, at);
}

/* Returns false at the end. */
static bool command_receive(struct command *c)
{
    char *room = buf_room(&c->pieces, READ_STEP);
    ssize_t n = room ? recv(c->fd, room, READ_STEP, MSG_DONTWAIT) : 0;

    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    buf_grew(&c->pieces, (size_t)n);
    take_pieces(c);
    return n > 0;
}

static int move(struct command *c, int64_t until_ms, int cancel_fd, struct err *err)
{
    struct pollfd polls[E2B_PROCESS_POLLS + 2];
    struct err why;
    int64_t left = until_ms - clock_mono_ms();

    e2b_process_polls(c->process, polls);
    polls[E2B_PROCESS_POLLS] = (struct pollfd){.fd = c->fd, .events = POLLIN};
    polls[E2B_PROCESS_POLLS + 1] = (struct pollfd){.fd = cancel_fd, .events = POLLIN};
    if (left <= 0)
        return err_set(err, ERR_SYSTEM, "it took too long");
    (void)poll(polls, E2B_PROCESS_POLLS + 2, left < 1000 ? (int)left : 1000);
    if (polls[E2B_PROCESS_POLLS + 1].revents)
        return err_set(err, ERR_TIMEOUT, "cancelled");
    e2b_process_move(c->process);
    if (e2b_process_over(c->process, &why))
        e2b_process_hang_up(c->process);
    return command_receive(c) ? 1 : 0;
}

static int command_finish(const struct command *c, int *ret_status, struct err *err)
{
    (void)e2b_process_over(c->process, err);
    *ret_status = e2b_process_exit(c->process);
    return err->kind ? -1 : 0;
}

int e2b_run(struct e2b *e2b, const struct e2b_start *start, int64_t timeout_ms, int cancel_fd,
            struct e2b_ended *ret, struct err *err)
{
    struct command c = {.fd = -1};
    int64_t until_ms = clock_mono_ms() + timeout_ms;
    int result;

    if (e2b_process_start(e2b, start, &c.process, err) < 0)
        return -1;
    c.fd = e2b_process_take_fd(c.process);
    buf_init(&c.pieces, PENDING_MAX);
    buf_init(&c.words, WORDS_KEPT);
    while ((result = move(&c, until_ms, cancel_fd, err)) > 0)
        ;
    if (result == 0)
        result = command_finish(&c, &ret->status, err);
    (void)buf_add_str(&ret->words, buf_str(&c.words));
    fd_close(&c.fd);
    e2b_process_close(c.process);
    buf_done(&c.pieces);
    buf_done(&c.words);
    return result;
}
