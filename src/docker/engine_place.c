/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the container engine is: the user's words become data.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "docker/engine_place.h"

#define DEFAULT_SOCKET "/var/run/docker.sock"
#define WRITE_IT       "write unix:///PATH, tcp://HOST:PORT or ssh://[USER@]HOST"

enum { HOST_MAX = 255 };

/* ---- usual sockets ---- */

/* A socket in the folder of the user's session; NULL when it is not there. */
static char *user_socket(const char *name)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    AUTO_FREE char *path = folder && folder[0] == '/' ? xasprintf("%s/%s", folder, name) : NULL;

    return path && access(path, F_OK) == 0 ? mem_take(&path) : NULL;
}

/* The first that exists; of none, the usual one, which the error then names. */
static char *find_socket(void)
{
    static const char *const users[] = {"docker.sock", "podman/podman.sock"};
    char *path = NULL;

    if (access(DEFAULT_SOCKET, F_OK) == 0)
        return xstrdup(DEFAULT_SOCKET);
    for (size_t i = 0; i < ARRAY_LEN(users) && !path; i++)
        path = user_socket(users[i]);
    if (!path && access("/run/podman/podman.sock", F_OK) == 0)
        path = xstrdup("/run/podman/podman.sock");
    return path ? path : xstrdup(DEFAULT_SOCKET);
}

/* ---- addresses ---- */

static bool has_only(struct str s, const char *others)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && (!c || !strchr(others, c)))
            return false;
    }
    return s.n > 0;
}

/* "[::1]:2375" as "::1" and "2375"; the port may be missing. A name never looks like an option. */
static bool split_address(struct str at, struct engine_place *ret)
{
    bool bracketed = at.n && at.p[0] == '[';
    long end = bracketed ? str_find(at, STR("]")) : str_find(at, STR(":"));
    int64_t port;

    if (bracketed && end < 0)
        return false;
    struct str host = str_slice(at, bracketed, end < 0 ? at.n : (size_t)end);
    struct str rest = str_slice(at, bracketed + host.n + bracketed, at.n);
    if (!has_only(host, bracketed ? ":.%_-" : "._-") || host.p[0] == '-' || host.n > HOST_MAX)
        return false;
    ret->host = xstrndup(host.p, host.n);
    if (!rest.n)
        return true;
    if (rest.p[0] != ':' || !num_int64(str_slice(rest, 1, rest.n), &port) || port < 1 ||
        port > 65535)
        return false;
    ret->port = xasprintf("%lld", (long long)port);
    return true;
}

static int read_tcp(struct str at, const char *source, struct engine_place *ret, struct err *err)
{
    ret->way = WAY_TCP;
    if (at.n && at.p[at.n - 1] == '/')
        at.n--;
    if (split_address(at, ret))
        return 0;
    return err_set(err, ERR_USAGE, "%s '%.200s': write tcp://HOST:PORT", source, ret->name);
}

/* The path is a part of the command that a shell of the other side reads: no character of it has a
 * meaning there. */
static int read_ssh(struct str at, const char *source, struct engine_place *ret, struct err *err)
{
    long slash = str_find(at, STR("/")), user = str_find(at, STR("@"));
    struct str path = str_slice(at, slash < 0 ? at.n : (size_t)slash, at.n);

    ret->way = WAY_SSH;
    at = str_slice(at, 0, at.n - path.n);
    if (user >= 0 && (size_t)user < at.n) {
        struct str name = str_slice(at, 0, (size_t)user);
        if (!has_only(name, "._-+\\") || name.p[0] == '-')
            return err_set(err, ERR_USAGE,
                           "%s '%.200s': write ssh://[USER@]HOST[:PORT], without a password",
                           source, ret->name);
        ret->user = xstrndup(name.p, name.n);
        at = str_slice(at, (size_t)user + 1, at.n);
    }
    if (!split_address(at, ret) || (path.n > 1 && !has_only(path, "/._-+")))
        return err_set(err, ERR_USAGE, "%s '%.200s': write ssh://[USER@]HOST[:PORT][/SOCKET]",
                       source, ret->name);
    if (path.n > 1)
        ret->path = xstrndup(path.p, path.n);
    return 0;
}

