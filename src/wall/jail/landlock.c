/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

/* The same numbers on every architecture. */
enum { NR_CREATE_RULESET = 444, NR_ADD_RULE = 445, NR_RESTRICT_SELF = 446 };
enum { CREATE_VERSION = 1, RULE_PATH_BENEATH = 1 };

struct ruleset_attr {
    uint64_t fs;
    uint64_t net;
    uint64_t scoped;
};

struct path_attr {
    uint64_t allowed;
    int32_t fd;
} __attribute__((packed));

enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_CHAR = 1 << 6,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_MAKE_SOCK = 1 << 9,
    FS_MAKE_FIFO = 1 << 10,
    FS_MAKE_BLOCK = 1 << 11,
    FS_MAKE_SYM = 1 << 12,
    FS_REFER = 1 << 13,        /* ABI 2 */
    FS_TRUNCATE = 1 << 14,     /* ABI 3 */
    FS_IOCTL_DEV = 1 << 15,    /* ABI 5 */
    FS_RESOLVE_UNIX = 1 << 16, /* ABI 9: to a socket with a path that was made outside */
    /* The rights that a rule may name for a path that is not a folder. */
    FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
};
enum { NET_BIND_TCP = 1, NET_CONNECT_TCP = 2 };     /* ABI 4 */
enum { SCOPE_ABSTRACT_UNIX = 1, SCOPE_SIGNAL = 2 }; /* ABI 6 */

int landlock_abi(void)
{
    static int abi = -1;

    if (abi < 0) {
        long v = syscall(NR_CREATE_RULESET, NULL, 0, CREATE_VERSION);
        abi = v > 0 ? (int)v : 0;
    }
    return abi;
}

static uint64_t known_fs(void)
{
    int abi = landlock_abi();
    uint64_t fs = (FS_MAKE_SYM << 1) - 1;

    if (abi >= 2)
        fs |= FS_REFER;
    if (abi >= 3)
        fs |= FS_TRUNCATE;
    if (abi >= 5)
        fs |= FS_IOCTL_DEV;
    if (abi >= 9)
        fs |= FS_RESOLVE_UNIX;
    return fs;
}

int landlock_create(bool net, struct err *err)
{
    int abi = landlock_abi();
    struct ruleset_attr attr = {
        .fs = known_fs(),
        .net = abi >= 4 && !net ? NET_BIND_TCP | NET_CONNECT_TCP : 0,
        .scoped = abi >= 6 ? SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL : 0,
    };
    /* An older kernel refuses a longer struct than its own unless the additional bytes are 0. */
    size_t size = abi >= 6 ? sizeof attr : abi >= 4 ? 16 : 8;
    long fd = syscall(NR_CREATE_RULESET, &attr, size, 0);

    if (fd < 0)
        return err_sys(err, "create a Landlock ruleset");
    return (int)fd;
}

static uint64_t rights(enum landlock_grant grant)
{
    switch (grant) {
    case LANDLOCK_LIST:
        return FS_READ_DIR;
    case LANDLOCK_READ:
        return FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;
    case LANDLOCK_WRITE:
        return ~(uint64_t)(FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV | FS_RESOLVE_UNIX);
    case LANDLOCK_DEVICE:
        return FS_READ_FILE | FS_WRITE_FILE | FS_IOCTL_DEV;
    }
    return 0;
}

int landlock_allow(int ruleset, const char *path, enum landlock_grant grant, struct err *err)
{
    struct stat st;
    AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES
                   ? 0
                   : err_sys(err, "make the Landlock rule for %s", path);
    if (fstat(fd, &st) < 0)
        return err_sys(err, "make the Landlock rule for %s", path);

    struct path_attr attr = {.allowed = rights(grant) & known_fs(), .fd = fd};
    if (!S_ISDIR(st.st_mode))
        attr.allowed &= FS_OF_FILES;
    if (syscall(NR_ADD_RULE, ruleset, RULE_PATH_BENEATH, &attr, 0) < 0)
        return err_sys(err, "make the Landlock rule for %s", path);
    return 0;
}

int landlock_enforce(int ruleset, struct err *err)
{
    if (syscall(NR_RESTRICT_SELF, ruleset, 0) < 0)
        return err_sys(err, "enforce Landlock");
    return 0;
}
