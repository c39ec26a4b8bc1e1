/* SPDX-License-Identifier: Apache-2.0
 *
 * Listening sockets, by the text that names them.
 */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include <stdbool.h>

#include "base/err.h"

struct listener {
    char *name; /* as it was given, with the port that replaced 0; or "socket N of systemd" */
    char *host; /* of TCP: the part before the port */
    int fd;
    int lock_fd; /* of a Unix socket that we made */
    char *path;
    bool tcp;
    bool public; /* reachable from other machines */
};

/* "unix:PATH" (or just "/PATH"), "127.0.0.1:8080", "[::1]:8080", "localhost:8080", ":8080" for
 * every address. Names are not looked up. Only parses the text: nothing is opened. */
int listen_parse(const char *text, struct listener *ret, struct err *err);
/* Opens it. A Unix socket has mode 0600. A socket left by a dead daemon is replaced, one in use is
 * an error (a lock file beside it, PATH.lock, shows which it is). */
int listen_open(struct listener *l, struct err *err);
/* Finds out the kind of a socket that another program opened. */
int listen_adopt(int fd, struct listener *ret, struct err *err);
/* Stops accepting connections; removes a Unix socket that we made. */
void listen_stop(struct listener *l);
/* The same, and frees. */
void listen_close(struct listener *l);

/* "$XDG_RUNTIME_DIR/glovebox.sock", or "/run/glovebox.sock" for root without
 * one. The caller frees; NULL with *err when the environment names no place. */
char *listen_default_path(struct err *err);

#endif
