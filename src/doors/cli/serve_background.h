/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SERVE_BACKGROUND_H
#define CLI_SERVE_BACKGROUND_H

#include "server/settings.h"

/* Starts the daemon in a process of its own, and returns when clients can connect. Takes the config
 * over. Returns the exit status, and reports errors on standard error. */
int serve_background(int argc, char **argv, struct config *config);

#endif
