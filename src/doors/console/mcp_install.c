/* SPDX-License-Identifier: Apache-2.0 */
#include "console/mcp_install.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "console/mcp_clients.h"
#include "console/save_file.h"
#include "formats/encoded.h"
#include "formats/json_edit.h"
#include "formats/json_get.h"
#include "formats/section_edit.h"
#include "options/user_file.h"
#include "policy/policy.h"

enum { FILE_MAX = 16 << 20 };

/* A project may come from a stranger: its links must not lead the change elsewhere. */
static int check_project_path(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    AUTO_FREE char *folder = xstrndup(path, slash ? (size_t)(slash - path) : 0);
    struct stat st;
    bool link = (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) ||
                (*folder && lstat(folder, &st) == 0 && S_ISLNK(st.st_mode));

    return link
               ? err_set(err, ERR_USAGE,
                         "--project: %s is reached by a symbolic link, which is not followed", path)
               : 0;
}

static char *mcp_install_path_of(const struct client *client, bool project, struct err *err)
{
    const char *home = getenv("HOME");

    if (project && !client->project) {
        (void)err_set(err, ERR_USAGE, "--project: %s has no file for a project; leave it out",
                      client->title);
        return NULL;
    }
    if (project && check_project_path(client->project, err) < 0)
        return NULL;
    if (project || !client->path)
        return xstrdup(client->project);
    if (home && *home == '/')
        return xasprintf("%s/%s", home, client->path);
    (void)err_set(err, ERR_USAGE, "$HOME is not set, so the client's file cannot be found");
    return NULL;
}

/* ---- the command ---- */

/* A path must not be relative, because the client starts the server in any folder. The folders of
 * --ro and --rw may: the server resolves them when it starts, in the client's project. */
static int check_path(const char *option, const char *path, struct err *err)
{
    if (!path || *path == '/')
        return 0;
    return err_set(err, ERR_USAGE,
                   "--%s %.200s: with --install, the path must be absolute, because the "
                   "client starts the server in another folder",
                   option, path);
}

/* Checks the file of "SRC" or "SRC:NAME" now: otherwise a typing error would only show in the
 * client, at each call. */
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

static int check_list(const char *option, const struct opt_list *list, bool relative,
                      struct err *err)
{
    for (size_t i = 0; i < list->n; i++)
        if ((!relative && check_path(option, list->items[i], err) < 0) ||
            check_source(option, list->items[i], err) < 0)
            return -1;
    return 0;
}

/* Returns the value if it is a path, which has one of these characters, for an option that also
 * takes a word; otherwise NULL. */
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
    if (check_list("ro", &set->ro, true, err) < 0 ||
        check_list("file", &set->file, install->project, err) < 0 ||
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

/* Returns the number of words that an option of --install takes; 0 for an option of the server. */
static int install_words(const char *word)
{
    static const char *const named[] = {"--install", "--uninstall", "--http"};

    if (strcmp(word, "--write") == 0 || strcmp(word, "--project") == 0)
        return 1;
    for (size_t i = 0; i < ARRAY_LEN(named); i++) {
        size_t n = strlen(named[i]);
        if (strncmp(word, named[i], n) == 0 && (!word[n] || word[n] == '='))
            return word[n] ? 1 : 2;
    }
    return 0;
}

/* The arguments for the server: all except those of --install. A project's entry shows the
 * project's folder, unless the command has --ro or --rw. */
static json_t *arguments_of(const struct mcp_install *install, int argc, char **argv)
{
    json_t *list = json_pack("[s]", "mcp");

    for (int i = 1, n; i < argc; i += n ? n : 1) {
        n = install_words(argv[i]);
        if (!n)
            json_array_append_new(list, json_text(str_from(argv[i])));
    }
    if (install->project && !install->http && !install->shows) {
        json_array_append_new(list, json_string("--ro"));
        json_array_append_new(list, json_string("."));
    }
    return list;
}

static int check_http(const struct mcp_install *install, const struct client *client, int argc,
                      char **argv, struct err *err)
{
    const char *address = install->http;

    if (!client->address)
        return err_set(err, ERR_USAGE,
                       "--http: the file of %s %s; '--install %s --daemon HOST:PORT --token-file "
                       "FILE' makes it start a program that asks the daemon",
                       client->title, client->no_address, client->name);
    if (!*address || strpbrk(address, " \t\r\n\"\\") ||
        (strstr(address, "://") && strncmp(address, "http://", 7) != 0 &&
         strncmp(address, "https://", 8) != 0))
        return err_set(err, ERR_USAGE, "--http %.100s: is not HOST:PORT or http://HOST:PORT/mcp",
                       address);
    json_t *left = arguments_of(install, argc, argv);
    size_t n = json_array_size(left);
    json_decref(left);
    return n > 1 ? err_set(err, ERR_USAGE,
                           "with --http, the daemon's own settings hold: give the other options to "
                           "'glovebox serve'")
                 : 0;
}

static json_t *entry_of(const struct client *client, const struct mcp_install *install, int argc,
                        char **argv, struct err *err)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    if (n < 0) {
        (void)err_sys(err, "find the path of this program");
        return NULL;
    }
    self[n] = '\0';
    return client_entry(client, json_text(str_from(self)), arguments_of(install, argc, argv));
}

