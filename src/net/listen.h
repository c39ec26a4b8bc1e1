/* SPDX-License-Identifier: Apache-2.0
 *
 * Sockets that are listened on, by the text that names them.
 */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include <stdbool.h>

#include "base/err.h"

struct listener {
    char *name; /* as it was given, with the port that 0 became; or "socket N of systemd" */
    char *host; /* of TCP: what stood before the port */
    int fd;
    int lock_fd; /* of a Unix socket that we made */
    char *path;
    bool tcp;
    bool public; /* not only this machine can reach it */
};

/* "unix:PATH" (or just "/PATH"), "127.0.0.1:8080", "[::1]:8080",
 * "localhost:8080", ":8080" for every address. Names are not looked up. Only
 * reads the text: nothing is opened. */
int listen_parse(const char *text, struct listener *ret, struct err *err);
/* Opens it. A Unix socket has mode 0600; one left by a daemon that died is
 * replaced, one in use is an error (a lock beside it, PATH.lock, tells). */
int listen_open(struct listener *l, struct err *err);
/* A socket that somebody else opened: which kind it is. */
int listen_adopt(int fd, struct listener *ret, struct err *err);
/* Nobody can connect any more; a Unix socket that we made is removed. */
void listen_stop(struct listener *l);
/* The same, and frees. */
void listen_close(struct listener *l);

/* "$XDG_RUNTIME_DIR/glovebox.sock", or "/run/glovebox.sock" for root without
 * one. The caller frees; NULL with *err when the environment names no place. */
char *listen_default_path(struct err *err);

#endif
