/* SPDX-License-Identifier: Apache-2.0 */
#include "docker/engine_login.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "docker/engine_place.h"
#include "net/child.h"

enum { CONFIG_MAX = 1 << 20, HELPER_MS = 10000, SECRET_MAX = 64 << 10 };

#define HUB "https://index.docker.io/v1/" /* the name of Docker's own registry in logins */

/* ---- names ---- */

/* "registry.example:5000/team/x" is there; "team/x" and "x" are in Docker's own registry. */
static char *registry_of(const char *image)
{
    const char *slash = strchr(image, '/');
    size_t n = slash ? (size_t)(slash - image) : 0;
    struct str first = {image, n};
    bool host = n && (memchr(image, '.', n) || memchr(image, ':', n) || str_is(first, "localhost"));

    if (!host || str_is(first, "docker.io") || str_is(first, "index.docker.io"))
        return xstrdup(HUB);
    return xstrndup(image, n);
}

/* "https://registry.example/v2/" as "registry.example". */
static struct str host_of(const char *key)
{
    const char *scheme = strstr(key, "://"), *host = scheme ? scheme + 3 : key;

    return (struct str){host, strcspn(host, "/")};
}

/* The row of the object whose name is of this registry; NULL for none. */
static json_t *row_of(json_t *object, const char *registry)
{
    const char *key;
    json_t *row;

    json_object_foreach(object, key, row)
    {
        if (str_eq(host_of(key), host_of(registry)))
            return row;
    }
    return NULL;
}

/* ---- what an engine reads ---- */

static char *encoded(json_t *login)
{
    AUTO_BUF struct buf b = {0};
    char *text = json_dumps(login, JSON_COMPACT);

    buf_init(&b, 2 * SECRET_MAX);
    int result = text ? base64_add(&b, str_from(text)) : -1;
    engine_wipe(text);
    json_decref(login);
    for (size_t i = 0; i < b.n; i++) /* the alphabet for addresses */
        b.p[i] = b.p[i] == '+' ? '-' : b.p[i] == '/' ? '_' : b.p[i];
    return result < 0 || b.overflow ? NULL : buf_take(&b);
}

static json_t *with_token(const char *token, const char *registry)
{
    return json_pack("{s:s, s:s}", "identitytoken", token, "serveraddress", registry);
}

static json_t *with_password(struct str user, const char *password, const char *registry)
{
    return json_pack("{s:s%, s:s, s:s}", "username", user.p, user.n, "password", password,
                     "serveraddress", registry);
}

/* ---- in the configuration: {"auth": base64 of "user:password"} or {"identitytoken"} ---- */

static json_t *login_of_row(const json_t *row, const char *registry)
{
    const char *token = json_string_value(json_object_get(row, "identitytoken"));
    const char *auth = json_string_value(json_object_get(row, "auth"));

    if (token && *token)
        return with_token(token, registry);
    if (!auth || !*auth || strlen(auth) > SECRET_MAX)
        return NULL;
    size_t room = strlen(auth) + 1;
    char *plain = xcalloc(room, 1);
    ssize_t n = base64_decode(str_from(auth), plain);
    const char *colon = n > 0 ? memchr(plain, ':', (size_t)n) : NULL;
    json_t *login =
        colon ? with_password((struct str){plain, (size_t)(colon - plain)}, colon + 1, registry)
              : NULL;
    explicit_bzero(plain, room);
    free(plain);
    return login;
}

/* ---- in a program: the registry goes in, {"Username", "Secret"} comes out ---- */

/* Until it closes its output. False when it takes too long. */
static bool read_answer(int fd, struct buf *ret)
{
    int64_t until = clock_mono_ms() + HELPER_MS, left;
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    while ((left = until - clock_mono_ms()) > 0 && poll(&wait, 1, (int)left) > 0) {
        char *room = buf_room(ret, 4096);
        ssize_t n = room ? read(fd, room, 4096) : -1;
        if (n <= 0)
            return n == 0;
        buf_grew(ret, (size_t)n);
    }
    return false;
}

