/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROUTES_SESSION_JSON_H
#define ROUTES_SESSION_JSON_H

#include "hosting/session_table.h"

/* Returns a session as clients see it. `info` is the info of the entry's session. */
json_t *session_json(const struct session_entry *entry, const struct session_info *info);

#endif
