/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_toml.h"

#include "base/json_get.h"
#include "base/mem.h"
#include "base/utf8.h"

/* JSON's escapes are TOML's, too. */
static void add_value(struct buf *b, const char *key, const json_t *value)
{
    AUTO_FREE char *text = json_dumps(value, JSON_ENCODE_ANY);

    (void)buf_addf(b, "%s = %s\n", key, text);
}

/* One empty line is put before the section: those of earlier times must not add up. */
static void drop_empty_end(struct buf *b)
{
    while (b->n && b->p[b->n - 1] == '\n' && (b->n == 1 || b->p[b->n - 2] == '\n'))
        b->n--;
}

static void add_section(struct buf *b, const char *name, json_t *entry)
{
    const char *key;
    json_t *value;

    drop_empty_end(b);
    (void)buf_addf(b, "%s[mcp_servers.%s]\n", b->n ? "\n" : "", name);
    json_object_foreach(entry, key, value) add_value(b, key, value);
}

int mcp_toml_merge(struct str old, const char *name, json_t *entry, struct buf *ret)
{
    AUTO_FREE char *heading = xasprintf("[mcp_servers.%s]", name);
    struct str line;
    bool ours = false;

    if (!utf8_valid(old))
        return -1;
    while (str_next(&old, '\n', &line)) {
        struct str trimmed = str_trim(line);
        if (str_starts(trimmed, "["))
            ours = str_starts(trimmed, heading);
        if (!ours) {
            (void)buf_add_str(ret, line);
            (void)buf_addc(ret, '\n');
        }
    }
    add_section(ret, name, entry);
    return ret->overflow ? -1 : 0;
}
