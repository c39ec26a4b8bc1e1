/* SPDX-License-Identifier: Apache-2.0 */
#include "inside/change.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

enum { NR_PIDFD_OPEN = 434, NR_PIDFD_GETFD = 438, NR_FCHMODAT2 = 452 };
enum { EMPTY_PATH = 0x1000, GUEST_PAGE = 4096, NONE = -1 };

/* The index of each argument of a call; NONE if the call has no such argument. */
struct call {
    int number;
    enum { CHANGE_MODE, CHANGE_OWNER, CHANGE_TIMES } what;
    int value; /* of the new mode, owner or times: their first argument */
    int dir, path, flags;
    bool nofollow;
};

static const struct call calls[] = {
#ifdef SYS_chmod
    {SYS_chmod, CHANGE_MODE, 1, NONE, 0, NONE, false},
    {SYS_chown, CHANGE_OWNER, 1, NONE, 0, NONE, false},
    {SYS_lchown, CHANGE_OWNER, 1, NONE, 0, NONE, true},
#endif
    {SYS_fchmod, CHANGE_MODE, 1, 0, NONE, NONE, false},
    {SYS_fchmodat, CHANGE_MODE, 2, 0, 1, NONE, false},
    {NR_FCHMODAT2, CHANGE_MODE, 2, 0, 1, 3, false},
    {SYS_fchown, CHANGE_OWNER, 1, 0, NONE, NONE, false},
    {SYS_fchownat, CHANGE_OWNER, 2, 0, 1, 4, false},
    {SYS_utimensat, CHANGE_TIMES, 2, 0, 1, 3, false},
};

static const struct call *find_call(int number)
{
    for (size_t i = 0; i < ARRAY_LEN(calls); i++)
        if (calls[i].number == number)
            return &calls[i];
    return NULL;
}

void changes_init(struct changes *ret, int listener, int box)
{
    char link[32];

    ret->listener = listener;
    snprintf(link, sizeof link, "/proc/self/fd/%d", box);
    ssize_t n = readlinkat(AT_FDCWD, link, ret->box, sizeof ret->box - 1);
    ret->box[n > 0 ? n : 0] = '\0';
}

/* ---- the calling process, which waits ---- */

struct caller {
    pid_t thread;
    int pidfd;
};

#define NUMBERS_MAX 65536

static bool is_of(pid_t process, pid_t thread)
{
    return syscall(SYS_tgkill, process, thread, 0) == 0;
}

/* The thread's process according to /proc; 0 if /proc does not have it. /proc may belong to another
 * namespace, so the number may be wrong. */
static pid_t told_process(pid_t thread)
{
    char path[64], status[1024];
    int64_t number = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    if (fd_read_file_at(AT_FDCWD, path, status, sizeof status) <= 0)
        return 0;
    const char *at = strstr(status, "\nTgid:\t");
    struct str line, rest = str_from(at ? at + strlen("\nTgid:\t") : "");
    return str_next_line(&rest, &line) && num_int64(line, &number) ? (pid_t)number : 0;
}

/* A pidfd refers to a whole process, and a call may come from any of its threads; mostly from the
 * first. If /proc does not have our numbers, we try the NUMBERS_MAX numbers below the thread's, and
 * no more: other callers wait meanwhile. */
static pid_t find_process(pid_t thread)
{
    if (is_of(thread, thread))
        return thread;
    pid_t told = told_process(thread);
    if (told > 1 && is_of(told, thread))
        return told;
    for (pid_t process = thread - 1; process > 1 && thread - process < NUMBERS_MAX; process--)
        if (is_of(process, thread))
            return process;
    return 0;
}

static int open_descriptor(const struct caller *c, int number)
{
    return (int)syscall(NR_PIDFD_GETFD, c->pidfd, number, 0);
}

/* /proc may belong to an outer namespace. The pidfd's fdinfo has the process's number in it. */
static int open_cwd(const struct caller *c)
{
    char path[64], info[512];
    int64_t number = 0;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", c->pidfd);
    if (fd_read_file_at(AT_FDCWD, path, info, sizeof info) < 0)
        return -1;
    const char *at = strstr(info, "Pid:\t");
    struct str line, rest = str_from(at ? at + strlen("Pid:\t") : "");
    errno = EACCES;
    if (!str_next_line(&rest, &line) || !num_int64(str_trim(line), &number) || number < 1)
        return -1;
    snprintf(path, sizeof path, "/proc/%lld/cwd", (long long)number);
    return openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_start(const struct caller *c, int dir)
{
    return dir == AT_FDCWD ? open_cwd(c) : open_descriptor(c, dir);
}

static ssize_t read_memory(const struct caller *c, uint64_t address, void *to, size_t n)
{
    struct iovec local = {to, n}, remote = {(void *)(uintptr_t)address, n}; /* NOLINT */

    return process_vm_readv(c->thread, &local, 1, &remote, 1, 0);
}

/* 0 or an errno. */
static int read_path(const struct caller *c, uint64_t address, char ret[PATH_MAX])
{
    size_t n = 0;

    while (n < PATH_MAX) {
        size_t part = GUEST_PAGE - (address + n) % GUEST_PAGE;
        if (part > PATH_MAX - n)
            part = PATH_MAX - n;
        if (read_memory(c, address + n, ret + n, part) != (ssize_t)part)
            return errno == EPERM ? EPERM : EFAULT;
        if (memchr(ret + n, '\0', part))
            return 0;
        n += part;
    }
    return ENAMETOOLONG;
}

/* ---- the file ---- */

/* True if the path names one of the guest's own descriptors. C libraries use such paths to avoid
 * following a link. */
static bool is_descriptor(const char *path, int *ret_number)
{
    static const char *const folders[] = {"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"};
    int64_t number;

    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        size_t n = strlen(folders[i]);
        if (strncmp(path, folders[i], n) != 0 || !num_int64(str_from(path + n), &number))
            continue;
        *ret_number = number >= 0 && number <= INT32_MAX ? (int)number : -1;
        return true;
    }
    return false;
}

