/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of registry.c that other rooms define: this room knows their names alone.
 */
#ifndef BACKENDS_REGISTRY_H
#define BACKENDS_REGISTRY_H

#include "backends/backend.h"

extern const struct backend docker_backend;
extern const struct backend e2b_backend, e2b_interpreter_backend;

#endif
