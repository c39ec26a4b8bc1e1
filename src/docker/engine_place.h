/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a container engine is, as data, and connections to it. For the files of this folder.
 */
#ifndef DOCKER_ENGINE_PLACE_H
#define DOCKER_ENGINE_PLACE_H

#include "base/err.h"

enum engine_way { WAY_UNIX, WAY_TCP, WAY_TLS, WAY_SSH };

struct engine_place {
    enum engine_way way;
    char *name; /* for messages: the socket's path, or the address as the user wrote it */
    char *host, *port, *user; /* NULL: none, or the usual one */
    char *path;               /* of the socket, here or behind ssh; NULL there: the usual one */
    char *ca, *cert, *key;    /* paths, for TLS; NULL ca: the system's, NULL cert and key: none */
};

/* The place in $DOCKER_HOST, else of the chosen Docker context, else the first usual socket that
 * exists. The caller calls engine_place_done, also after -1. */
int engine_place_find(struct engine_place *ret, struct err *err);
void engine_place_done(struct engine_place *place);

/* Reads "tcp://HOST:PORT" and so on into an empty *ret, without TLS. `source` is what names the
 * place, for messages: "DOCKER_HOST". */
int engine_place_read(const char *text, const char *source, struct engine_place *ret,
                      struct err *err);
/* Makes a place behind TCP one with TLS; the files are in this folder. */
int engine_place_tls(struct engine_place *place, const char *folder, bool needs_ca,
                     struct err *err);

/* engine_context.c: 1 when a context is chosen and *ret has its place; 0 when none is. */
int engine_context_find(struct engine_place *ret, struct err *err);
/* The folder of Docker's own configuration; NULL when there is none. The caller frees. */
char *engine_config_folder(void);

#endif
