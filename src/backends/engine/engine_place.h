/* SPDX-License-Identifier: Apache-2.0
 *
 * The address of a container engine. For the files of this room.
 */
#ifndef ENGINE_ENGINE_PLACE_H
#define ENGINE_ENGINE_PLACE_H

#include <stdbool.h>

#include "base/err.h"

struct engine_place {
    char *name;   /* for messages: the socket's path, or the address as the user wrote it */
    char *path;   /* path of a socket of this host; NULL: the engine's command connects
                     (engine_command.h) */
    bool podmans; /* only the command podman can connect */
};

/* Finds the engine in $DOCKER_HOST, otherwise that of the current Docker context, otherwise that in
 * Podman's $CONTAINER_HOST or $CONTAINER_CONNECTION, otherwise the first usual socket that exists.
 * The caller calls engine_place_done, also after -1. */
int engine_place_find(struct engine_place *ret, struct err *err);
void engine_place_done(struct engine_place *place);

#endif
