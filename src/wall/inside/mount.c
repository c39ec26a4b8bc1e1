/* SPDX-License-Identifier: Apache-2.0 */
#include "inside/mount.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

/* The same numbers on every architecture. glibc wraps the calls only since 2.36, and its header and
 * the kernel's cannot both be included. */
enum {
    NR_OPEN_TREE = 428,
    NR_MOVE_MOUNT = 429,
    NR_FSOPEN = 430,
    NR_FSCONFIG = 431,
    NR_FSMOUNT = 432,
    NR_MOUNT_SETATTR = 442,
};
enum {
    TREE_CLONE = 1,
    TREE_RECURSIVE = 0x8000,
    EMPTY_PATH = 0x1000,
    MOVE_FROM_EMPTY = 0x4,
    MOVE_TO_EMPTY = 0x40,
    FS_CLOEXEC = 1,
    CONFIG_FLAG_STRING = 1,
    CONFIG_CREATE = 6,
};

int mount_clone(const char *path, bool recursive)
{
    const unsigned flags = TREE_CLONE | O_CLOEXEC | (recursive ? TREE_RECURSIVE : 0);

    return (int)syscall(NR_OPEN_TREE, AT_FDCWD, path, flags);
}

int mount_set(int tree, bool recursive, uint64_t attr)
{
    const struct {
        uint64_t set, clear, propagation, userns_fd;
    } change = {.set = attr};
    const unsigned flags = EMPTY_PATH | (recursive ? TREE_RECURSIVE : 0);

    return (int)syscall(NR_MOUNT_SETATTR, tree, "", flags, &change, sizeof change);
}

int mount_attach(int tree, const char *where)
{
    return (int)syscall(NR_MOVE_MOUNT, tree, "", AT_FDCWD, where, MOVE_FROM_EMPTY);
}

int mount_attach_over(int tree, int over)
{
    return (int)syscall(NR_MOVE_MOUNT, tree, "", over, "", MOVE_FROM_EMPTY | MOVE_TO_EMPTY);
}

int mount_make(const char *type, const char *const *options, unsigned attr, struct err *err)
{
    AUTO_CLOSE int fs = (int)syscall(NR_FSOPEN, type, FS_CLOEXEC);

    if (fs < 0)
        return err_sys(err, "open a new %s", type);
    for (; options && *options; options += 2)
        if (syscall(NR_FSCONFIG, fs, CONFIG_FLAG_STRING, options[0], options[1], 0) < 0)
            return err_sys(err, "set %s=%s of a new %s", type, options[0], options[1]);
    if (syscall(NR_FSCONFIG, fs, CONFIG_CREATE, NULL, NULL, 0) < 0)
        return err_sys(err, "make a new %s", type);
    int tree = (int)syscall(NR_FSMOUNT, fs, FS_CLOEXEC, attr);
    return tree < 0 ? err_sys(err, "mount a new %s", type) : tree;
}
