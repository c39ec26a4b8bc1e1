/* SPDX-License-Identifier: Apache-2.0
 *
 * The report of `doctor` about a daemon's memory, with the settings that a daemon would have if it
 * started now.
 */
#ifndef CLI_DOCTOR_DAEMON_H
#define CLI_DOCTOR_DAEMON_H

#include <jansson.h>

/* `config` is the file of --config, or NULL. */
void doctor_daemon_print(const char *config);
json_t *doctor_daemon_json(const char *config); /* null if the settings cannot be read */

#endif
