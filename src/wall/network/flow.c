/* SPDX-License-Identifier: Apache-2.0 */
#include "network/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"

enum {
    PIECE = 64 << 10,
    ROUNDS = 4, /* pieces of one connection before others have their turn */
};

int flow_flush(struct flow *f, int to)
{
    while (f->p && f->at < f->n) {
        ssize_t n = send(to, f->p + f->at, f->n - f->at, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : -1;
        f->at += (size_t)n;
    }
    if (f->p) {
        free(f->p);
        *f = (struct flow){.ended = f->ended, .shut = f->shut};
    }
    return 0;
}

void flow_keep(struct flow *f, const char *p, size_t n)
{
    f->p = xrealloc_array(f->p, f->n + n, 1);
    memcpy(f->p + f->n, p, n);
    f->n += n;
}

int flow_move(struct flow *f, int from, int to, uint64_t *count)
{
    static char piece[PIECE];

    for (int i = 0; i < ROUNDS && !f->p && !f->ended; i++) {
        ssize_t n = recv(from, piece, sizeof piece, 0);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : -1;
        if (n == 0) {
            f->ended = true;
            return 0;
        }
        *count += (uint64_t)n;
        ssize_t sent = send(to, piece, (size_t)n, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return -1;
        size_t done = sent > 0 ? (size_t)sent : 0;
        if (done < (size_t)n)
            flow_keep(f, piece + done, (size_t)n - done);
        if ((size_t)n < sizeof piece)
            return 0;
    }
    return 0;
}

void flow_end(struct flow *f, int to)
{
    if (!f->ended || f->p || f->shut)
        return;
    (void)shutdown(to, SHUT_WR);
    f->shut = true;
}
