/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of one connection at /mcp/lines: those of the daemon, changed by the fields of its
 * request, which are checked as those of /v1/run are.
 */
#ifndef SERVER_MCP_LINE_SETTINGS_H
#define SERVER_MCP_LINE_SETTINGS_H

#include <stdatomic.h>

#include "server/settings.h"

extern const struct field *const line_tables[]; /* over struct line_fields */

struct line_fields {
    struct run_fields run; /* first */
    json_t *language_names;
    int64_t sessions, message_bytes;
};

/* Owners: the connection, and every session that was opened with them, in its opening. Counted
 * without a lock, in any thread; the last drop frees them. They never change. */
struct line_settings {
    atomic_uint references;
    struct config *config; /* held: the daemon's settings and ceilings */
    json_t *doc;
    struct line_fields fields;
    struct request_parts parts;
    struct request_rules rules;
    char **languages; /* lent by the document; NULL: all */
    struct mcp_service service;
};

/* Takes the document over. `rules` are the config's for this client. NULL with *err: a field is
 * invalid, or the rules do not permit it. */
struct line_settings *line_settings_new(struct config *config, const struct request_rules *rules,
                                        json_t *doc, struct err *err);
struct line_settings *line_settings_hold(struct line_settings *settings);
void line_settings_drop(struct line_settings *settings);

/* Adds the connection's own files, which every sandbox begins with, to a request. The build of an
 * image can copy no other files. */
void line_settings_add_files(const struct line_settings *settings, struct request_parts *parts,
                             struct run_request *request);

#endif