static bool ask_program(const char *program, const char *registry, struct buf *ret)
{
    static const char *const variables[] = {"PATH",
                                            "HOME",
                                            "USER",
                                            "LOGNAME",
                                            "DISPLAY",
                                            "WAYLAND_DISPLAY",
                                            "XDG_RUNTIME_DIR",
                                            "DBUS_SESSION_BUS_ADDRESS",
                                            "GNUPGHOME",
                                            "PASSWORD_STORE_DIR",
                                            "AWS_PROFILE",
                                            "AWS_REGION",
                                            "AWS_ACCESS_KEY_ID",
                                            "AWS_SECRET_ACCESS_KEY",
                                            "AWS_SESSION_TOKEN",
                                            "GOOGLE_APPLICATION_CREDENTIALS",
                                            "CLOUDSDK_CONFIG",
                                            NULL};
    const char *const argv[] = {program, "get", NULL};
    const struct child_program child = {program, argv, variables, -1};
    AUTO_CLOSE int fd = -1;
    struct err ignored;
    pid_t pid;
    int status = -1;

    if (child_start(&child, &pid, &fd, &ignored) < 0)
        return false;
    bool good = send(fd, registry, strlen(registry), MSG_NOSIGNAL) > 0;
    (void)shutdown(fd, SHUT_WR);
    good = good && read_answer(fd, ret);
    if (!good)
        (void)kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return good && status == 0;
}

/* The name becomes a part of the program's name: no path. */
static bool is_plain(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-_.")];
}

static json_t *login_of_program(const char *name, const char *registry)
{
    AUTO_BUF struct buf answer = {0};
    AUTO_FREE char *program = xasprintf("docker-credential-%s", name);

    buf_init(&answer, SECRET_MAX);
    if (!is_plain(name) || !ask_program(program, registry, &answer))
        return NULL;
    json_t *json = json_loadb(answer.p, answer.n, 0, NULL);
    explicit_bzero(answer.p, answer.n);
    const char *user = json_string_value(json_object_get(json, "Username"));
    const char *secret = json_string_value(json_object_get(json, "Secret"));
    json_t *login = !user || !secret ? NULL
                    : strcmp(user, "<token>") == 0
                        ? with_token(secret, registry)
                        : with_password(str_from(user), secret, registry);
    json_decref(json);
    return login;
}

/* ---- the choice ---- */

static json_t *read_config(void)
{
    AUTO_FREE char *folder = engine_config_folder();
    AUTO_FREE char *path = folder ? xasprintf("%s/config.json", folder) : NULL;
    AUTO_BUF struct buf text = {0};
    struct err ignored;

    buf_init(&text, CONFIG_MAX);
    if (!path || fd_read_file(path, &text, &ignored) < 0 || !text.n)
        return NULL;
    json_t *config = json_loadb(text.p, text.n, 0, NULL);
    explicit_bzero(text.p, text.n);
    return config;
}

static json_t *login_at(json_t *config, const char *registry)
{
    const char *program =
        json_string_value(row_of(json_object_get(config, "credHelpers"), registry));

    if (!program)
        program = json_string_value(json_object_get(config, "credsStore"));
    json_t *login = program ? login_of_program(program, registry) : NULL;
    if (login)
        return login;
    return login_of_row(row_of(json_object_get(config, "auths"), registry), registry);
}

char *engine_login(const char *image)
{
    json_t *config = read_config();
    AUTO_FREE char *registry = registry_of(image);
    json_t *login = login_at(config, registry);

    json_decref(config);
    return login ? encoded(login) : NULL;
}

char *engine_logins(char *const *images, size_t n)
{
    json_t *config = read_config(), *logins = json_object(), *login;

    for (size_t i = 0; i < n; i++) {
        AUTO_FREE char *registry = registry_of(images[i]);
        if (!json_object_get(logins, registry) && (login = login_at(config, registry)))
            json_object_set_new(logins, registry, login);
    }
    json_decref(config);
    if (json_object_size(logins))
        return encoded(logins);
    json_decref(logins);
    return NULL;
}

void engine_wipe(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}
