/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOSTING_SESSION_JSON_H
#define HOSTING_SESSION_JSON_H

#include "hosting/session_table.h"

/* A session as a client sees it. `info` is the info of the entry's session. */
json_t *session_json(const struct session_entry *entry, const struct session_info *info);

#endif
