/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry of one MCP server in a client's config file: TOML as Codex has it, or YAML as Goose has
 * it. The other lines are not changed.
 */
#ifndef FORMATS_SECTION_EDIT_H
#define FORMATS_SECTION_EDIT_H

#include <jansson.h>

#include "base/buf.h"

/* Appends the old text in which `entry` is the section [mcp_servers.NAME]; a NULL entry removes the
 * section. The tables below an old section are removed, too. The members of `entry` are strings and
 * lists of strings. -1 if the old text is not UTF-8, or has strings of several lines. */
int section_edit_toml(struct str old, const char *name, json_t *entry, struct buf *ret);

/* Does the same with a key in a section of a YAML file. -1 also if the section is written in
 * braces, or if the file has tabs. */
int section_edit_yaml(struct str old, const char *section, const char *name, json_t *entry,
                      struct buf *ret);

#endif
