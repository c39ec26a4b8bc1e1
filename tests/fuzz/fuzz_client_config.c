/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the configuration of a client, JSON with comments or TOML. Our entry merged twice
 * gives the same file as once, and what stood in a file of JSON is still there.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "formats/json_edit.h"
#include "formats/section_edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ROOM = 4096 };

static json_t *entry_of(void)
{
    return json_pack("{s:s, s:[s, s]}", "command", "/usr/bin/glovebox", "args", "mcp", "a \"b\"\n");
}

/* Where the text is plain JSON: all other members are as they were, and ours is the entry. */
static void check_json(struct str text, const char *section, const struct buf *merged,
                       const json_t *entry)
{
    json_t *old = json_loadb(text.p, text.n, 0, NULL);
    json_t *now = json_loadb(merged->p, merged->n, 0, NULL);

    if (json_is_object(old)) {
        assert(json_is_object(now));
        json_t *servers = json_object_get(now, section);
        assert(json_equal(json_object_get(servers, "glovebox"), entry));
        json_object_del(servers, "glovebox");
        json_object_del(json_object_get(old, section), "glovebox");
        if (!json_object_get(old, section) && !json_object_size(servers))
            json_object_del(now, section);
        assert(json_equal(old, now));
    }
    json_decref(old);
    json_decref(now);
}

static void edit_json(struct str text, const char *section, const json_t *entry)
{
    AUTO_BUF struct buf once = {0}, twice = {0};

    buf_init(&once, 4 * text.n + ROOM);
    buf_init(&twice, 4 * text.n + 2 * ROOM);
    if (json_edit(text, section, "glovebox", entry, &once) < 0)
        return;
    assert(!once.overflow);
    assert(json_edit(buf_str(&once), section, "glovebox", entry, &twice) == 0);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    check_json(text, section, &once, entry);
}

static void edit_toml(struct str text, json_t *entry)
{
    AUTO_BUF struct buf once = {0}, twice = {0};

    buf_init(&once, 2 * text.n + ROOM);
    buf_init(&twice, 2 * text.n + 2 * ROOM);
    if (section_edit_toml(text, "glovebox", entry, &once) < 0)
        return;
    assert(!once.overflow && str_find(buf_str(&once), STR("[mcp_servers.glovebox]")) >= 0);
    assert(section_edit_toml(buf_str(&once), "glovebox", entry, &twice) == 0);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str text = {n ? (const char *)data : "", n};
    json_t *entry = entry_of();

    edit_json(text, "mcpServers", entry);
    edit_json(text, "servers", entry);
    edit_toml(text, entry);
    json_decref(entry);
    return 0;
}
