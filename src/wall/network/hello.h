/* SPDX-License-Identifier: Apache-2.0
 *
 * The first message of TLS, which names the server that the client means (RFC 8446, RFC 6066). It
 * is read before a byte of it leaves: a client that connects to one name and names another one to
 * the server (domain fronting) would reach what no rule allows.
 */
#ifndef NETWORK_HELLO_H
#define NETWORK_HELLO_H

#include "base/str.h"
#include "network/rules.h"

/* A hello is never longer here. */
#define HELLO_MAX (16u << 10)

enum hello_kind {
    HELLO_MORE,    /* the rest has not come yet */
    HELLO_NOT_TLS, /* the bytes are another protocol */
    HELLO_BAD,     /* invalid, or too long to be honest */
    HELLO_WHOLE,
};

struct hello {
    char name[NET_NAME_MAX + 1]; /* in lower case; "" if it names none */
    bool hides; /* the true name is encrypted (ECH), and this one may be a pretence */
};

/* `ret` is filled for HELLO_WHOLE. */
enum hello_kind hello_read(struct str bytes, struct hello *ret);

#endif
