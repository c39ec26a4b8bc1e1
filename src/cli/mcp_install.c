/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_install.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encoded.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cli/json_edit.h"
#include "cli/mcp_toml.h"
#include "console/save_file.h"
#include "guard/policy.h"

#define SERVER "glovebox"
#define TOKEN  "GLOVEBOX_TOKEN" /* the variable with the daemon's token */

enum { FILE_MAX = 16 << 20 };

/* A path that does not begin with a slash is below the home folder, or below the current one. */
static const struct client {
    const char *name, *title, *path;
    bool here;           /* the path is below the current folder */
    const char *section; /* of a JSON file: the object with the servers; NULL: TOML */
    bool typed;          /* an entry has "type" */
    const char *address; /* the member with a daemon's address; NULL: it only starts programs */
    const char *token;   /* the client's form for a variable of the environment */
} clients[] = {
    {"claude", "Claude Code", ".claude.json", false, "mcpServers", true, "url", "${" TOKEN "}"},
    {"claude-desktop", "Claude Desktop", ".config/Claude/claude_desktop_config.json", false,
     "mcpServers", false, NULL, NULL},
    {"cursor", "Cursor", ".cursor/mcp.json", false, "mcpServers", false, "url", "${env:" TOKEN "}"},
    {"vscode", "VS Code", ".vscode/mcp.json", true, "servers", true, "url", "${env:" TOKEN "}"},
    {"codex", "Codex", ".codex/config.toml", false, NULL, false, "url", NULL},
    {"gemini", "Gemini CLI", ".gemini/settings.json", false, "mcpServers", false, "httpUrl",
     "${" TOKEN "}"},
    {"windsurf", "Windsurf", ".codeium/windsurf/mcp_config.json", false, "mcpServers", false,
     "serverUrl", "${env:" TOKEN "}"},
};

static const struct client *find_client(const char *name, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(clients); i++)
        if (name && strcmp(clients[i].name, name) == 0)
            return &clients[i];
    if (!name)
        (void)err_set(err, ERR_USAGE, "--write and --http require --install CLIENT");
    else
        (void)err_set(err, ERR_USAGE,
                      "--install: '%.40s' is not a known client; there are claude, claude-desktop, "
                      "cursor, vscode, codex, gemini, windsurf",
                      name);
    return NULL;
}

static char *path_of(const struct client *client, struct err *err)
{
    const char *home = getenv("HOME");

    if (client->here)
        return xstrdup(client->path);
    if (home && *home == '/')
        return xasprintf("%s/%s", home, client->path);
    (void)err_set(err, ERR_USAGE, "$HOME is not set, so the client's file cannot be found");
    return NULL;
}

/* ---- the command ---- */

/* The client starts the server in a folder of its own choice. */
static int check_path(const char *option, const char *path, struct err *err)
{
    if (!path || *path == '/')
        return 0;
    return err_set(err, ERR_USAGE,
                   "--%s %.200s: with --install, the path must be absolute, because the "
                   "client starts the server in another folder",
                   option, path);
}

/* "SRC" or "SRC:NAME": a typing error would be seen in the client only, at each call. */
static int check_source(const char *option, const char *given, struct err *err)
{
    AUTO_FREE char *source = xstrdup(given);
    char *colon = strrchr(source, ':');

    if (access(source, F_OK) < 0 && colon)
        *colon = '\0';
    if (access(source, F_OK) == 0)
        return 0;
    return err_set(err, ERR_USAGE, "--%s %.200s: %s", option, given, strerror(errno));
}

static int check_list(const char *option, const struct opt_list *list, struct err *err)
{
    for (size_t i = 0; i < list->n; i++)
        if (check_path(option, list->items[i], err) < 0 ||
            check_source(option, list->items[i], err) < 0)
            return -1;
    return 0;
}

/* Where an option also takes a word, a path is a value with one of these characters. */
static const char *path_with(const char *value, const char *marks)
{
    return value && strpbrk(value, marks) ? value : NULL;
}

static int check_profile(const char *name, struct err *err)
{
    struct policy *policy = name && *name ? policy_open(name, err) : NULL;

    if (name && *name && !policy)
        return err_wrap(err, "--profile");
    policy_free(policy);
    return 0;
}

static int check_paths(const struct mcp_install *install, const struct settings *set,
                       struct err *err)
{
    if (check_list("ro", &set->ro, err) < 0 || check_list("file", &set->file, err) < 0 ||
        check_path("config", install->config, err) < 0 ||
        check_path("token-file", install->token_file, err) < 0 ||
        check_path("profile", path_with(set->profile, "/."), err) < 0 ||
        check_profile(set->profile, err) < 0 ||
        check_path("prelude", path_with(set->prelude, "/."), err) < 0 ||
        check_path("dockerfile", set->dockerfile, err) < 0 ||
        check_path("python", path_with(set->python, "/"), err) < 0)
        return -1;
    return set->log && strcmp(set->log, "off") == 0 ? 0 : check_path("log", set->log, err);
}

/* "--write", "--install X" and "--install=X" are not for the client, and so with --http. */
static json_t *arguments_of(int argc, char **argv)
{
    json_t *list = json_pack("[s]", "mcp");

    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--install") == 0 || strcmp(word, "--http") == 0)
            i++;
        else if (strcmp(word, "--write") != 0 && strncmp(word, "--install=", 10) != 0 &&
                 strncmp(word, "--http=", 7) != 0)
            json_array_append_new(list, json_text(str_from(word)));
    }
    return list;
}