/* ---- the file ---- */

static int mcp_install_read_file(const char *path, struct buf *ret, struct err *err)
{
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    return fd_read_file(path, ret, err);
}

static int make_folders(const char *path, struct err *err)
{
    AUTO_FREE char *folder = xstrdup(path);

    if (user_file_make_folders(folder) < 0)
        return err_sys(err, "make the folder %s", folder);
    return 0;
}

/* The client may write secrets into the file, so a new file is private. */
static int mcp_install_replace(const char *path, struct str text, struct err *err)
{
    if (make_folders(path, err) < 0)
        return -1;
    mode_t before = umask(077);
    int status = save_file(path, text, err);
    umask(before);
    return status;
}

/* ---- the file's text ---- */

static int bad_file(const char *path, const char *why, bool adds, struct err *err)
{
    return err_set(err, ERR_USAGE, "%.200s: %.120s; it is not changed: %s", path, why,
                   adds ? "add what '--install' prints without --write"
                        : "remove the entry by hand");
}

/* Without an entry, the old one is removed. */
static int merge(const struct client *client, const char *path, struct str old, json_t *entry,
                 struct buf *ret, struct err *err)
{
    if (client->kind == FILE_JSON)
        return json_edit(old, client->section, SERVER, entry, ret) < 0
                   ? bad_file(path, "is not a JSON object that can be added to", entry, err)
                   : 0;
    return (client->kind == FILE_YAML ? section_edit_yaml(old, client->section, SERVER, entry, ret)
                                      : section_edit_toml(old, SERVER, entry, ret)) < 0
               ? bad_file(path, "has a line that cannot be read", entry, err)
               : 0;
}

static void add_word(struct buf *b, struct str word)
{
    bool plain = word.n;

    for (size_t i = 0; i < word.n; i++)
        plain = plain && (isalnum((unsigned char)word.p[i]) ||
                          (word.p[i] && strchr("-_./:=,@%+", word.p[i])));
    (void)buf_adds(b, plain ? " " : " '");
    for (size_t i = 0; i < word.n; i++)
        (void)(word.p[i] == '\'' ? buf_adds(b, "'\\''") : buf_addc(b, word.p[i]));
    (void)buf_adds(b, plain ? "" : "'");
}

