/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/roots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/json_get.h"
#include "mcp/parts.h"
#include "workspace/views.h"

enum {
    LOOKED_MAX = 1000, /* roots that are looked at */
    SAID_MAX = 8,      /* roots whose reason is given */
    SHOWN_MAX = 200,   /* bytes of a root's address in a reason */
    NAME_MAX_BYTES = 200,
    PASSWD_MAX = 1 << 20,
};

/* ---- from an address to a path ---- */

/* Returns the part after the host. RFC 8089 also has "file:/path". */
static int cut_path(struct str uri, struct str *ret, struct err *err)
{
    struct str rest, host;

    if (uri.n < 5 || !str_is_nocase(str_slice(uri, 0, 5), "file:"))
        return err_set(err, ERR_USAGE, "only a file:// address names a folder of this machine");
    rest = str_slice(uri, 5, uri.n);
    if (str_starts(rest, "//")) {
        rest = str_slice(rest, 2, rest.n);
        const char *slash = memchr(rest.p, '/', rest.n);
        host = str_slice(rest, 0, slash ? (size_t)(slash - rest.p) : rest.n);
        rest = str_slice(rest, host.n, rest.n);
        if (host.n && !str_is_nocase(host, "localhost"))
            return err_set(err, ERR_USAGE, "it is on another machine");
    }
    *ret = rest;
    return str_starts(rest, "/") && !memchr(rest.p, '\0', rest.n)
               ? 0
               : err_set(err, ERR_USAGE, "it has no absolute path");
}

/* Some clients put "file://" before a path and encode nothing, so a path that does not exist when
 * it is decoded is tried as it is. */
static char *real_path(struct str uri, struct err *err)
{
    struct str path;

    if (cut_path(uri, &path, err) < 0)
        return NULL;
    AUTO_FREE char *plain = xstrndup(path.p, path.n), *decoded = uri_decode(path);
    char *real = decoded ? realpath(decoded, NULL) : NULL;
    int error = decoded ? errno : EINVAL;
    if (!real && strcmp(plain, decoded ? decoded : "") != 0)
        real = realpath(plain, NULL);
    if (!real)
        (void)err_set(err, ERR_USAGE, "%s", strerror(error));
    return real;
}

/* ---- which folders are refused ---- */

/* A client chooses its roots, often the folder in which it was started. What --ro shows because the
 * user named it is too much for that: the user's home, and what has credentials. */

/* Below the home folder. */
static const char *const secrets[] = {
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".mozilla",
    ".thunderbird",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/glovebox",
    ".config/google-chrome",
    ".config/chromium",
    ".local/share/keyrings",
};

/* These have much more than a project. What is below them may be one. */
static const char *const system_folders[] = {"/",     "/bin",  "/boot", "/etc", "/home", "/lib",
                                             "/root", "/sbin", "/run",  "/usr", "/var",  NULL};

