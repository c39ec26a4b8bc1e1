/* SPDX-License-Identifier: Apache-2.0 */
#include "compiled/compiled.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "compiled/compiled_tree.h"
#include "options/user_file.h"

enum { ABOUT_MAX = 1 << 20, WAIT_MS = 20 };

/* ---- the folder ---- */

char *compiled_folder(void)
{
    return user_file_cache("compiled");
}

static bool is_ours(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077);
}

/* Opens the folder; -1 if there is none, or if other users have rights in it. */
static int open_root(bool make, char **ret_path)
{
    char *path = *ret_path = compiled_folder(), *real;

    if (!path ||
        (make && (user_file_make_folders(path) < 0 || (mkdir(path, 0700) < 0 && errno != EEXIST))))
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && !is_ours(fd))
        fd_close(&fd);
    if (fd >= 0 && (real = realpath(path, NULL))) { /* a view must not be named by a link */
        free(path);
        *ret_path = real;
    }
    return fd;
}

/* ---- finding ---- */

/* The file: the size of the product, the milliseconds of the compilation, and the report. */
static bool read_about(int entry_fd, struct compiled *ret)
{
    AUTO_CLOSE int fd = openat(entry_fd, "about", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    AUTO_BUF struct buf text = {0};
    struct str rest, bytes, ms;
    int64_t size = 0;

    buf_init(&text, ABOUT_MAX);
    if (fd < 0 || fd_read_all(fd, &text) < 0)
        return false;
    rest = buf_str(&text);
    if (!str_next(&rest, '\n', &bytes) || !str_next(&rest, '\n', &ms) || !rest.p ||
        !num_int64(bytes, &size) || size <= 0 || !num_int64(ms, &ret->duration_ms))
        return false;
    ret->report = xstrndup(rest.p, rest.n);
    return true;
}

/* False for a product without content, as a power failure leaves it. */
static bool has_content(int entry_fd)
{
    struct stat st;

    return fstatat(entry_fd, "out/" COMPILED_PROGRAM, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           (S_ISDIR(st.st_mode) || st.st_size > 0);
}

/* True if the open folder still is the entry: it may have been removed before it was locked. */
static bool is_still(int root_fd, const char *key, int fd)
{
    struct stat by_name, opened;

    return fstatat(root_fd, key, &by_name, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &opened) == 0 &&
           by_name.st_ino == opened.st_ino && by_name.st_dev == opened.st_dev;
}

bool compiled_find(const char key[SHA256_HEX], struct compiled *ret)
{
    AUTO_FREE char *path = NULL;
    AUTO_CLOSE int root_fd = open_root(false, &path);
    AUTO_CLOSE int fd =
        root_fd < 0 ? -1 : openat(root_fd, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    *ret = (struct compiled){.lock_fd = -1};
    if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) < 0 || !is_still(root_fd, key, fd) ||
        !has_content(fd) || !read_about(fd, ret))
        return false;
    (void)futimens(fd, NULL);
    ret->folder = xasprintf("%s/%s/out", path, key);
    ret->lock_fd = fd_take(&fd);
    return true;
}

/* ---- making ---- */

/* One of 256 locks, so that their files need not be removed. */
static int open_lock(int root_fd, const char *key)
{
    char name[16];

    snprintf(name, sizeof name, "lock-%.2s", key);
    return openat(root_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Returns 0, 1 if the caller cancelled, -1 with errno. */
static int wait_for_lock(int fd, int cancel_fd)
{
    struct pollfd cancel = {.fd = cancel_fd, .events = POLLIN};

    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK)
            return -1;
        if (poll(&cancel, 1, WAIT_MS) > 0)
            return 1;
    }
    return 0;
}

/* Makes the folder of a maker, and locks it. */
static int maker_folder(struct compiled_making *m, const char *parent, struct err *err)
{
    m->folder = xasprintf("%s/making-XXXXXX", parent);
    if (!mkdtemp(m->folder))
        return err_sys(err, "make the folder %s", m->folder);
    m->maker_fd = open(m->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (m->maker_fd < 0 || flock(m->maker_fd, LOCK_EX | LOCK_NB) < 0)
        return err_sys(err, "lock the folder %s", m->folder);
    return 0;
}

int compiled_begin(const char *key, int cancel_fd, struct compiled_making *ret, struct err *err)
{
    AUTO_FREE char *path = NULL;
    AUTO_CLOSE int root_fd = key ? open_root(true, &path) : -1;
    int waited = 0;

    *ret = (struct compiled_making){.lock_fd = -1, .maker_fd = -1, .kept = root_fd >= 0};
    if (!key || root_fd < 0)
        return maker_folder(ret, fd_temporary(), err);
    ret->lock_fd = open_lock(root_fd, key);
    if (ret->lock_fd < 0 || (waited = wait_for_lock(ret->lock_fd, cancel_fd)) < 0)
        return err_sys(err, "lock the folder %s", path);
    return waited ? 1 : maker_folder(ret, path, err);
}

static int write_about(int dirfd, uint64_t bytes, int64_t duration_ms, const char *report)
{
    AUTO_BUF struct buf text = {0};
    AUTO_CLOSE int fd =
        openat(dirfd, "about", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    buf_init(&text, ABOUT_MAX);
    (void)buf_addf(&text, "%llu\n%lld\n", (unsigned long long)bytes, (long long)duration_ms);
    (void)buf_adds(&text, report);
    return fd < 0 ? -1 : fd_write_all(fd, text.p, text.n);
}

/* Moves the product to a folder of its own in `making`, away from what else the compiler wrote. */
static int take_product(struct compiled_making *m, uint64_t *ret_bytes, struct err *err)
{
    struct stat st;

    if (mkdirat(m->maker_fd, "entry", 0700) < 0)
        return err_sys(err, "make a folder in %s", m->folder);
    if (fstatat(m->maker_fd, COMPILED_OUT "/" COMPILED_PROGRAM, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) ||
        renameat(m->maker_fd, COMPILED_OUT, m->maker_fd, "entry/out") < 0)
        return err_set(err, ERR_GUEST, "the compiler made no program");
    AUTO_CLOSE int out =
        openat(m->maker_fd, "entry/out", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (out < 0 || compiled_seal(out, ret_bytes) < 0)
        return err_set(err, ERR_GUEST, "the compiler made something other than a program");
    return *ret_bytes ? 0 : err_set(err, ERR_GUEST, "the compiler made an empty program");
}

/* Gives the entry its name. If there is one of that name that can be used, it is as good. */
static int name_entry(const struct compiled_making *m, const char *key, struct err *err)
{
    AUTO_CLOSE int root_fd = openat(m->maker_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (root_fd < 0)
        return err_sys(err, "open the folder of %s", m->folder);
    int status = renameat(m->maker_fd, "entry", root_fd, key);
    struct compiled other = {.lock_fd = -1};
    if (status < 0 && (errno == EEXIST || errno == ENOTEMPTY)) {
        if (compiled_find(key, &other)) {
            status = 0;
        } else { /* it lost content, as by a power failure */
            compiled_remove(root_fd, key);
            status = renameat(m->maker_fd, "entry", root_fd, key);
        }
        compiled_done(&other);
    }
    if (status < 0)
        return err_sys(err, "name the product in %s", m->folder);
    compiled_prune(root_fd, COMPILED_BYTES_MAX, COMPILED_ENTRIES_MAX);
    return 0;
}

/* A product that is not kept stays in the maker's folder, which compiled_done removes. */
static void use_temporary(struct compiled_making *m, const char *report, int64_t duration_ms,
                          struct compiled *ret)
{
    ret->folder = xasprintf("%s/entry/out", m->folder);
    ret->report = xstrdup(report);
    ret->duration_ms = duration_ms;
    ret->lock_fd = fd_take(&m->maker_fd);
    ret->temporary = true;
    free(mem_take(&m->folder));
}

int compiled_end(struct compiled_making *m, const char *key, const char *report,
                 int64_t duration_ms, struct compiled *ret, struct err *err)
{
    uint64_t bytes = 0;
    int status = take_product(m, &bytes, err);

    *ret = (struct compiled){.lock_fd = -1};
    if (status == 0 && !(m->kept && key)) {
        use_temporary(m, report, duration_ms, ret);
    } else if (status == 0) {
        AUTO_CLOSE int entry =
            openat(m->maker_fd, "entry", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (entry < 0 || write_about(entry, bytes, duration_ms, report) < 0)
            status = err_sys(err, "write in the folder %s", m->folder);
        else if ((status = name_entry(m, key, err)) == 0 && !compiled_find(key, ret))
            status =
                err_set(err, ERR_SYSTEM, "the product was removed from %s; try again", m->folder);
    }
    compiled_abandon(m);
    return status;
}

void compiled_abandon(struct compiled_making *m)
{
    fd_close(&m->maker_fd);
    if (m->folder)
        compiled_remove(AT_FDCWD, m->folder);
    free(mem_take(&m->folder));
    fd_close(&m->lock_fd);
}

/* Removes ".../making-XXXXXX" of ".../making-XXXXXX/entry/out". */
static void remove_temporary(char *folder)
{
    char *end = folder + strlen(folder) - strlen("/entry/out");

    *end = '\0';
    compiled_remove(AT_FDCWD, folder);
}

void compiled_done(struct compiled *c)
{
    if (c->folder && c->temporary)
        remove_temporary(c->folder);
    fd_close(&c->lock_fd);
    free(c->folder);
    free(c->report);
    *c = (struct compiled){.lock_fd = -1};
}
