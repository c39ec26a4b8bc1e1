/* SPDX-License-Identifier: Apache-2.0
 *
 * The head of a request to the HTTP proxy that a guest has at proxy.glovebox: "CONNECT host:port",
 * or a method with an absolute address (RFC 9110, RFC 9112). For programs whose libraries insist on
 * a proxy; all others need none.
 */
#ifndef NETWORK_PROXY_HEAD_H
#define NETWORK_PROXY_HEAD_H

#include "base/buf.h"
#include "network/rules.h"

enum { PROXY_HEAD_MAX = 8 << 10 };

enum proxy_kind {
    PROXY_MORE, /* the head is not complete */
    PROXY_BAD,
    PROXY_CONNECT,
    PROXY_PLAIN,
};

struct proxy_head {
    char host[NET_NAME_MAX + 1]; /* in lower case: a name, or an address */
    bool is_address;
    struct net_address address;
    uint16_t port;
    size_t end; /* of the head in the bytes */
};

/* For PROXY_PLAIN, `forward` gets the head for the server: with the path alone, without the headers
 * that are for a proxy, and with "Connection: close", so that no second request follows. */
enum proxy_kind proxy_head_read(struct str bytes, struct proxy_head *ret, struct buf *forward);

#endif
