/* SPDX-License-Identifier: Apache-2.0
 *
 * The section of one server in Codex's config file, which is TOML: the lines around it stay as they
 * are.
 */
#ifndef CLI_MCP_TOML_H
#define CLI_MCP_TOML_H

#include <jansson.h>

#include "base/buf.h"

/* Appends the old text with the section [mcp_servers.NAME], in place of one that is there; the
 * members of `entry` are texts and lists of texts. -1 when the old text is not UTF-8. */
int mcp_toml_merge(struct str old, const char *name, json_t *entry, struct buf *ret);

#endif
