/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of this folder, and used by no others.
 */
#ifndef DOCKER_ENGINE_PARTS_H
#define DOCKER_ENGINE_PARTS_H

#include "docker/engine.h"
#include "net/http_client.h"

#define ENGINE_PEER "the container engine"

struct engine {
    struct http_client client;
    char *place;
    char *described;
    char version[16]; /* "v1.41" */
    bool podman;
};

/* engine_place.c: the text that names the engine's place. The caller frees. NULL with *err. */
char *engine_place(struct err *err);
/* A connected non-blocking socket. */
int engine_connect(const char *place, struct err *err);
/* A new connection for requests, if the last answer closed the previous one. */
int engine_reconnect(struct engine *e, struct err *err);

/* A text of the engine's, cut and made safe for a terminal. */
void engine_show(const char *text, char *out, size_t n);

#endif
