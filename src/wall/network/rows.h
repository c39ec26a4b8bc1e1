/* SPDX-License-Identifier: Apache-2.0
 *
 * The book of a guest's connections: a row for each destination and each reason of a refusal. A
 * guest can make any number of connections, so there is a ceiling, and the last row is for the
 * rest.
 */
#ifndef NETWORK_ROWS_H
#define NETWORK_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "network/rules.h"

enum {
    NET_ROWS_MAX = 100,
    NET_REASON_MAX = 200,
    NET_REPORT_MAX = 128 << 10, /* all rows, encoded */
};

struct net_row {
    char host[NET_NAME_MAX + 1];
    char
        address[NET_ADDRESS_TEXT]; /* the last one that was connected, or that was refused; or "" */
    char reason[NET_REASON_MAX];   /* of a refusal or of an end; or "" */
    uint16_t port;                 /* 0: only the name was asked for */
    bool allowed;
    uint64_t count; /* connections, or attempts */
    uint64_t bytes_in, bytes_out;
};

struct net_rows {
    struct net_row *list;
    size_t n;
};

struct net_book {
    struct net_row *rows; /* NET_ROWS_MAX + 1 of them */
    uint32_t *open;       /* connections that have the row */
    size_t used;
};

void net_book_init(struct net_book *ret);
void net_book_done(struct net_book *book);
/* Counts a connection or an attempt. Returns its row's position, which stays valid until as many
 * net_book_leave as net_book_note calls were made with it. */
size_t net_book_note(struct net_book *book, const struct net_row *like);
void net_book_leave(struct net_book *book, size_t row);
/* Writes the rows that have changed since the last call, and begins anew. */
void net_book_take(struct net_book *book, struct buf *ret);

/* Decodes what net_book_take wrote. */
int net_rows_read(struct str bytes, struct net_rows *ret, struct err *err);
void net_rows_done(struct net_rows *rows);

#endif
