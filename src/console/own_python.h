/* SPDX-License-Identifier: Apache-2.0
 *
 * The active environment of the user (venv, conda), when a daemon runs the program. Only a daemon
 * that was started with --allow host-files takes its path; any other one may have a Python of the
 * same version.
 */
#ifndef CONSOLE_OWN_PYTHON_H
#define CONSOLE_OWN_PYTHON_H

#include <jansson.h>

#include "console/options.h"

/* The folder that VIRTUAL_ENV or CONDA_PREFIX names; NULL when there is none, or --python chooses.
 */
const char *own_python(const struct cli_settings *settings);

/* Sends a request with this body: -1 with *err when it was refused. */
typedef int own_python_ask(void *ctx, json_t *body, struct err *err);
/* Asks with the folder as 'python', then with its version, then without, until the daemon accepts.
 * A NULL folder: asks once. */
int own_python_try(const char *folder, json_t *body, own_python_ask *ask, void *ctx,
                   struct err *err);

/* One line for the user, if the environment was not used. `body` as the daemon accepted it. */
void own_python_say(const struct cli_settings *settings, const char *folder, const json_t *body,
                    const char *language);

#endif
