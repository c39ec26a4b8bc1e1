/* SPDX-License-Identifier: Apache-2.0
 *
 * One guest as glovebox-net knows it: its rules, the sockets that were made in its network, and its
 * connections. guests.c has the sockets, carry.c the connections.
 *
 * Owners: a guest is freed when the line to the library closes, with all that belongs to it.
 */
#ifndef NETWORK_SIDE_H
#define NETWORK_SIDE_H

#include "network/dns.h"
#include "network/loop.h"
#include "network/names.h"
#include "network/rows.h"

enum {
    SIDE_CONNECTIONS_MAX = 1024, /* at once */
    SIDE_LOOKUPS_MAX = 8,        /* at once: they keep threads busy */
    SIDE_DNS_PEERS_MAX = 16,     /* connections to our name server, at once */
    /* Connections and questions. A guest's work here is counted by none of its own limits. */
    SIDE_EVENTS_A_SECOND = 2000,
};

struct conn;
struct dns_peer;

/* A socket that was made in the guest's network. */
struct side_socket {
    struct watched w;
    struct side *side;
};

struct side {
    struct watched line; /* to the library; the first, as in each struct that is watched */
    uint64_t id;
    bool open; /* the sockets have come */
    struct net_rules rules;
    struct names names;
    struct net_book book;
    uint64_t bytes, bytes_max; /* carried so far in both directions; 0: no limit */
    struct side_socket udp, tcp, listeners[NET_PORTS_MAX];
    size_t listener_n;
    struct conn *conns;
    size_t conn_n, lookup_n;
    struct dns_peer *peers;
    size_t peer_n;
    unsigned tokens; /* events that are left until the next tick */
    bool paused;     /* none is left: its sockets wait */
    struct side *next, **link;
};

/* guests.c: takes the line to a new guest over. */
void side_new(int line);
bool sides_any(void);
/* NULL if that guest has ended. */
struct side *side_find(uint64_t id);
bool sides_need_ticks(void);
void sides_tick(void);
/* Counts an event of the guest. When too many came, its sockets wait for the next tick. */
void side_count(struct side *side);
/* Notes what was refused before there was a connection. */
void side_note_refused(struct side *side, const char *host, uint16_t port, const char *reason);

/* answer.c: our name server. */
void answer_udp(struct watched *w, uint32_t events);
void answer_tcp(struct watched *w, uint32_t events);
void answer_listen(struct side *side, uint32_t events); /* on its connections, for these events */
void answer_tick(struct side *side, int64_t now_ms);
void answer_close(struct side *side); /* closes its connections */

/* carry.c: takes over a connection that the guest made to this address. */
void carry_accept(struct side *side, int fd, const struct net_address *to, uint16_t port);
/* Ends the connections that the rules do not allow any more. */
void carry_narrow(struct side *side);
void carry_tick(struct side *side, int64_t now_ms);
void carry_close(struct side *side);
/* Moves what has arrived by now. */
void carry_catch_up(struct side *side);
struct lookup;
void carry_answered(struct lookup *lookup);

#endif
