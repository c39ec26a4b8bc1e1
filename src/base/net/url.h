/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_URL_H
#define NET_URL_H

#include <stdbool.h>

#include "base/buf.h"

/* The host: "example.org" of "https://user:word@example.org:443/path?query"; "::1" of
 * "http://[::1]:80". */
struct str url_host(struct str url);
/* True if the host is this machine: localhost, an address below 127, or ::1. */
bool url_is_loopback(struct str url);
/* Appends the URL for a message: shortened, safe for a terminal, without user, password and query.
 */
void url_add_shown(struct buf *b, struct str url);

#endif