/* "HOST:PORT", or an address with or without the path. */
static char *address_of(const char *given)
{
    bool full = strstr(given, "://") != NULL;
    const char *host = full ? strstr(given, "://") + 3 : given;

    return xasprintf("%s%s%s", full ? "" : "http://", given, strchr(host, '/') ? "" : "/mcp");
}

static int check_http(const struct mcp_install *install, const struct client *client, int argc,
                      char **argv, struct err *err)
{
    const char *address = install->http;

    if (!client->address)
        return err_set(
            err, ERR_USAGE,
            "--http: the file of %s can only name programs; leave --http out, or add the "
            "address in its settings",
            client->title);
    if (!*address || strpbrk(address, " \t\r\n\"\\") ||
        (strstr(address, "://") && strncmp(address, "http://", 7) != 0 &&
         strncmp(address, "https://", 8) != 0))
        return err_set(err, ERR_USAGE, "--http %.100s: is not HOST:PORT or http://HOST:PORT/mcp",
                       address);
    json_t *left = arguments_of(argc, argv);
    size_t n = json_array_size(left);
    json_decref(left);
    return n > 1 ? err_set(err, ERR_USAGE,
                           "with --http, the daemon's own settings hold: give the other options to "
                           "'glovebox serve'")
                 : 0;
}

static json_t *entry_at(const struct client *client, const char *given)
{
    AUTO_FREE char *address = address_of(given);

    if (!client->token)
        return json_pack("{s:o, s:s}", client->address, json_text(str_from(address)),
                         "bearer_token_env_var", TOKEN);
    AUTO_FREE char *bearer = xasprintf("Bearer %s", client->token);
    return json_pack("{s:s*, s:o, s:{s:s}}", "type", client->typed ? "http" : NULL, client->address,
                     json_text(str_from(address)), "headers", "Authorization", bearer);
}

static json_t *entry_of(const struct client *client, int argc, char **argv, struct err *err)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    if (n < 0) {
        (void)err_sys(err, "find the path of this program");
        return NULL;
    }
    self[n] = '\0';
    return json_pack("{s:s*, s:o, s:o}", "type", client->typed ? "stdio" : NULL, "command",
                     json_text(str_from(self)), "args", arguments_of(argc, argv));
}

/* ---- the file ---- */

static int read_file(const char *path, struct buf *ret, struct err *err)
{
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    return fd_read_file(path, ret, err);
}

static int make_folders(const char *path, struct err *err)
{
    AUTO_FREE char *folder = xstrdup(path);

    for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(folder, 0700) < 0 && errno != EEXIST)
            return err_sys(err, "make the folder %s", folder);
        *at = '/';
    }
    return 0;
}

/* The client may put secrets into a new file. */
static int replace(const char *path, struct str text, struct err *err)
{
    if (make_folders(path, err) < 0)
        return -1;
    mode_t before = umask(077);
    int status = save_file(path, text, err);
    umask(before);
    return status;
}

/* ---- its text ---- */

static int bad_file(const char *path, const char *why, struct err *err)
{
    return err_set(err, ERR_USAGE,
                   "%.200s: %.120s; it is not changed: add what '--install' prints without --write",
                   path, why);
}

static int merge(const struct client *client, const char *path, struct str old, json_t *entry,
                 struct buf *ret, struct err *err)
{
    if (client->section)
        return json_edit(old, client->section, SERVER, entry, ret) < 0
                   ? bad_file(path, "is not a JSON object that can be added to", err)
                   : 0;
    return mcp_toml_merge(old, SERVER, entry, ret) < 0
               ? bad_file(path, "has a line that cannot be read", err)
               : 0;
}

static int print_entry(const struct client *client, const char *path, json_t *entry,
                       struct err *err)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, FILE_MAX);
    if (merge(client, path, STR(""), entry, &text, err) < 0)
        return -1;
    fwrite(text.p, 1, text.n, stdout);
    fprintf(stderr, "for %s, in %s; --write puts it there\n", client->title, path);
    if (json_object_get(entry, client->address ? client->address : ""))
        fputs("set " TOKEN " to the daemon's token where the client is started\n", stderr);
    return fflush(stdout) == 0 ? 0 : err_sys(err, "write the configuration");
}

static int write_entry(const struct client *client, const char *path, json_t *entry,
                       struct err *err)
{
    AUTO_BUF struct buf old = {0}, text = {0};

    buf_init(&old, FILE_MAX);
    buf_init(&text, 2 * FILE_MAX);
    if (read_file(path, &old, err) < 0 ||
        merge(client, path, buf_str(&old), entry, &text, err) < 0 ||
        replace(path, buf_str(&text), err) < 0)
        return -1;
    bool at = json_object_get(entry, client->address ? client->address : "") != NULL;
    printf("%s %s Glovebox now: %s\n", client->title, at ? "finds" : "starts", path);
    if (at)
        puts("Set " TOKEN " to the daemon's token where the client is started.");
    return fflush(stdout) == 0 ? 0 : err_sys(err, "write to standard output");
}

int mcp_install(const struct mcp_install *install, const struct settings *settings, int argc,
                char **argv, struct err *err)
{
    const struct client *client = find_client(install->client, err);
    AUTO_FREE char *path = client ? path_of(client, err) : NULL;

    if (!path || check_paths(install, settings, err) < 0 ||
        (install->http && check_http(install, client, argc, argv, err) < 0))
        return -1;
    json_t *entry =
        install->http ? entry_at(client, install->http) : entry_of(client, argc, argv, err);
    int status = !entry           ? -1
                 : install->write ? write_entry(client, path, entry, err)
                                  : print_entry(client, path, entry, err);
    json_decref(entry);
    return status;
}
