/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox serve --status` and `--stop`: a running daemon is asked.
 */
#ifndef REMOTE_SERVE_CONTROL_H
#define REMOTE_SERVE_CONTROL_H

#include <jansson.h>

#include "server/settings.h"

/* Each returns the exit status, and reports errors on standard error. */
int serve_status(const struct config *config);
int serve_stop(const struct config *config);

/* The addresses in a status document, such as "unix:/run/glovebox.sock, 127.0.0.1:8080"; the caller
 * frees. */
char *serve_addresses(const json_t *status);

#endif
