/* SPDX-License-Identifier: Apache-2.0 */
#include "console/mcp_clients.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/encoded.h"

static const struct client clients[] = {
    {"claude", "Claude Code", ".claude.json", ".mcp.json", "mcpServers", FILE_JSON, true, "url",
     "${" TOKEN "}", "claude mcp add --scope user " SERVER " --", "", ENTRY_USUAL},
    {"claude-desktop", "Claude Desktop", ".config/Claude/claude_desktop_config.json", NULL,
     "mcpServers", FILE_JSON, false, NULL, NULL, NULL, NULL, ENTRY_USUAL},
    {"cursor", "Cursor", ".cursor/mcp.json", ".cursor/mcp.json", "mcpServers", FILE_JSON, false,
     "url", "${env:" TOKEN "}", NULL, NULL, ENTRY_USUAL},
    {"vscode", "VS Code", NULL, ".vscode/mcp.json", "servers", FILE_JSON, true, "url",
     "${env:" TOKEN "}", "code --add-mcp", "%", ENTRY_USUAL},
    {"codex", "Codex", ".codex/config.toml", ".codex/config.toml", NULL, FILE_TOML, false, "url",
     NULL, "codex mcp add " SERVER " --", "", ENTRY_USUAL},
    {"gemini", "Gemini CLI", ".gemini/settings.json", ".gemini/settings.json", "mcpServers",
     FILE_JSON, false, "httpUrl", "${" TOKEN "}", "gemini mcp add --scope user " SERVER, " --",
     ENTRY_USUAL},
    {"windsurf", "Windsurf", ".codeium/windsurf/mcp_config.json", NULL, "mcpServers", FILE_JSON,
     false, "serverUrl", "${env:" TOKEN "}", NULL, NULL, ENTRY_USUAL},
    {"zed", "Zed", ".config/zed/settings.json", ".zed/settings.json", "context_servers", FILE_JSON,
     false, NULL, NULL, NULL, NULL, ENTRY_ZED},
    {"cline", "Cline",
     ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
     NULL, "mcpServers", FILE_JSON, false, NULL, NULL, NULL, NULL, ENTRY_USUAL},
    {"opencode", "opencode", ".config/opencode/opencode.json", "opencode.json", "mcp", FILE_JSON,
     true, "url", "{env:" TOKEN "}", NULL, NULL, ENTRY_OPENCODE},
    {"goose", "Goose", ".config/goose/config.yaml", NULL, "extensions", FILE_YAML, false, NULL,
     NULL, NULL, NULL, ENTRY_GOOSE},
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

json_t *client_entry_at(const struct client *client, const char *given)
{
    AUTO_FREE char *address = address_of(given);
    const char *type = client->form == ENTRY_OPENCODE ? "remote" : "http";

    if (!client->token)
        return json_pack("{s:o, s:s}", client->address, json_text(str_from(address)),
                         "bearer_token_env_var", TOKEN);
    AUTO_FREE char *bearer = xasprintf("Bearer %s", client->token);
    return json_pack("{s:s*, s:o, s:{s:s}}", "type", client->typed ? type : NULL, client->address,
                     json_text(str_from(address)), "headers", "Authorization", bearer);
}

json_t *client_entry(const struct client *client, json_t *program, json_t *arguments)
{
    switch (client->form) {
    case ENTRY_ZED:
        return json_pack("{s:s, s:o, s:o, s:{}}", "source", "custom", "command", program, "args",
                         arguments, "env");
    case ENTRY_OPENCODE:
        json_array_insert_new(arguments, 0, program);
        return json_pack("{s:s, s:o, s:b}", "type", "local", "command", arguments, "enabled", 1);
    case ENTRY_GOOSE:
        return json_pack("{s:s, s:s, s:o, s:o, s:{}, s:b, s:i}", "name", SERVER, "type", "stdio",
                         "cmd", program, "args", arguments, "envs", "enabled", 1, "timeout", 300);
    case ENTRY_USUAL:
        break;
    }
    return json_pack("{s:s*, s:o, s:o}", "type", client->typed ? "stdio" : NULL, "command", program,
                     "args", arguments);
}
