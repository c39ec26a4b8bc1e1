/* SPDX-License-Identifier: Apache-2.0
 *
 * The two pipes to a session's guest. No function here waits: the rest of a frame is written when
 * there is room, and `poll` becomes readable when there is something to do.
 */
#ifndef SESSION_SESSION_LINK_H
#define SESSION_SESSION_LINK_H

#include <stdbool.h>

#include "backends/cell_wire.h"

struct link {
    int to, from;   /* we write to the guest, and read from it */
    int guest[2];   /* the guest's ends of the pipes, its descriptors 3 and 4 */
    int poll;       /* an epoll of the descriptors below */
    int wake;       /* an eventfd: another thread has a request for the waiting thread */
    int stop;       /* an epoll of wake and `cancel`: readable if the cell must stop */
    int cancel;     /* lent; -1 for none */
    struct buf out; /* to be written, from offset `sent` on */
    size_t sent;
    bool waits; /* it waits for room to write */
    bool over;  /* the guest has closed its end */
    struct cell_reader in;
};

void link_init(struct link *l);
int link_open(struct link *l, struct err *err);
void link_close(struct link *l);
/* Call when the guest has started. Closes our copy of the end to which the guest writes, so that
 * reading ends when the guest ends. Our copy of the end from which it reads stays open, so that
 * writing to a dead guest raises no SIGPIPE in the host. */
void link_started(struct link *l);
/* Call after link_started: replaces the channel by another one that the guest uses. Takes over {our
 * writing end, our reading end, the guest's reading end}. */
int link_adopt(struct link *l, int channel[3], struct err *err);
/* Sets the descriptor that stops a cell when it becomes readable; -1 for none. */
void link_watch(struct link *l, int cancel_fd);
/* link_wake makes `wake` readable, link_rest makes it not readable. */
void link_wake(struct link *l);
void link_rest(struct link *l);

/* Adds a frame to the output. ERR_USAGE if the bytes are too many. */
int link_put(struct link *l, const char *kind, uint32_t id, struct str bytes, struct err *err);
/* Writes as much as there is room for. */
void link_flush(struct link *l);
/* True when there may be frames in l->in; call until false. */
bool link_receive(struct link *l);

#endif
