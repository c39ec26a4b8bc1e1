/* SPDX-License-Identifier: Apache-2.0 */
#include "net/place.h"

#include <arpa/inet.h>
#include <errno.h>
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
#include "net/listen.h"

enum { CONNECT_MS = 3000 };

static const char *chosen(const char *named)
{
    const char *place = named ? named : getenv("GLOVEBOX_SOCKET");

    return place && *place ? place : NULL;
}

char *place_name(const char *named)
{
    const char *place = chosen(named);

    return place ? xstrdup(place) : listen_default_path();
}

/* Other users may be able to replace the socket's file, so check the listening process instead. */
static int check_peer(int fd, const char *path, struct err *err)
{
    struct ucred peer;
    socklen_t n = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0)
        return err_sys(err, "connect to %s", path);
    if (peer.uid != 0 && peer.uid != geteuid())
        return err_set(err, ERR_POLICY, "%s: the daemon there belongs to another user (%u)", path,
                       (unsigned)peer.uid);
    return 0;
}

static int connect_unix(const char *path, struct err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    size_t n = strlen(path);

    if (!n || n >= sizeof at.sun_path)
        return err_set(err, ERR_USAGE, "'%.150s': a socket's path has 1 to %zu characters", path,
                       sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, n);
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&at, sizeof at) < 0)
        return err_sys(err, "connect to %s", path);
    if (check_peer(fd, path, err) < 0)
        return -1;
    return fd_take(&fd);
}

static bool read_address(const char *host, uint16_t port, struct sockaddr_storage *ret,
                         socklen_t *ret_n)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    bool local = strcmp(host, "localhost") == 0;

    if (inet_pton(AF_INET, local ? "127.0.0.1" : host, &v4.sin_addr) == 1) {
        memcpy(ret, &v4, sizeof v4);
        *ret_n = sizeof v4;
        return true;
    }
    bool valid = inet_pton(AF_INET6, host, &v6.sin6_addr) == 1;
    memcpy(ret, &v6, sizeof v6);
    *ret_n = sizeof v6;
    return valid;
}

/* "127.0.0.1:8080", "[::1]:8080". */
static int parse_tcp(const char *text, struct sockaddr_storage *ret, socklen_t *ret_n,
                     struct err *err)
{
    const char *colon = strrchr(text, ':');
    int64_t port;

    if (strstr(text, "://"))
        return err_set(err, ERR_USAGE,
                       "'%.100s' is not a daemon's address: write HOST:PORT without http://", text);
    if (!colon || !num_int64(str_from(colon + 1), &port) || port < 1 || port > 65535)
        return err_set(err, ERR_USAGE,
                       "'%.100s' is not a daemon's address: write unix:PATH, or HOST:PORT such as "
                       "127.0.0.1:8080",
                       text);
    size_t n = (size_t)(colon - text);
    bool brackets = n >= 2 && text[0] == '[' && text[n - 1] == ']';
    AUTO_FREE char *host = brackets ? xstrndup(text + 1, n - 2) : xstrndup(text, n);
    if (!read_address(host, (uint16_t)port, ret, ret_n))
        return err_set(err, ERR_USAGE, "'%.60s' is not an address (host names are not looked up)",
                       host);
    return 0;
}

static int wait_connected(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    int failed = ETIMEDOUT;
    socklen_t n = sizeof failed;

    if (poll(&p, 1, CONNECT_MS) > 0)
        (void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &n);
    errno = failed;
    return failed ? -1 : 0;
}

static int connect_tcp(const char *text, struct err *err)
{
    struct sockaddr_storage at;
    socklen_t n = 0;
    int one = 1;

    if (parse_tcp(text, &at, &n, err) < 0)
        return -1;
    AUTO_CLOSE int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_sys(err, "connect to %s", text);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (const struct sockaddr *)&at, n) < 0 &&
        (errno != EINPROGRESS || wait_connected(fd) < 0))
        return err_sys(err, "connect to %s", text);
    return fd_take(&fd);
}

int place_connect(const char *named, bool *ret_tcp, struct err *err)
{
    const char *place = chosen(named);
    AUTO_FREE char *path = place ? NULL : listen_default_path();

    if (!place)
        place = path;
    *ret_tcp = !(place[0] == '/' || str_starts(str_from(place), "unix:"));
    if (*ret_tcp)
        return connect_tcp(place, err);
    return connect_unix(place[0] == '/' ? place : place + 5, err);
}
