/* SPDX-License-Identifier: Apache-2.0
 *
 * Listening sockets, opened by their names.
 */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include <stdbool.h>

#include "base/err.h"

struct listener {
    /* as it was given, but with the chosen port instead of 0; or "socket N of systemd" */
    char *name;
    char *host; /* of TCP: the part before the port */
    int fd;
    int lock_fd; /* for a Unix socket that we made */
    char *path;
    bool tcp;
    bool public; /* reachable from other machines */
};

/* "unix:PATH" (or just "/PATH"), "127.0.0.1:8080", "[::1]:8080", "localhost:8080", ":8080" for
 * every address. Host names are not looked up. This only parses the name: nothing is opened. */
int listen_parse(const char *text, struct listener *ret, struct err *err);
/* Opens it. A Unix socket has mode 0600. A socket left by a dead daemon is replaced; a socket in
 * use is an error. A lock file, PATH.lock, shows which is the case. */
int listen_open(struct listener *l, struct err *err);
/* Finds out the kind of a socket that another program opened, and fills in *ret. */
int listen_adopt(int fd, struct listener *ret, struct err *err);
/* Stops accepting connections; removes a Unix socket that we made. */
void listen_stop(struct listener *l);
/* As listen_stop, and frees the listener. */
void listen_close(struct listener *l);

/* glovebox.sock in $XDG_RUNTIME_DIR; without that variable in /run for root, and for others in
 * /run/user/UID if it is there, or else in /tmp/glovebox-UID. The caller frees. */
char *listen_default_path(void);
/* Makes the folder of the default path if it is the one in /tmp. Fails if that is another user's,
 * or open to others. */
int listen_make_default_folder(struct err *err);

#endif
