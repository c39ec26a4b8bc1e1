/* SPDX-License-Identifier: Apache-2.0 */
#include "net/notify.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"

enum { FIRST_FD = 3, FDS_MAX = 64 };

static bool number_of(const char *name, int64_t *ret)
{
    const char *value = getenv(name);

    return value && num_int64(str_from(value), ret);
}

int notify_listen_fds(void)
{
    int64_t pid, count;

    if (!number_of("LISTEN_PID", &pid) || pid != getpid() || !number_of("LISTEN_FDS", &count) ||
        count < 1 || count > FDS_MAX)
        return 0;
    for (int fd = FIRST_FD; fd < FIRST_FD + (int)count; fd++)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    return (int)count;
}

void notify_send(const char *text)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = path ? strlen(path) : 0;

    if (n < 2 || n >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(to.sun_path, path, n);
    if (to.sun_path[0] == '@') /* a name in the abstract namespace */
        to.sun_path[0] = '\0';
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        (void)sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
                     (const struct sockaddr *)&to,
                     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
}
