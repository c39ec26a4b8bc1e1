/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of `glovebox serve` that start, show and stop a daemon in the background.
 */
#ifndef CLI_SERVE_PARTS_H
#define CLI_SERVE_PARTS_H

#include <jansson.h>

#include "server/settings.h"

/* Each returns the exit status, and reports errors on standard error. */

/* Starts the daemon in a process of its own, and returns when clients can connect. Takes the config
 * over. */
int serve_background(int argc, char **argv, struct config *config);
int serve_status(const struct config *config);
int serve_stop(const struct config *config);

/* "unix:/run/glovebox.sock, 127.0.0.1:8080" of a status document; the caller frees. */
char *serve_addresses(const json_t *status);

#endif
