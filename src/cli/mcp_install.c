/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_install.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encoded.h"
#include "base/fd.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "cli/mcp_toml.h"

#define SERVER "glovebox"

enum { FILE_MAX = 16 << 20 };

/* A path that does not begin with a slash is below the home folder, or below the current one. */
static const struct client {
    const char *name, *title, *path;
    bool here;           /* the path is below the current folder */
    const char *section; /* of a JSON file: the object with the servers; NULL: TOML */
    bool typed;          /* an entry has "type" */
} clients[] = {
    {"claude", "Claude Code", ".claude.json", false, "mcpServers", true},
    {"claude-desktop", "Claude Desktop", ".config/Claude/claude_desktop_config.json", false,
     "mcpServers", false},
    {"cursor", "Cursor", ".cursor/mcp.json", false, "mcpServers", false},
    {"vscode", "VS Code", ".vscode/mcp.json", true, "servers", true},
    {"codex", "Codex", ".codex/config.toml", false, NULL, false},
    {"gemini", "Gemini CLI", ".gemini/settings.json", false, "mcpServers", false},
    {"windsurf", "Windsurf", ".codeium/windsurf/mcp_config.json", false, "mcpServers", false},
};

static const struct client *find_client(const char *name, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(clients); i++)
        if (name && strcmp(clients[i].name, name) == 0)
            return &clients[i];
    if (!name)
        (void)err_set(err, ERR_USAGE, "--write requires --install CLIENT");
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

static int check_list(const char *option, const struct opt_list *list, struct err *err)
{
    for (size_t i = 0; i < list->n; i++)
        if (check_path(option, list->items[i], err) < 0)
            return -1;
    return 0;
}

/* Where an option also takes a word, a path is a value with one of these characters. */
static const char *path_with(const char *value, const char *marks)
{
    return value && strpbrk(value, marks) ? value : NULL;
}

static int check_paths(const struct mcp_install *install, const struct settings *set,
                       struct err *err)
{
    if (check_list("ro", &set->ro, err) < 0 || check_list("file", &set->file, err) < 0 ||
        check_path("config", install->config, err) < 0 ||
        check_path("profile", path_with(set->profile, "/."), err) < 0 ||
        check_path("prelude", path_with(set->prelude, "/."), err) < 0 ||
        check_path("python", path_with(set->python, "/"), err) < 0)
        return -1;
    return set->log && strcmp(set->log, "off") == 0 ? 0 : check_path("log", set->log, err);
}

/* "--write", "--install X" and "--install=X" are not for the client. */
static json_t *arguments_of(int argc, char **argv)
{
    json_t *list = json_pack("[s]", "mcp");

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--install") == 0)
            i++;
        else if (strcmp(argv[i], "--write") != 0 && strncmp(argv[i], "--install=", 10) != 0)
            json_array_append_new(list, json_text(str_from(argv[i])));
    }
    return list;
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

static int write_new(const char *path, mode_t mode, struct str text, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_sys(err, "create %s", path);
    if (fd_write_all(fd, text.p, text.n) == 0 && fchmod(fd, mode) == 0 && fsync(fd) == 0)
        return 0;
    (void)err_sys(err, "write %s", path);
    (void)unlink(path);
    return -1;
}

/* The old file stays until the new one is complete. A link stays a link. */
static int replace(const char *path, struct str text, struct err *err)
{
    AUTO_FREE char *real = realpath(path, NULL);
    const char *target = real ? real : path;
    AUTO_FREE char *temporary = xasprintf("%s.glovebox-%ld", target, (long)getpid());
    struct stat old;
    mode_t mode = stat(target, &old) == 0 ? old.st_mode & 0777 : 0600;

    if (make_folders(target, err) < 0 || write_new(temporary, mode, text, err) < 0)
        return -1;
    if (rename(temporary, target) == 0)
        return 0;
    (void)err_sys(err, "write %s", target);
    (void)unlink(temporary);
    return -1;
}

/* ---- its text ---- */

static int bad_file(const char *path, const char *why, struct err *err)
{
    return err_set(err, ERR_USAGE,
                   "%.200s: %.120s; it is not changed: add what '--install' prints without --write",
                   path, why);
}

/* The servers of a JSON file, with ours among them. */
static int merge_json(const struct client *client, const char *path, struct str old, json_t *entry,
                      struct buf *ret, struct err *err)
{
    json_error_t where;
    json_t *all =
        str_trim(old).n ? json_loadb(old.p, old.n, JSON_REJECT_DUPLICATES, &where) : json_object();
    json_t *servers = json_object_get(all, client->section);
    int status = 0;

    if (!json_is_object(all) || (servers && !json_is_object(servers))) {
        status = bad_file(path, "is not a JSON object that can be added to", err);
    } else {
        if (!servers)
            json_object_set_new(all, client->section, json_object());
        json_object_set(json_object_get(all, client->section), SERVER, entry);
        AUTO_FREE char *text = json_write(all, true);
        (void)buf_addf(ret, "%s\n", text);
    }
    json_decref(all);
    return status;
}

static int merge(const struct client *client, const char *path, struct str old, json_t *entry,
                 struct buf *ret, struct err *err)
{
    if (client->section)
        return merge_json(client, path, old, entry, ret, err);
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
    printf("%s starts Glovebox now: %s\n", client->title, path);
    return fflush(stdout) == 0 ? 0 : err_sys(err, "write to standard output");
}

int mcp_install(const struct mcp_install *install, const struct settings *settings, int argc,
                char **argv, struct err *err)
{
    const struct client *client = find_client(install->client, err);
    AUTO_FREE char *path = client ? path_of(client, err) : NULL;

    if (!path || check_paths(install, settings, err) < 0)
        return -1;
    json_t *entry = entry_of(client, argc, argv, err);
    int status = !entry           ? -1
                 : install->write ? write_entry(client, path, entry, err)
                                  : print_entry(client, path, entry, err);
    json_decref(entry);
    return status;
}
