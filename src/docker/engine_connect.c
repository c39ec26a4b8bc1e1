/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection to the container engine. Each kind ends within CONNECT_MS.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "docker/engine_parts.h"

enum { CONNECT_MS = 5000, STEP_NS = 10000000 };

int engine_unreachable(const struct engine_place *place, int why, struct err *err)
{
    if (why == EACCES || why == EPERM)
        return err_set(err, ERR_UNSUPPORTED,
                       "no permission for the socket %s of the container engine: join its group "
                       "(sudo usermod -aG docker $USER, then log in again), or use a rootless "
                       "engine and name its socket in DOCKER_HOST",
                       place->name);
    if (why == ENOENT || why == ECONNREFUSED)
        return err_set(err, ERR_UNSUPPORTED,
                       "no container engine runs at %s: start it (sudo systemctl start docker), "
                       "or name another one in DOCKER_HOST",
                       place->name);
    errno = why;
    return err_sys(err, "the container engine at %s", place->name);
}

/* ---- a socket of this host ---- */

/* An engine that does not run on has a full queue: EAGAIN. */
static bool join(int fd, const struct sockaddr_un *at, int64_t until)
{
    while (connect(fd, (const struct sockaddr *)at, sizeof *at) < 0) {
        if (errno != EAGAIN && errno != EINTR)
            return false;
        if (clock_mono_ms() >= until) {
            errno = ETIMEDOUT;
            return false;
        }
        (void)nanosleep(&(const struct timespec){.tv_nsec = STEP_NS}, NULL);
    }
    return true;
}

static int connect_unix(const struct engine_place *place, struct err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (strlen(place->path) >= sizeof at.sun_path)
        return err_set(err, ERR_USAGE, "%.200s: a socket's path has at most %zu characters",
                       place->path, sizeof at.sun_path - 1);
    memcpy(at.sun_path, place->path, strlen(place->path));
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || !join(fd, &at, clock_mono_ms() + CONNECT_MS))
        return engine_unreachable(place, errno, err);
    return fd_take(&fd);
}

/* ---- a port ---- */

static bool connect_in_time(int fd, const struct addrinfo *a, int64_t until)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int failed = 0;
    socklen_t n = sizeof failed;

    if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
        return true;
    if (errno != EINPROGRESS)
        return false;
    int64_t left = until - clock_mono_ms();
    if (poll(&wait, 1, left > 0 ? (int)left : 0) <= 0) {
        errno = ETIMEDOUT;
        return false;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &n) < 0)
        return false;
    errno = failed;
    return !failed;
}

/* All addresses of a name share the time, and each has at most half of what is left of it. */
static int connect_any(const struct addrinfo *found, int64_t until)
{
    AUTO_CLOSE int fd = -1;

    for (const struct addrinfo *a = found; a; a = a->ai_next) {
        int64_t now = clock_mono_ms();
        fd_close(&fd);
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
        if (fd >= 0 && connect_in_time(fd, a, a->ai_next ? now + (until - now) / 2 : until))
            return fd_take(&fd);
    }
    return -1;
}

static int connect_tcp(const struct engine_place *place, struct err *err)
{
    int64_t until = clock_mono_ms() + CONNECT_MS;
    struct addrinfo *found = NULL;
    int on = 1;

    if (engine_resolve(place, until, &found, err) < 0)
        return -1;
    int fd = connect_any(found, until);
    int why = errno;
    freeaddrinfo(found);
    if (fd < 0)
        return engine_unreachable(place, why, err);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

int engine_connect(struct engine *e, struct err *err)
{
    if (e->place.way == WAY_UNIX)
        return connect_unix(&e->place, err);
    return e->place.way == WAY_TCP ? connect_tcp(&e->place, err) : engine_tunnel_open(e, err);
}
