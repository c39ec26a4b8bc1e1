/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a daemon is, and a connection to it.
 */
#ifndef NET_PLACE_H
#define NET_PLACE_H

#include <stdbool.h>

#include "base/err.h"

/* A connected non-blocking socket: to `named` ("unix:PATH", "/PATH", "127.0.0.1:8080"), else to the
 * place in $GLOVEBOX_SOCKET, else to the default place of a daemon. The process that listens on a
 * Unix socket must belong to this user or root. -1 with ERR_SYSTEM when there is no daemon,
 * ERR_POLICY when the socket belongs to another user, ERR_USAGE for text that names no place. */
int place_connect(const char *named, bool *ret_tcp, struct err *err);

/* Its name for messages: the text, $GLOVEBOX_SOCKET's or the default path. The caller frees. */
char *place_name(const char *named);

#endif
