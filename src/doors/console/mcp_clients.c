/* SPDX-License-Identifier: Apache-2.0 */
#include "console/mcp_clients.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/encoded.h"

#define ABOUT         "runs programs in sandboxes"
#define PROGRAMS_ONLY "can only name programs"
#define NO_VARIABLE   "cannot name a variable that has the token"

enum { GOOSE_TIMEOUT_S = 300 };

/* From the clients' own documentation and sources; docs/mcp.md has the date. */
static const struct client clients[] = {
    {.name = "claude",
     .title = "Claude Code",
     .path = ".claude.json",
     .project = ".mcp.json",
     .section = "mcpServers",
     .program_type = "stdio",
     .address_type = "http",
     .address = "url",
     .token = "${" TOKEN "}",
     .add = "claude mcp add --scope user " SERVER " --",
     .before_args = ""},
    {.name = "claude-desktop",
     .title = "Claude Desktop",
     .path = ".config/Claude/claude_desktop_config.json",
     .section = "mcpServers",
     .no_address = PROGRAMS_ONLY},
    {.name = "cursor",
     .title = "Cursor",
     .path = ".cursor/mcp.json",
     .project = ".cursor/mcp.json",
     .section = "mcpServers",
     .address = "url",
     .token = "${env:" TOKEN "}"},
    {.name = "vscode",
     .title = "VS Code",
     .project = ".vscode/mcp.json",
     .section = "servers",
     .program_type = "stdio",
     .address_type = "http",
     .address = "url",
     .token = "${env:" TOKEN "}",
     .add = "code --add-mcp",
     .before_args = "%"},
    {.name = "codex",
     .title = "Codex",
     .path = ".codex/config.toml",
     .project = ".codex/config.toml",
     .kind = FILE_TOML,
     .address = "url",
     .add = "codex mcp add " SERVER " --",
     .before_args = ""},
    {.name = "gemini",
     .title = "Gemini CLI",
     .path = ".gemini/settings.json",
     .project = ".gemini/settings.json",
     .section = "mcpServers",
     .address = "httpUrl",
     .token = "${" TOKEN "}",
     .add = "gemini mcp add --scope user " SERVER,
     .before_args = " --"},
    {.name = "windsurf",
     .title = "Windsurf",
     .path = ".codeium/windsurf/mcp_config.json",
     .section = "mcpServers",
     .address = "serverUrl",
     .token = "${env:" TOKEN "}"},
    {.name = "zed",
     .title = "Zed",
     .path = ".config/zed/settings.json",
     .project = ".zed/settings.json",
     .section = "context_servers",
     .form = ENTRY_ZED,
     .no_address = NO_VARIABLE},
    {.name = "cline",
     .title = "Cline",
     .path = ".cline/data/settings/cline_mcp_settings.json",
     .section = "mcpServers",
     .address_type = "streamableHttp",
     .address = "url",
     .token = "${env:" TOKEN "}"},
    {.name = "opencode",
     .title = "opencode",
     .path = ".config/opencode/opencode.json",
     .project = "opencode.json",
     .section = "mcp",
     .form = ENTRY_OPENCODE,
     .program_type = "local",
     .address_type = "remote",
     .address = "url",
     .token = "{env:" TOKEN "}"},
    {.name = "goose",
     .title = "Goose",
     .path = ".config/goose/config.yaml",
     .section = "extensions",
     .kind = FILE_YAML,
     .form = ENTRY_GOOSE,
     .program_type = "stdio",
     .address_type = "streamable_http",
     .address = "uri",
     .token = "${" TOKEN "}"},
};

const struct client *client_find(const char *option, const char *name, struct err *err)
{
    AUTO_BUF struct buf all = {0};

    buf_init(&all, 1000);
    for (size_t i = 0; i < ARRAY_LEN(clients); i++) {
        if (name && strcmp(clients[i].name, name) == 0)
            return &clients[i];
        (void)buf_addf(&all, "%s%s", i ? ", " : "", clients[i].name);
    }
    if (!name)
        (void)err_set(err, ERR_USAGE, "--write, --project and --http require --install CLIENT");
    else
        (void)err_set(err, ERR_USAGE, "--%s: '%.40s' is not a known client; there are %s", option,
                      name, all.p);
    return NULL;
}

/* ---- entries ---- */

/* Makes a URL from "HOST:PORT", or from a URL with or without a path. */
static char *address_of(const char *given)
{
    bool full = strstr(given, "://") != NULL;
    const char *host = full ? strstr(given, "://") + 3 : given;

    return xasprintf("%s%s%s", full ? "" : "http://", given, strchr(host, '/') ? "" : "/mcp");
}

/* What each client needs beside the members of most. */
static void add_address_members(const struct client *client, json_t *entry)
{
    if (client->form == ENTRY_OPENCODE) /* a token is no reason to begin an OAuth login */
        json_object_update_new(entry, json_pack("{s:b, s:b}", "enabled", 1, "oauth", 0));
    if (client->form == ENTRY_GOOSE) /* it replaces only variables that are in env_keys */
        json_object_update_new(entry, json_pack("{s:s, s:s, s:[s], s:b, s:i}", "name", SERVER,
                                                "description", ABOUT, "env_keys", TOKEN, "enabled",
                                                1, "timeout", GOOSE_TIMEOUT_S));
}

json_t *client_entry_at(const struct client *client, const char *given)
{
    AUTO_FREE char *address = address_of(given);

    if (!client->token)
        return json_pack("{s:o, s:s}", client->address, json_text(str_from(address)),
                         "bearer_token_env_var", TOKEN);
    AUTO_FREE char *bearer = xasprintf("Bearer %s", client->token);
    json_t *entry = json_pack("{s:s*, s:o, s:{s:s}}", "type", client->address_type, client->address,
                              json_text(str_from(address)), "headers", "Authorization", bearer);
    add_address_members(client, entry);
    return entry;
}

json_t *client_entry(const struct client *client, json_t *program, json_t *arguments)
{
    switch (client->form) {
    case ENTRY_ZED:
        return json_pack("{s:s, s:o, s:o, s:{}}", "source", "custom", "command", program, "args",
                         arguments, "env");
    case ENTRY_OPENCODE:
        json_array_insert_new(arguments, 0, program);
        return json_pack("{s:s, s:o, s:b}", "type", client->program_type, "command", arguments,
                         "enabled", 1);
    case ENTRY_GOOSE:
        return json_pack("{s:s, s:s, s:s, s:o, s:o, s:{}, s:b, s:i}", "name", SERVER, "type",
                         client->program_type, "description", ABOUT, "cmd", program, "args",
                         arguments, "envs", "enabled", 1, "timeout", GOOSE_TIMEOUT_S);
    case ENTRY_USUAL:
        break;
    }
    return json_pack("{s:s*, s:o, s:o}", "type", client->program_type, "command", program, "args",
                     arguments);
}
