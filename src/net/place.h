/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a daemon is, and a connection to it.
 */
#ifndef NET_PLACE_H
#define NET_PLACE_H

#include <stdbool.h>

#include "base/err.h"

/* A connected socket that does not block: to `named` ("unix:PATH", "/PATH", "127.0.0.1:8080"), else
 * to what $GLOVEBOX_SOCKET names, else to where a daemon listens by default. Whoever listens on a
 * Unix socket has to be this user or root. -1 with ERR_SYSTEM when nobody answers, ERR_POLICY when
 * somebody else does, ERR_USAGE for text that names no place. */
int place_connect(const char *named, bool *ret_tcp, struct err *err);

/* How messages call it: the text, $GLOVEBOX_SOCKET's or the default path. The caller frees. */
char *place_name(const char *named);

#endif