int engine_place_read(const char *text, const char *source, struct engine_place *ret,
                      struct err *err)
{
    struct str s = str_from(text);

    ret->name = xstrdup(text);
    if (str_starts(s, "tcp://"))
        return read_tcp(str_slice(s, 6, s.n), source, ret, err);
    if (str_starts(s, "ssh://"))
        return read_ssh(str_slice(s, 6, s.n), source, ret, err);
    if (!str_starts(s, "unix:///"))
        return err_set(err, ERR_USAGE, "%s '%.200s': " WRITE_IT, source, text);
    free(ret->name);
    ret->name = xstrdup(text + 7);
    ret->path = xstrdup(text + 7);
    return 0;
}

/* ---- TLS ---- */

/* NULL when the file is not there; one that may not be read is an error of the connection. */
static char *file_of(const char *folder, const char *name)
{
    AUTO_FREE char *path = xasprintf("%s/%s", folder, name);

    return access(path, F_OK) == 0 || errno != ENOENT ? mem_take(&path) : NULL;
}

int engine_place_tls(struct engine_place *place, const char *folder, bool needs_ca, struct err *err)
{
    place->way = WAY_TLS;
    place->ca = file_of(folder, "ca.pem");
    place->cert = file_of(folder, "cert.pem");
    place->key = file_of(folder, "key.pem");
    if (!place->ca && needs_ca)
        return err_set(err, ERR_UNSUPPORTED,
                       "TLS with %.150s needs %.200s/ca.pem, the certificate of its authority; "
                       "DOCKER_CERT_PATH names another folder",
                       place->name, folder);
    if (!place->cert != !place->key)
        return err_set(err, ERR_UNSUPPORTED,
                       "TLS with %.150s needs both %.200s/cert.pem and "
                       "key.pem, or neither",
                       place->name, folder);
    return 0;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value;
}

static int add_tls(struct engine_place *place, struct err *err)
{
    AUTO_FREE char *folder =
        is_set("DOCKER_CERT_PATH") ? xstrdup(getenv("DOCKER_CERT_PATH")) : engine_config_folder();

    if (!folder)
        return err_set(err, ERR_USAGE,
                       "DOCKER_TLS_VERIFY needs DOCKER_CERT_PATH, the folder of "
                       "ca.pem, cert.pem and key.pem");
    return engine_place_tls(place, folder, true, err);
}

/* ---- the choice ---- */

static void set_usual_port(struct engine_place *place)
{
    if (!place->port && place->way != WAY_UNIX && place->way != WAY_SSH)
        place->port = xstrdup(place->way == WAY_TLS ? "2376" : "2375");
}

static int find(struct engine_place *ret, struct err *err)
{
    if (is_set("DOCKER_HOST")) {
        bool tls = is_set("DOCKER_TLS_VERIFY") || is_set("DOCKER_TLS");
        if (engine_place_read(getenv("DOCKER_HOST"), "DOCKER_HOST", ret, err) < 0)
            return -1;
        return tls && ret->way == WAY_TCP ? add_tls(ret, err) : 0;
    }
    int chosen = engine_context_find(ret, err);
    if (chosen)
        return chosen < 0 ? -1 : 0;
    ret->path = find_socket();
    ret->name = xstrdup(ret->path);
    return 0;
}

int engine_place_find(struct engine_place *ret, struct err *err)
{
    *ret = (struct engine_place){0};
    int result = find(ret, err);
    set_usual_port(ret);
    return result;
}

void engine_place_done(struct engine_place *p)
{
    char *const parts[] = {p->name, p->host, p->port, p->user, p->path, p->ca, p->cert, p->key};

    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        free(parts[i]);
    *p = (struct engine_place){0};
}
