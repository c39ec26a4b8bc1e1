/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock is on the document itself, so that no lock file is needed; but saving puts another file
 * in its place. A process that waited for the lock of a replaced file opens the name again.
 */
#include "text/context.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

#define LOCK_WAIT_MS 30000

static int lock(int fd, const char *path, int cancel_fd, struct err *err)
{
    int64_t until = clock_mono_ms() + LOCK_WAIT_MS;
    struct pollfd cancel = {.fd = cancel_fd, .events = POLLIN};

    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return err_sys(err, "lock %s", path);
        if (clock_mono_ms() > until)
            return err_set(err, ERR_TIMEOUT, "%s: another process has had it locked for %d seconds",
                           path, LOCK_WAIT_MS / 1000);
        if (poll(&cancel, 1, 3) > 0)
            return err_set(err, ERR_TIMEOUT, "%s: stopped while another process had it locked",
                           path);
    }
    return 0;
}

static int open_regular(const char *path, int flags, struct context_file *f, struct stat *st,
                        struct err *err)
{
    f->fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (f->fd < 0 || fstat(f->fd, st) < 0) {
        err_sys(err, "open %s", path);
        err->kind = ERR_USAGE;
        return -1;
    }
    if (!S_ISREG(st->st_mode))
        return err_set(err, ERR_USAGE, "%s: is not a file", path);
    return 0;
}

/* True if the path still names the locked file. */
static bool is_still_there(const struct context_file *f, const struct stat *st)
{
    struct stat now;

    return f->path && stat(f->path, &now) == 0 && now.st_dev == st->st_dev &&
           now.st_ino == st->st_ino;
}

static int open_locked(const char *path, int cancel_fd, struct context_file *f, struct err *err)
{
    struct stat st;

    for (;;) {
        if (open_regular(path, O_RDWR | O_CREAT, f, &st, err) < 0 ||
            lock(f->fd, path, cancel_fd, err) < 0)
            return -1;
        f->path = realpath(path, NULL);
        if (is_still_there(f, &st))
            break;
        free(f->path);
        f->path = NULL;
        fd_close(&f->fd);
    }
    f->mode = st.st_mode & 0777;
    return 0;
}

static int context_file_read_document(struct context_file *f, struct err *err)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, CONTEXT_MAX_BYTES);
    if (fd_read_all(f->fd, &b) < 0) {
        if (errno != EFBIG)
            return err_sys(err, "read %s", f->path);
        return err_set(err, ERR_LIMIT, "%s: is larger than %d MiB", f->path,
                       CONTEXT_MAX_BYTES >> 20);
    }
    return context_read(buf_str(&b), &f->context, err) < 0 ? err_wrap(err, "%s", f->path) : 0;
}

int context_file_open(const char *path, int cancel_fd, struct context_file *ret, struct err *err)
{
    *ret = (struct context_file){.fd = -1};
    if (open_locked(path, cancel_fd, ret, err) == 0 && context_file_read_document(ret, err) == 0)
        return 0;
    context_file_close(ret);
    return -1;
}

void context_file_close(struct context_file *f)
{
    context_done(&f->context);
    fd_close(&f->fd);
    free(f->path);
    f->path = NULL;
}

int context_file_read(const char *path, struct context *ret, struct err *err)
{
    struct context_file f = {.fd = -1};
    struct stat st;
    int status = open_regular(path, O_RDONLY, &f, &st, err);

    f.path = xstrdup(path);
    if (status == 0)
        status = context_file_read_document(&f, err);
    *ret = f.context;
    f.context.document = NULL;
    context_file_close(&f);
    return status;
}

/* ---- saving ---- */

/* All processes use the same name, so that killed ones leave at most one file behind. */
static char *temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return xasprintf("%.*s/.%s.glovebox-new", (int)(slash - path), path, slash + 1);
}

static int write_new(const struct context_file *f, const char *name, struct str text,
                     struct err *err)
{
    AUTO_CLOSE int fd = -1;
    struct stat st;

    if (unlink(name) < 0 && errno != ENOENT)
        return err_sys(err, "remove %s", name);
    fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_sys(err, "create %s", name);
    if (fstat(f->fd, &st) == 0 && st.st_uid != geteuid())
        (void)!fchown(fd, st.st_uid, st.st_gid);
    if (fd_write_all(fd, text.p, text.n) < 0 || fchmod(fd, f->mode) < 0 || fsync(fd) < 0)
        return err_sys(err, "write %s", name);
    return 0;
}

static void sync_folder(const char *path)
{
    AUTO_FREE char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path) + 1);
    AUTO_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        (void)fsync(fd);
}

int context_file_save(struct context_file *f, struct err *err)
{
    AUTO_FREE char *name = temporary_name(f->path);
    AUTO_BUF struct buf b = {0};

    buf_init(&b, CONTEXT_MAX_BYTES);
    if (context_write(&f->context, &b, err) < 0)
        return err_wrap(err, "%s", f->path);
    if (write_new(f, name, buf_str(&b), err) < 0) {
        (void)unlink(name);
        return -1;
    }
    if (rename(name, f->path) < 0) {
        err_sys(err, "replace %s", f->path);
        (void)unlink(name);
        return -1;
    }
    sync_folder(f->path);
    return 0;
}
