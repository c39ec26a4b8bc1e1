/* SPDX-License-Identifier: Apache-2.0
 *
 * The backend `docker`: each guest in a container of its own, of an engine that speaks the Docker
 * Engine API. docker.c has the life of a guest.
 */
#ifndef BACKENDS_DOCKER_H
#define BACKENDS_DOCKER_H

#include "backends/backend.h"

extern const struct backend docker_backend;

#endif