/* Prints the client's own command for a shell. */
static void print_add(const struct client *client, bool project, json_t *entry)
{
    AUTO_BUF struct buf line = {0};
    const json_t *word;
    size_t i;

    buf_init(&line, FILE_MAX);
    if (*client->before_args == '%') {
        json_t *named = json_pack("{s:s}", "name", SERVER);
        json_object_update(named, entry);
        AUTO_FREE char *text = json_dumps(named, JSON_COMPACT);
        json_decref(named);
        add_word(&line, str_from(text));
    } else {
        add_word(&line, json_str(json_object_get(entry, "command")));
        (void)buf_adds(&line, client->before_args);
        json_array_foreach(json_object_get(entry, "args"), i, word) add_word(&line, json_str(word));
    }
    const char *user = project ? strstr(client->add, "--scope user") : NULL;
    if (user)
        fprintf(stderr, "or type: %.*s--scope project%s%s\n", (int)(user - client->add),
                client->add, user + strlen("--scope user"), line.p);
    else if (!project || !client->path)
        fprintf(stderr, "or type: %s%s\n", client->add, line.p);
}

static int print_entry(const struct client *client, const char *path, bool project, json_t *entry,
                       struct err *err)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, FILE_MAX);
    if (merge(client, path, STR(""), entry, &text, err) < 0)
        return -1;
    fwrite(text.p, 1, text.n, stdout);
    fprintf(stderr, "for %s, in %s; --write puts it there\n", client->title, path);
    if (client->add && json_object_get(entry, "command"))
        print_add(client, project, entry);
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
    if (mcp_install_read_file(path, &old, err) < 0 ||
        merge(client, path, buf_str(&old), entry, &text, err) < 0 ||
        mcp_install_replace(path, buf_str(&text), err) < 0)
        return -1;
    bool at = json_object_get(entry, client->address ? client->address : "") != NULL;
    printf("%s %s Glovebox now: %s\n", client->title, at ? "finds" : "starts", path);
    if (at)
        puts("Set " TOKEN " to the daemon's token where the client is started.");
    return fflush(stdout) == 0 ? 0 : err_sys(err, "write to standard output");
}

static int remove_entry(const struct client *client, const char *path, struct err *err)
{
    AUTO_BUF struct buf old = {0}, text = {0};

    buf_init(&old, FILE_MAX);
    buf_init(&text, 2 * FILE_MAX);
    if (mcp_install_read_file(path, &old, err) < 0 ||
        (old.n && merge(client, path, buf_str(&old), NULL, &text, err) < 0))
        return -1;
    bool there = !str_eq(str_trim(buf_str(&old)), str_trim(buf_str(&text)));
    if (there && mcp_install_replace(path, buf_str(&text), err) < 0)
        return -1;
    printf(there ? "%s does not start Glovebox any more: %s\n"
                 : "%s has no entry for Glovebox: %s\n",
           client->title, path);
    return fflush(stdout) == 0 ? 0 : err_sys(err, "write to standard output");
}

static int uninstall(const struct mcp_install *install, struct err *err)
{
    const struct client *client = client_find("uninstall", install->remove, err);
    AUTO_FREE char *path = client ? mcp_install_path_of(client, install->project, err) : NULL;

    if (path && (install->client || install->write || install->http))
        return err_set(err, ERR_USAGE, "--uninstall CLIENT can be combined with --project only");
    return path ? remove_entry(client, path, err) : -1;
}

int mcp_install(const struct mcp_install *install, const struct settings *settings, int argc,
                char **argv, struct err *err)
{
    if (install->remove)
        return uninstall(install, err);
    const struct client *client = client_find("install", install->client, err);
    AUTO_FREE char *path = client ? mcp_install_path_of(client, install->project, err) : NULL;

    if (!path || check_paths(install, settings, err) < 0 ||
        (install->http && check_http(install, client, argc, argv, err) < 0))
        return -1;
    json_t *entry = install->http ? client_entry_at(client, install->http)
                                  : entry_of(client, install, argc, argv, err);
    int status = !entry           ? -1
                 : install->write ? write_entry(client, path, entry, err)
                                  : print_entry(client, path, install->project, entry, err);
    json_decref(entry);
    return status;
}
