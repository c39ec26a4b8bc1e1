/* SPDX-License-Identifier: Apache-2.0
 *
 * One direction of a connection. Bytes are copied, not spliced: it is faster here and needs two
 * descriptors instead of six. What the other side does not take is kept, and the source is not read
 * until it is gone.
 */
#ifndef NETWORK_FLOW_H
#define NETWORK_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow {
    char *p; /* bytes that the other side has not taken; NULL for none */
    size_t at, n;
    bool ended; /* the source sends no more */
    bool shut;  /* the other side knows that */
};

/* Sends the kept bytes. -1 if the connection is broken. */
int flow_flush(struct flow *f, int to);
/* Keeps more bytes. */
void flow_keep(struct flow *f, const char *p, size_t n);
/* Moves bytes from one side to the other, and counts them. -1 if the connection is broken. */
int flow_move(struct flow *f, int from, int to, uint64_t *count);
/* Passes the end on, when all bytes before it were sent. */
void flow_end(struct flow *f, int to);

#endif
