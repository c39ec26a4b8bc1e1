/* SPDX-License-Identifier: Apache-2.0 */
#include "console/save_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

static int write_text(int fd, struct str text)
{
    if (fd_write_all(fd, text.p, text.n) < 0)
        return -1;
    return str_ends(text, "\n") ? 0 : fd_write_all(fd, "\n", 1);
}

static int write_there(const char *path, struct str text, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

    return fd < 0 || write_text(fd, text) < 0 ? err_sys(err, "write %s", path) : 0;
}

/* The name of a new file beside the old one, so that it can be renamed. A killed process leaves at
 * most one such file. */
static char *new_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;

    return xasprintf("%.*s.%s.glovebox-new", folder, path, path + folder);
}

static int write_new(const char *name, const struct stat *old, struct str text)
{
    AUTO_CLOSE int fd = -1;

    if (unlink(name) < 0 && errno != ENOENT)
        return -1;
    fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return -1;
    if (old && old->st_uid != geteuid())
        (void)!fchown(fd, old->st_uid, old->st_gid);
    if (old && fchmod(fd, old->st_mode & 07777) < 0)
        return -1;
    return write_text(fd, text) < 0 || fsync(fd) < 0 ? -1 : 0;
}

/* The new file is made beside the old one, so its folder must be writable. */
static int try_folder(const char *target)
{
    const char *slash = strrchr(target, '/');
    AUTO_FREE char *folder = xstrndup(target, slash ? (size_t)(slash + 1 - target) : 0);

    return access(slash ? folder : ".", W_OK | X_OK);
}

int save_file_check(const char *path, struct err *err)
{
    AUTO_FREE char *real = realpath(path, NULL);
    const char *target = real ? real : path;
    struct stat old;
    bool exists = stat(target, &old) == 0;

    if (!*path)
        return err_set(err, ERR_USAGE, "the file's name is empty");
    errno = EISDIR;
    if (exists && S_ISDIR(old.st_mode))
        return err_sys(err, "write %s", path);
    int status = exists && !S_ISREG(old.st_mode) ? access(target, W_OK) : try_folder(target);
    return status < 0 ? err_sys(err, "write %s", path) : 0;
}

int save_file(const char *path, struct str text, struct err *err)
{
    AUTO_FREE char *real = realpath(path, NULL);
    const char *target = real ? real : path;
    struct stat old;
    bool exists = stat(target, &old) == 0;

    if (exists && !S_ISREG(old.st_mode))
        return write_there(target, text, err);
    AUTO_FREE char *name = new_name(target);
    if (write_new(name, exists ? &old : NULL, text) == 0 && rename(name, target) == 0)
        return 0;
    (void)err_sys(err, "write %s", path);
    (void)unlink(name);
    return -1;
}
