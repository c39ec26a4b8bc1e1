/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds a daemon and connects to it. A place is the address of its socket.
 */
#ifndef NET_PLACE_H
#define NET_PLACE_H

#include <stdbool.h>

#include "base/err.h"

/* Returns a connected non-blocking socket: to `named` ("unix:PATH", "/PATH", "127.0.0.1:8080"),
 * else to the address in $GLOVEBOX_SOCKET, else to a daemon's default address. The process that
 * listens on a Unix socket must belong to this user or root. -1 with ERR_SYSTEM if there is no
 * daemon, ERR_POLICY if the socket belongs to another user, ERR_USAGE if an address is invalid. */
int place_connect(const char *named, bool *ret_tcp, struct err *err);

/* The daemon's address for messages: `named`, $GLOVEBOX_SOCKET or the default path. The caller
 * frees. */
char *place_name(const char *named);

#endif
