/* SPDX-License-Identifier: Apache-2.0 */
#include "console/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

char *state_file_path(const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state && state[0] == '/')
        return xasprintf("%s/glovebox/%s", state, name);
    if (home && home[0] == '/')
        return xasprintf("%s/.local/state/glovebox/%s", home, name);
    return NULL;
}

static void make_parents(char *path)
{
    for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        (void)!mkdir(path, 0700);
        *p = '/';
    }
}

int state_file_open(const char *name, int flags)
{
    AUTO_FREE char *path = state_file_path(name);

    if (!path)
        return -1;
    int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
    if (fd < 0 && errno == ENOENT && flags & O_CREAT) {
        make_parents(path);
        fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
    }
    return fd;
}

/* Others may have made the file: a link is not followed, and a pipe does not block. */
int state_file_open_temporary(const char *name, int flags)
{
    const char *folder = getenv("TMPDIR");
    AUTO_FREE char *path =
        xasprintf("%s/glovebox-%u-%s", folder && folder[0] == '/' ? folder : "/tmp",
                  (unsigned)geteuid(), name);
    int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid()))
        fd_close(&fd);
    return fd;
}
