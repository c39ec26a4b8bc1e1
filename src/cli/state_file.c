/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
