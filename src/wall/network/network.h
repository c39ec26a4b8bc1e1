/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's side of glovebox-net (main.c): one process of it for this process, started when the
 * first guest needs it, and started again if it has died.
 *
 * Owners of a line: net_line_open and each net_line_share make one; the last net_line_close frees
 * it.
 */
#ifndef NETWORK_NETWORK_H
#define NETWORK_NETWORK_H

#include "network/rows.h"

/* Starts the program, if it does not run. */
int net_ready(struct err *err);

/* A guest's connection to glovebox-net. Guests that share a network share it; any thread may use
 * it.
 */
struct net_line;

/* What one guest may carry in both directions, as long as it lives. */
#define NET_BYTES_MAX (16ULL << 30)

struct net_order {
    const char *rules;  /* as net_rules_read reads them; "" for none */
    uint64_t bytes_max; /* that may be carried in both directions; 0: no limit */
};

/* Hands over the sockets that were made in a guest's network: UDP and TCP of its name server, then
 * the listeners. The caller closes its own copies. */
int net_line_open(const struct net_order *order, const int *sockets, size_t socket_n,
                  struct net_line **ret, struct err *err);
/* Replaces the rules. Open connections that they do not allow are ended. */
int net_line_rules(struct net_line *line, const char *rules, struct err *err);
/* The rows of what happened since the last call. */
int net_line_take(struct net_line *line, struct net_rows *ret, struct err *err);
struct net_line *net_line_share(struct net_line *line);
/* The last owner ends all connections. NULL is fine. */
void net_line_close(struct net_line *line);

#endif
