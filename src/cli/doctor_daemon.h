/* SPDX-License-Identifier: Apache-2.0
 *
 * What `doctor` says about the memory of a daemon, with the settings that one started now would
 * have.
 */
#ifndef CLI_DOCTOR_DAEMON_H
#define CLI_DOCTOR_DAEMON_H

#include <jansson.h>

/* `config` is the file of --config, or NULL. */
void doctor_daemon_print(const char *config);
json_t *doctor_daemon_json(const char *config); /* null when the settings cannot be read */

#endif
