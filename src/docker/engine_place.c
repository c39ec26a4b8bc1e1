/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the container engine is, and a connection to it.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "docker/engine_parts.h"

enum { CONNECT_MS = 5000 };

#define DEFAULT_SOCKET "/var/run/docker.sock"

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

static bool wants_tls(void)
{
    const char *verify = getenv("DOCKER_TLS_VERIFY");

    return verify && *verify;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

char *engine_place(struct err *err)
{
    const char *named = getenv("DOCKER_HOST");

    if (!named || !*named)
        return find_socket();
    if (begins(named, "unix://") && named[7] == '/')
        return xstrdup(named + 7);
    if (begins(named, "tcp://") && !wants_tls())
        return xstrdup(named);
    if (begins(named, "tcp://") || begins(named, "https://"))
        err_set(err, ERR_UNSUPPORTED,
                "DOCKER_HOST '%.200s' with TLS is not supported; give unix:///PATH, or forward the "
                "socket: ssh -L /tmp/engine.sock:" DEFAULT_SOCKET " HOST",
                named);
    else if (begins(named, "ssh://"))
        err_set(err, ERR_UNSUPPORTED,
                "DOCKER_HOST '%.200s' is not supported; forward the socket: "
                "ssh -L /tmp/engine.sock:" DEFAULT_SOCKET
                " HOST, then DOCKER_HOST=unix:///tmp/engine.sock",
                named);
    else
        err_set(err, ERR_USAGE, "DOCKER_HOST '%.200s': write unix:///PATH or tcp://HOST:PORT",
                named);
    return NULL;
}

/* ---- connecting ---- */

static int say_unreachable(const char *place, struct err *err)
{
    int why = errno;

    if (why == EACCES || why == EPERM)
        return err_set(err, ERR_UNSUPPORTED,
                       "no permission for the socket %s of the container engine: join its group "
                       "(sudo usermod -aG docker $USER, then log in again), or use a rootless "
                       "engine and name its socket in DOCKER_HOST",
                       place);
    if (why == ENOENT || why == ECONNREFUSED)
        return err_set(err, ERR_UNSUPPORTED,
                       "no container engine runs at %s: start it (sudo systemctl start docker), "
                       "or name another one in DOCKER_HOST",
                       place);
    errno = why;
    return err_sys(err, "the container engine at %s", place);
}

static int connect_unix(const char *path, struct err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof at.sun_path)
        return err_set(err, ERR_USAGE, "DOCKER_HOST: a socket's path has at most %zu characters",
                       sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path));
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&at, sizeof at) < 0)
        return say_unreachable(path, err);
    if (fd_nonblock(fd, true) < 0)
        return err_sys(err, "prepare a socket");
    return fd_take(&fd);
}

/* "tcp://[::1]:2375" as "::1" and "2375". */
static int split_address(const char *place, char *host, size_t n, const char **ret_port,
                         struct err *err)
{
    const char *at = place + strlen("tcp://"), *colon = strrchr(at, ':');
    bool bracketed = at[0] == '[' && colon && colon > at && colon[-1] == ']';
    size_t length = colon ? (size_t)(colon - at) - 2 * bracketed : 0;
    int64_t port;

    if (!length || length >= n || !num_int64(str_from(colon + 1), &port) || port < 1 ||
        port > 65535)
        return err_set(err, ERR_USAGE, "DOCKER_HOST '%.200s': write tcp://HOST:PORT", place);
    memcpy(host, at + bracketed, length);
    host[length] = '\0';
    *ret_port = colon + 1;
    return 0;
}

static bool connect_in_time(int fd, const struct addrinfo *a)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int failed = 0;
    socklen_t n = sizeof failed;

    if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
        return true;
    if (errno != EINPROGRESS)
        return false;
    if (poll(&wait, 1, CONNECT_MS) <= 0) {
        errno = ETIMEDOUT;
        return false;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &n) < 0)
        return false;
    errno = failed;
    return !failed;
}

static int connect_tcp(const char *place, struct err *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char host[256];
    const char *port = NULL;
    int on = 1;
    bool connected = false;
    AUTO_CLOSE int fd = -1;

    if (split_address(place, host, sizeof host, &port, err) < 0)
        return -1;
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed)
        return err_set(err, ERR_SYSTEM, "DOCKER_HOST %.200s: %s", place, gai_strerror(failed));
    for (const struct addrinfo *a = found; a && !connected; a = a->ai_next) {
        fd_close(&fd);
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
        connected = fd >= 0 && connect_in_time(fd, a);
    }
    freeaddrinfo(found);
    if (!connected)
        return say_unreachable(place, err);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd_take(&fd);
}

int engine_connect(const char *place, struct err *err)
{
    return place[0] == '/' ? connect_unix(place, err) : connect_tcp(place, err);
}
