/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/engine_place.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "engine/engine_command.h"
#include "engine/engine_parts.h"
#include "formats/json_get.h"

#define DEFAULT_SOCKET "/var/run/docker.sock"

/* The output format for `docker context inspect`. */
#define HOST_OF_CONTEXT                                                                            \
    "{{.Endpoints.docker.Host}}{{if .Endpoints.docker.SkipTLSVerify}} unverified{{end}}"

enum { CONFIG_MAX = 1 << 20, INSPECT_MS = 10000 };

/* ---- usual sockets ---- */

/* A socket in the folder of the user's session; NULL if it does not exist. */
static char *user_socket(const char *name)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    AUTO_FREE char *path = folder && folder[0] == '/' ? xasprintf("%s/%s", folder, name) : NULL;

    return path && access(path, F_OK) == 0 ? mem_take(&path) : NULL;
}

/* The first socket that exists; if none does, the usual one, for the error message. */
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

/* "unix:///PATH" is a socket of this host; the command handles all other addresses. */
static int read_address(const char *text, const char *source, struct engine_place *ret,
                        struct err *err)
{
    struct str s = str_from(text);

    if (str_starts(s, "unix:///"))
        ret->path = xstrdup(text + 7);
    else if (!str_starts(s, "tcp://") && !str_starts(s, "ssh://"))
        return err_set(err, ERR_USAGE,
                       "%s '%.200s': write unix:///PATH, tcp://HOST:PORT or ssh://[USER@]HOST",
                       source, text);
    ret->name = xstrdup(ret->path ? ret->path : text);
    return 0;
}

/* ---- contexts of Docker ---- */

/* The name that `docker context use` has written; NULL if there is none. The caller frees it. */
static char *current_context(void)
{
    AUTO_FREE char *path =
        str_variable("DOCKER_CONFIG")
            ? xasprintf("%s/config.json", getenv("DOCKER_CONFIG"))
            : xasprintf("%s/.docker/config.json", str_variable("HOME") ? getenv("HOME") : "");
    AUTO_BUF struct buf text = {0};
    struct err ignored;

    buf_init(&text, CONFIG_MAX);
    if (access(path, F_OK) < 0 || fd_read_file(path, &text, &ignored) < 0 || !text.n)
        return NULL;
    json_t *config = json_loadb(text.p, text.n, 0, NULL);
    const char *name = json_get_text(config, "currentContext");
    char *found = name && *name ? xstrdup(name) : NULL;
    json_decref(config);
    explicit_bzero(text.p, text.n); /* the file may have logins, too */
    return found;
}

/* Keeps the last line only: a warning may come before it. */
static void take_word(void *ctx, struct str line)
{
    buf_clear(ctx);
    (void)buf_add_str(ctx, str_slice(line, 0, 1000));
}

/* Gets the context's address from the command. */
static int read_context(const char *name, struct engine_place *ret, struct err *err)
{
    static const struct engine_place nowhere = {0};
    const char *argv[] = {"", "context", "inspect", "--format", HOST_OF_CONTEXT, "--", name, NULL};
    AUTO_BUF struct buf host = {0};
    char shown[300];
    int status;

    buf_init(&host, 2048);
    const struct engine_command inspect = {.place = &nowhere,
                                           .argv = argv,
                                           .input = -1,
                                           .timeout_ms = INSPECT_MS,
                                           .cancel_fd = -1,
                                           .line = take_word,
                                           .ctx = &host};
    if (engine_command_run(&inspect, &status, err) < 0)
        return err_wrap(err, "Docker context '%.100s'", name);
    engine_show(host.n ? host.p : "", shown, sizeof shown);
    if (status != 0)
        return err_set(err, ERR_USAGE, "Docker context '%.100s': %s", name, shown);
    if (strstr(shown, " unverified"))
        return err_set(err, ERR_UNSUPPORTED,
                       "Docker context '%.100s' skips the check of certificates, and glovebox "
                       "never does: give the context a ca.pem",
                       name);
    AUTO_FREE char *source = xasprintf("Docker context '%.100s':", name);
    return read_address(shown, source, ret, err);
}

/* ---- the choice ---- */

static int find(struct engine_place *ret, struct err *err)
{
    if (str_variable("DOCKER_HOST"))
        return read_address(getenv("DOCKER_HOST"), "DOCKER_HOST", ret, err);
    AUTO_FREE char *context =
        str_variable("DOCKER_CONTEXT") ? xstrdup(getenv("DOCKER_CONTEXT")) : current_context();
    if (context && strcmp(context, "default") != 0)
        return read_context(context, ret, err);
    ret->podmans = str_variable("CONTAINER_HOST") || str_variable("CONTAINER_CONNECTION");
    if (str_variable("CONTAINER_HOST"))
        return read_address(getenv("CONTAINER_HOST"), "CONTAINER_HOST", ret, err);
    if (ret->podmans) {
        ret->name = xstrdup(getenv("CONTAINER_CONNECTION"));
        return 0;
    }
    ret->path = find_socket();
    ret->name = xstrdup(ret->path);
    return 0;
}

int engine_place_find(struct engine_place *ret, struct err *err)
{
    *ret = (struct engine_place){0};
    return find(ret, err);
}

void engine_place_done(struct engine_place *p)
{
    free(p->name);
    free(p->path);
    *p = (struct engine_place){0};
}