static bool root_is_within(const char *path, const char *folder)
{
    size_t n = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static int check_secret(const char *real, const char *home, const char *name, struct err *err)
{
    AUTO_FREE char *named = xasprintf("%s/%s", home, name);
    AUTO_FREE char *found = realpath(named, NULL);

    if (!found || (!root_is_within(real, found) && !root_is_within(found, real)))
        return 0;
    return err_set(err, ERR_POLICY, "it shows ~/%s, which can have secrets; --ro shows it anyway",
                   name);
}

static int check_home(const char *real, const char *home, struct err *err)
{
    AUTO_FREE char *found = home && *home == '/' ? realpath(home, NULL) : NULL;

    if (!found || strcmp(found, "/") == 0)
        return 0;
    if (root_is_within(found, real))
        return err_set(err, ERR_POLICY,
                       "it shows the whole home folder; name a folder in it, or use --ro");
    for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
        if (check_secret(real, found, secrets[i], err) < 0)
            return -1;
    return 0;
}

/* The home folder of the current user in /etc/passwd: $HOME may name another one. (getpwuid loads
 * libraries, which a static program cannot.) NULL if there is none; the caller frees. */
static char *home_of_user(void)
{
    AUTO_FREE char *id = xasprintf("%u", (unsigned)geteuid());
    AUTO_BUF struct buf text = {0};
    struct str rest, line, field[6];
    struct err err;

    buf_init(&text, PASSWD_MAX);
    if (fd_read_file("/etc/passwd", &text, &err) < 0)
        return NULL;
    rest = buf_str(&text);
    while (str_next_line(&rest, &line)) {
        size_t n = 0;
        while (n < ARRAY_LEN(field) && str_next(&line, ':', &field[n]))
            n++;
        if (n == ARRAY_LEN(field) && str_is(field[2], id))
            return xstrndup(field[5].p, field[5].n);
    }
    return NULL;
}

static int check_homes(const char *real, struct err *err)
{
    AUTO_FREE char *home = home_of_user();

    return check_home(real, getenv("HOME"), err) < 0 ? -1 : check_home(real, home, err);
}

static int check_root(const char *real, struct err *err)
{
    if (check_homes(real, err) < 0)
        return -1;
    return str_one_of(str_from(real), system_folders)
               ? err_set(err, ERR_POLICY, "it is a folder of the system; --ro shows it anyway")
               : views_check_ro(real, err);
}

/* ---- the list ---- */

static void note_why(struct roots *roots, struct str uri, const char *why)
{
    (void)buf_addf(&roots->why, "the client's root '%.*s' is not shown: %s\n",
                   (int)utf8_cut(uri, SHOWN_MAX), uri.p ? uri.p : "", why);
}

/* A name that only repeats the path says nothing to a model. */
static char *name_of(struct str name, const char *path)
{
    name = str_trim(name);
    return name.n && !str_is(name, path) && !str_is(name, str_after_last(path, '/'))
               ? xstrndup(name.p, utf8_cut(name, NAME_MAX_BYTES))
               : NULL;
}

/* False with *err if it is not shown. */
static bool add_root(struct roots *roots, struct str uri, struct str name, struct err *err)
{
    char *real = real_path(uri, err);

    if (!real || roots_find(roots, real) || check_root(real, err) < 0) {
        bool twice = real && roots_find(roots, real);
        free(real);
        return twice;
    }
    roots->at[roots->n++] = (struct root){.path = real, .name = name_of(name, real)};
    return true;
}

void roots_read(const json_t *list, struct roots *ret)
{
    size_t size = json_array_size(list), i = 0, left = 0;
    struct err err;

    *ret = (struct roots){0};
    buf_init(&ret->why, ROOTS_WHY_MAX);
    for (; i < size && i < LOOKED_MAX && ret->n < ROOTS_MAX; i++) {
        const json_t *root = json_array_get(list, i);
        struct str uri = json_get_str(root, "uri");
        if (!add_root(ret, uri, json_get_str(root, "name"), &err) && left++ < SAID_MAX)
            note_why(ret, uri, err.msg);
    }
    left = (left > SAID_MAX ? left - SAID_MAX : 0) + (size - i);
    if (left)
        (void)buf_addf(&ret->why, "%zu more of the client's roots are not shown\n", left);
}

void roots_done(struct roots *roots)
{
    for (size_t i = 0; i < roots->n; i++) {
        free(roots->at[i].path);
        free(roots->at[i].name);
    }
    buf_done(&roots->why);
    *roots = (struct roots){0};
}

const struct root *roots_find(const struct roots *roots, const char *path)
{
    for (size_t i = 0; i < roots->n; i++)
        if (strcmp(roots->at[i].path, path) == 0)
            return &roots->at[i];
    return NULL;
}

bool roots_are_there(const struct roots *roots)
{
    for (size_t i = 0; i < roots->n; i++)
        if (access(roots->at[i].path, F_OK) < 0)
            return false;
    return true;
}
