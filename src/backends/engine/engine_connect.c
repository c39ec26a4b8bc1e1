/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection to the container engine: to a socket of this host, within CONNECT_MS, or through the
 * engine's command.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"
#include "engine/engine_parts.h"

enum { CONNECT_MS = 5000, STEP_NS = 10000000 };

static int unreachable(const struct engine_place *place, int why, struct err *err)
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
    return err_sys(err, "connect to the container engine at %s", place->name);
}

/* Connects; tries again until the time if the queue is full (EAGAIN), as that of a stopped engine
 * is. */
static bool engine_connect_join(int fd, const struct sockaddr_un *at, int64_t until)
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

int engine_connect(struct engine *e, struct err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const char *path = e->place.path;

    if (!path)
        return engine_dial(e, err);
    if (strlen(path) >= sizeof at.sun_path)
        return err_set(err, ERR_USAGE, "%.200s: a socket's path has at most %zu characters", path,
                       sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path));
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || !engine_connect_join(fd, &at, clock_mono_ms() + CONNECT_MS))
        return unreachable(&e->place, errno, err);
    return fd_take(&fd);
}
