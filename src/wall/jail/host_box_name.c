/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/host_box.h"

static bool others_may(const char *path, mode_t rights)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & rights) == rights;
}

/* True if "others" may write to the folder: if we are root, the guest gets its own uid, and so has
 * only these rights. */
static bool others_may_write(const char *path)
{
    AUTO_FREE char *above = xstrdup(path);

    if (!others_may(path, S_IWOTH | S_IXOTH))
        return false;
    for (char *slash; (slash = strrchr(above, '/')) && slash != above;) {
        *slash = '\0';
        if (!others_may(above, S_IXOTH))
            return false;
    }
    return true;
}

static bool is_fit(const char *path)
{
    return path && path[0] == '/' && access(path, W_OK | X_OK) == 0 &&
           (geteuid() != 0 || others_may_write(path));
}

static const char *host_box_name_choose(void)
{
    const char *named = getenv("TMPDIR");
    const char *const places[] = {named, "/tmp", "/var/tmp", "/dev/shm"};

    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (is_fit(places[i]))
            return places[i];
    return named && named[0] == '/' ? named : "/tmp";
}

char *host_box_name(void)
{
    unsigned long long random = 0;
    AUTO_CLOSE int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

    if (fd < 0 || read(fd, &random, sizeof random) != (ssize_t)sizeof random)
        random = (unsigned long long)clock_mono_ns();
    return xasprintf("%s/glovebox-%d-%016llx", host_box_name_choose(), (int)getpid(), random);
}
