/* SPDX-License-Identifier: Apache-2.0
 *
 * A guest's connection: carry.c begins and ends it, conn.c moves its bytes.
 */
#ifndef NETWORK_CONN_H
#define NETWORK_CONN_H

#include "network/flow.h"
#include "network/lookup.h"
#include "network/side.h"

/* ASKS: of the proxy, the head of its request has not come yet. */
enum conn_state { ASKS, WAITS, LOOKS_UP, CONNECTS, OPEN, REFUSES, LEAVES };

struct conn {
    struct watched inside;
    struct watched outside;
    struct side *side;
    enum conn_state state;
    char host[NET_NAME_MAX + 1]; /* a name, or the address as text */
    bool by_name, has_address;
    bool proxied; /* it came to the proxy */
    bool tunnel;  /* by CONNECT: the guest gets an answer once it is open */
    bool checked; /* the first bytes may leave */
    bool booked;  /* it has a row */
    size_t row;
    uint16_t port;
    struct net_address list[LOOKUP_ADDRESSES], address;
    size_t n, next_address;
    struct lookup *lookup;
    int64_t until_ms;
    struct flow out, in;
    struct conn *next, **link;
};

/* Handlers of its two descriptors. */
void conn_inside_ready(struct watched *w, uint32_t events);
void conn_outside_ready(struct watched *w, uint32_t events);
void conn_free(struct conn *c);
/* As conn_free; both ends see a reset, as if the connection had broken. */
void conn_reset(struct conn *c);
/* Gives it a row in the book, instead of the one that it has. */
void conn_note(struct conn *c, bool allowed, const char *reason);
/* Refuses the connection, or gives it up (`allowed`): a client of port 80 gets a page that says
 * why, another one a reset. */
void conn_refuse(struct conn *c, bool allowed, const char *reason);
/* Waits for what can happen next. */
void conn_watch(struct conn *c);
/* carry.c: the destination is known now: looks it up or connects, or refuses. */
void conn_begin(struct conn *c);
/* carry.c: tries the next address; with none left, the failure in errno is the connection's. */
void conn_try_next(struct conn *c);

#endif
