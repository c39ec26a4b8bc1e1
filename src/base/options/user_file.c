/* SPDX-License-Identifier: Apache-2.0 */
#include "options/user_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

/* The XDG base directory specification: a relative path in the variable must be ignored. */
static char *user_path(const char *variable, const char *usual, const char *name)
{
    const char *folder = getenv(variable), *home = getenv("HOME");

    if (folder && folder[0] == '/')
        return xasprintf("%s/glovebox/%s", folder, name);
    if (home && home[0] == '/')
        return xasprintf("%s/%s/glovebox/%s", home, usual, name);
    return NULL;
}

char *user_file_config(const char *name)
{
    return user_path("XDG_CONFIG_HOME", ".config", name);
}

char *user_file_state(const char *name)
{
    return user_path("XDG_STATE_HOME", ".local/state", name);
}

char *user_file_cache(const char *name)
{
    return user_path("XDG_CACHE_HOME", ".cache", name);
}

static bool is_missing(const char *path)
{
    struct stat st;

    return stat(path, &st) < 0 && errno == ENOENT;
}

const char *user_file_missing_home(void)
{
    const char *home = getenv("HOME");

    return home && home[0] == '/' && is_missing(home) ? home : NULL;
}

char *user_file_missing_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    AUTO_FREE char *folder =
        slash > path ? xstrndup(path, (size_t)(slash - path)) : xstrdup(slash ? "/" : ".");

    return is_missing(folder) ? mem_take(&folder) : NULL;
}

/* A home, and what leads to it, is not ours to make. */
static bool may_make(const char *path)
{
    const char *home = getenv("HOME");
    size_t n = strlen(path);

    return !home || strncmp(home, path, n) != 0 || (home[n] != '/' && home[n] != '\0');
}

int user_file_make_folders(char *path)
{
    for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        if (!may_make(path) && is_missing(path))
            return -1;
        if (may_make(path) && mkdir(path, 0700) < 0 && errno != EEXIST)
            return -1;
        *p = '/';
    }
    return 0;
}

int user_file_open(const char *name, int flags)
{
    AUTO_FREE char *path = user_file_state(name);

    if (!path)
        return -1;
    int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
    if (fd < 0 && errno == ENOENT && flags & O_CREAT && user_file_make_folders(path) == 0)
        fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
    return fd;
}

/* Another user may have made the file: a link is not followed, and a pipe does not block. */
int user_file_open_temporary(const char *name, int flags)
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
