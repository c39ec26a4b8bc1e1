/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's active environment (venv, conda), when a daemon runs the program. Only a daemon with
 * --allow host-files accepts its path. Any other daemon may have a Python of the same version.
 */
#ifndef REMOTE_OWN_PYTHON_H
#define REMOTE_OWN_PYTHON_H

#include <jansson.h>

#include "console/options.h"

/* The folder that VIRTUAL_ENV or CONDA_PREFIX names; NULL if there is none, or if --python is set.
 */
const char *own_python(const struct cli_settings *settings);

/* Sends a request with this body. 0, or -1 with *err if it was refused. */
typedef int own_python_ask(void *ctx, json_t *body, struct err *err);
/* Sends the request until the daemon accepts it: with the folder as 'python', then with its
 * version, then without 'python'. If `folder` is NULL, sends it once. */
int own_python_try(const char *folder, json_t *body, own_python_ask *ask, void *ctx,
                   struct err *err);

/* Prints a line for the user if the environment was not used. `body` is what the daemon accepted,
 * `answer` its session or result. A session names its interpreter, which may be the environment's:
 * the daemon's own Python. */
void own_python_say(const struct cli_settings *settings, const char *folder, const json_t *body,
                    const json_t *answer);

#endif
