/* SPDX-License-Identifier: Apache-2.0
 *
 * A program in a language that the code interpreter does not have: a process of the sandbox, as its
 * own user.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/stream_piece.h"
#include "far/e2b_relay_parts.h"

enum { READ_STEP = 32 << 10 };

int relay_begin_process(struct e2b_relay *r, struct err *err)
{
    json_t *variables = relay_variables(r, err);
    size_t n = 0;

    if (!variables)
        return -1;
    while (r->plan.argv[n])
        n++;
    char **argv = xcalloc(n + 1, sizeof *argv);
    for (size_t i = 0; i < n; i++)
        argv[i] = relay_own_path(i ? r->plan.argv[i] : r->plan.path);
    const struct e2b_start start = {
        .argv = (const char *const *)argv, .folder = RELAY_WORK, .variables = variables};
    int result = e2b_process_start(r->e2b, &start, &r->process, err);

    if (result == 0)
        r->process_fd = e2b_process_take_fd(r->process);
    json_decref(variables);
    for (size_t i = 0; i < n; i++)
        free(argv[i]);
    free(argv);
    return result;
}

/* Passes on the whole pieces that have come. False when they are none. */
static bool pass_pieces(struct e2b_relay *r)
{
    struct buf *b = &r->process_out;
    uint32_t n;
    int stream;

    while (b->n >= STREAM_PIECE_HEAD) {
        if (!stream_piece_head(buf_str(b), &stream, &n))
            return false;
        if (b->n - STREAM_PIECE_HEAD < n)
            break;
        relay_send_all(r, stream == 2 ? CONTAINED_ERR : CONTAINED_OUT,
                       str_slice(buf_str(b), STREAM_PIECE_HEAD, STREAM_PIECE_HEAD + n));
        buf_drop(b, STREAM_PIECE_HEAD + n);
    }
    return true;
}

/* False at the end of its output. */
static bool receive(struct e2b_relay *r)
{
    char *room = buf_room(&r->process_out, READ_STEP);
    ssize_t n = room ? recv(r->process_fd, room, READ_STEP, MSG_DONTWAIT) : 0;

    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    buf_grew(&r->process_out, (size_t)n);
    return n > 0 && pass_pieces(r);
}

int relay_step_process(struct e2b_relay *r, struct err *err)
{
    struct err why;

    e2b_process_move(r->process);
    bool over = e2b_process_over(r->process, &why);
    if (over)
        e2b_process_hang_up(r->process);
    if (receive(r) || !over)
        return 0;
    if (why.kind) {
        *err = why;
        return -1;
    }
    relay_send_end(r, e2b_process_exit(r->process) << 8);
    return 0;
}

void relay_kill_process(struct e2b_relay *r)
{
    struct err ignored;

    (void)e2b_process_kill(r->process, r->stop, &ignored);
}