static int open_named(const struct caller *c, int dir, const char *path, bool follow)
{
    int flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW), number;

    if (follow && is_descriptor(path, &number))
        return open_descriptor(c, number);
    if (*path == '/')
        return openat(AT_FDCWD, path, flags);
    AUTO_CLOSE int start = open_start(c, dir);
    return start < 0 ? -1 : openat(start, path, flags);
}

/* Returns a descriptor, or -1 with errno. */
static int change_open_file(const struct caller *c, const struct call *call, const uint64_t *args)
{
    int flags = call->flags == NONE ? 0 : (int)args[call->flags];
    int dir = call->dir == NONE ? AT_FDCWD : (int)args[call->dir];
    char path[PATH_MAX] = "";

    errno = EINVAL;
    if (flags & ~(AT_SYMLINK_NOFOLLOW | EMPTY_PATH))
        return -1;
    if (call->path == NONE || (call->what == CHANGE_TIMES && !args[call->path]))
        return open_descriptor(c, dir);
    errno = read_path(c, args[call->path], path);
    if (errno)
        return -1;
    if (!*path && flags & EMPTY_PATH)
        return open_start(c, dir);
    errno = ENOENT;
    return *path ? open_named(c, dir, path, !call->nofollow && !(flags & AT_SYMLINK_NOFOLLOW)) : -1;
}

/* True if the file is in one of the folders that Landlock lets the guest write to. */
static bool is_own(const struct changes *c, int file)
{
    static const char *const places[] = {"/work", "/tmp", "/shm"};
    char link[32], path[PATH_MAX];
    size_t n = strlen(c->box);

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlinkat(AT_FDCWD, link, path, sizeof path - 1);
    if (!n || length < (ssize_t)n)
        return false;
    path[length] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(places) && strncmp(path, c->box, n) == 0; i++) {
        const char *rest = path + n + strlen(places[i]);
        if (strncmp(path + n, places[i], strlen(places[i])) == 0 && (*rest == '/' || !*rest))
            return true;
    }
    return false;
}

/* ---- the change ---- */

static int set_mode(int file, mode_t mode)
{
    char link[32];

    snprintf(link, sizeof link, "/proc/self/fd/%d", file); /* the descriptor may be O_PATH */
    return (int)syscall(SYS_fchmodat, AT_FDCWD, link, mode);
}

static int set_times(int file, const struct caller *c, uint64_t address)
{
    struct timespec times[2];

    if (address && read_memory(c, address, times, sizeof times) != sizeof times) {
        errno = EFAULT;
        return -1;
    }
    return (int)syscall(SYS_utimensat, file, "", address ? times : NULL, EMPTY_PATH);
}

static int change(int file, const struct call *call, const struct caller *c, const uint64_t *args)
{
    const uint64_t *value = &args[call->value];

    switch (call->what) {
    case CHANGE_MODE:
        return set_mode(file, (mode_t)value[0]);
    case CHANGE_OWNER:
        return fchownat(file, "", (uid_t)value[0], (gid_t)value[1], EMPTY_PATH);
    case CHANGE_TIMES:
        break;
    }
    return set_times(file, c, value[0]);
}

/* True if the caller still waits. Otherwise another process may have its number by now, and the
 * memory that we read may be of that process. */
static bool waits(const struct changes *c, const struct seccomp_notif *request)
{
    uint64_t id = request->id;

    return ioctl(c->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

bool changes_make(const struct changes *c, const struct seccomp_notif *request, int *ret_error)
{
    const uint64_t *args = (const uint64_t *)request->data.args;
    const struct call *call = find_call(request->data.nr);
    pid_t process = find_process((pid_t)request->pid);

    if (!call || !process || (call->what == CHANGE_MODE && args[call->value] & (S_ISUID | S_ISGID)))
        return false;
    AUTO_CLOSE int pidfd = (int)syscall(NR_PIDFD_OPEN, process, 0);
    if (pidfd < 0)
        return false;
    struct caller caller = {(pid_t)request->pid, pidfd};
    AUTO_CLOSE int file = change_open_file(&caller, call, args);
    *ret_error = file < 0 ? errno : 0;
    if (file < 0)
        return *ret_error != EPERM;
    if (!is_own(c, file) || !waits(c, request))
        return false;
    *ret_error = change(file, call, &caller, args) < 0 ? errno : 0;
    return true;
}
