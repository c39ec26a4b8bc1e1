/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a container. Its workspace comes over as a whole, into a folder of this host that
 * only we can enter, by the rules for files that go into a jail (jail/lay.h): no path leads
 * outside, nothing is overwritten, bytes and entries have ceilings. What the helper left out
 * (links, pipes, sockets, files over the limit) gets a stand-in of its kind. From there the code
 * for every other workspace continues: it lists, compares, copies and says what was skipped.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backends/docker_parts.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/host_box.h"
#include "jail/lay.h"
#include "workspace/workspace.h"
#include "workspace/workspace_files.h"

enum {
    FILES_MS = 120000,
    STALL_MS = 10000,
    ENTRIES_MOST = 1000000,
    QUEUED_MOST = 1 << 20,
    LEFT_S = 60
};

#define BYTES_MOST ((uint64_t)256 << 20) /* where the job has no limit */
#define PATHS_MOST ((uint64_t)64 << 20)  /* of all records' heads together */

/* ---- the copy ---- */

static void drop_mirror(struct docker_guest *d)
{
    fd_close(&d->mirror);
    if (d->mirror_path)
        host_box_remove(d->mirror_path);
    free(d->mirror_path);
    d->mirror_path = NULL;
}

void docker_files_done(struct docker_guest *d)
{
    fd_close(&d->spool);
    drop_mirror(d);
}

#define MIRRORS "glovebox-files-"

/* A folder that no process has locked, and that is old enough to be no one's that is about to. */
static bool is_left(int folder, const char *name)
{
    struct stat st;
    AUTO_CLOSE int fd =
        openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
           time(NULL) - st.st_ctime > LEFT_S && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

void docker_sweep_files(void)
{
    DIR *dir = opendir(fd_temporary());
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, MIRRORS, strlen(MIRRORS)) != 0 ||
            !is_left(dirfd(dir), entry->d_name))
            continue;
        AUTO_FREE char *path = xasprintf("%s/%s", fd_temporary(), entry->d_name);
        host_box_remove(path);
    }
    if (dir)
        (void)closedir(dir);
}

/* The lock says that its owner lives. */
static int make_mirror(struct docker_guest *d, struct err *err)
{
    drop_mirror(d);
    AUTO_FREE char *path = xasprintf("%s/" MIRRORS "XXXXXX", fd_temporary());
    if (!mkdtemp(path))
        return err_sys(err, "make a folder in %s", fd_temporary());
    d->mirror_path = mem_take(&path);
    d->mirror = open(d->mirror_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->mirror < 0 || flock(d->mirror, LOCK_EX | LOCK_NB) < 0)
        return err_sys(err, "open %s", d->mirror_path);
    return 0;
}

static void stand_in(int dirfd, const char *name, unsigned mode, uint64_t size)
{
    if (S_ISLNK(mode))
        (void)!symlinkat("elsewhere", dirfd, name);
    if (S_ISFIFO(mode) || S_ISSOCK(mode))
        (void)mknodat(dirfd, name, (mode & S_IFMT) | 0600, 0);
    if (!S_ISREG(mode))
        return;
    AUTO_CLOSE int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)!ftruncate(fd, (off_t)(size >> 62 ? INT64_MAX >> 1 : (int64_t)size));
}

void docker_left_out(struct docker_guest *d, struct str record)
{
    struct wire w = {.rest = record};
    uint32_t mode = wire_u32(&w);
    uint64_t size = wire_u64(&w);
    struct str path = wire_str(&w), folder, name;
    struct lay_place place;
    char file[LAY_NAME_MAX + 1];

    if (!wire_ok(&w) || lay_path_problem(path) || d->mirror < 0 || !d->entries_left)
        return;
    d->entries_left--;
    lay_path_split(path, &folder, &name);
    snprintf(file, sizeof file, "%.*s", (int)name.n, name.p);
    lay_place_init(&place, d->mirror);
    int dirfd = lay_place_open(&place, folder, true);
    if (dirfd >= 0)
        stand_in(dirfd, file, mode, size);
    lay_place_done(&place);
}

/* ---- asking ---- */

static int wait_for_answer(struct docker_guest *d, struct err *err)
{
    int64_t until = clock_mono_ms() + FILES_MS;

    while (!d->answered && d->fd >= 0 && clock_mono_ms() < until)
        docker_move(d, 1000);
    if (d->answered && d->far->settled)
        d->far->settled(d);
    if (d->answered && !d->error.kind)
        return 0;
    if (d->error.kind)
        *err = d->error;
    else if (d->fd < 0)
        (void)err_set(err, ERR_SYSTEM, "the %s is gone, and its files with it", d->far->place);
    else
        (void)err_set(err, ERR_TIMEOUT, "the %s does not answer", d->far->place);
    return -1;
}

static int ask(struct docker_guest *d, enum contained_frame kind, struct str bytes, struct err *err)
{
    d->answered = false;
    d->error = (struct err){0};
    docker_put(d, kind, bytes);
    return wait_for_answer(d, err);
}

static int receive_all(struct docker_guest *d, struct err *err)
{
    const struct jail_limits *l = &d->limits;
    const struct lay_limits limits = {l->disk_bytes ? l->disk_bytes : BYTES_MOST,
                                      l->inodes ? l->inodes + 4 : ENTRIES_MOST};

    d->max_bytes = limits.max_bytes + PATHS_MOST;
    d->entries_left = limits.max_entries;
    if (ask(d, CONTAINED_FILES, STR(""), err) < 0)
        return -1;
    if (lseek(d->spool, 0, SEEK_SET) < 0)
        return err_sys(err, "keep the files of the %s", d->far->place);
    return lay_receive(d->spool, d->mirror, limits, err);
}

/* The copy as of now; of a guest that has ended, once. */
static int copy(struct docker_guest *d, struct err *err)
{
    if (d->mirrored)
        return 0;
    if (make_mirror(d, err) < 0 || (d->spool = fd_spool(err)) < 0)
        return -1;
    int result = receive_all(d, err);
    fd_close(&d->spool);
    d->mirrored = result == 0 && d->over;
    return result < 0 ? err_wrap(err, "the files of the %s", d->far->place) : 0;
}

/* ---- the table's entries ---- */

static const char *inside(struct backend_guest *guest)
{
    (void)guest;
    return CONTAINED_BOX "/work/";
}

static int list_files(struct backend_guest *guest, struct workspace_file **ret, size_t *ret_count,
                      struct err *err)
{
    struct docker_guest *d = docker_of(guest);

    return copy(d, err) < 0 ? -1 : workspace_files(d->mirror, ret, ret_count, err);
}

static int read_file(struct backend_guest *guest, const char *path, uint64_t *ret_size,
                     struct err *err)
{
    struct docker_guest *d = docker_of(guest);

    return copy(d, err) < 0 ? -1 : workspace_file_open(d->mirror, path, ret_size, err);
}

/* *ret_fd has all of it. ERR_LIMIT before anything is sent. */
static int spool_input(int from, uint64_t max, int *ret_fd, struct err *err)
{
    char piece[32 << 10];
    uint64_t total = 0;
    ssize_t n;

    *ret_fd = fd_spool(err);
    if (*ret_fd < 0)
        return -1;
    while ((n = read(from, piece, sizeof piece)) > 0) {
        total += (uint64_t)n;
        if (total > max)
            return err_set(err, ERR_LIMIT, "the file is larger than the limit of %llu bytes",
                           (unsigned long long)max);
        if (fd_write_all(*ret_fd, piece, (size_t)n) < 0)
            return err_sys(err, "keep the file");
    }
    return n < 0 || lseek(*ret_fd, 0, SEEK_SET) < 0 ? err_sys(err, "read the file") : 0;
}

static int check_path(const char *path, struct err *err)
{
    const char *problem = lay_path_problem(str_from(path));

    return problem ? err_set(err, ERR_USAGE, "'%.200s' %s", path, problem) : 0;
}

/* Until there is room in the queue. A container that is paused takes nothing. */
static int wait_for_room(struct docker_guest *d, struct err *err)
{
    int64_t until = clock_mono_ms() + STALL_MS;
    size_t before = d->queue.n;

    while (d->queue.n > QUEUED_MOST && d->fd >= 0) {
        docker_move(d, 1000);
        if (d->queue.n < before)
            until = clock_mono_ms() + STALL_MS;
        else if (clock_mono_ms() > until)
            return err_set(err, ERR_TIMEOUT, "the container takes no input");
        before = d->queue.n;
    }
    return 0;
}

static int write_file(struct backend_guest *guest, const char *path, int from, uint64_t max,
                      struct err *err)
{
    struct docker_guest *d = docker_of(guest);
    AUTO_CLOSE int spool = -1;
    char piece[32 << 10];
    ssize_t n;

    if (check_path(path, err) < 0 || spool_input(from, max, &spool, err) < 0)
        return -1;
    docker_put(d, CONTAINED_PUT, STR(""));
    while ((n = read(spool, piece, sizeof piece)) > 0 && d->fd >= 0) {
        docker_put(d, CONTAINED_BYTES, (struct str){piece, (size_t)n});
        if (wait_for_room(d, err) < 0)
            return -1;
    }
    return ask(d, CONTAINED_PLACE, str_from(path), err);
}

static int remove_file(struct backend_guest *guest, const char *path, struct err *err)
{
    return check_path(path, err) < 0 ? -1
                                     : ask(docker_of(guest), CONTAINED_REMOVE, str_from(path), err);
}

static int collect(struct backend_guest *guest, const struct collect_options *options,
                   struct lay_list *laid, struct file_set *ret, struct err *err)
{
    struct docker_guest *d = docker_of(guest);

    return copy(d, err) < 0 ? -1 : workspace_collect(options, d->mirror, laid, ret, err);
}

static bool is_gone(struct backend_guest *guest)
{
    return docker_of(guest)->fd < 0 && !docker_of(guest)->mirrored;
}

static int copy_of(struct backend_guest *guest, struct err *err)
{
    return copy(docker_of(guest), err) < 0 ? -1 : docker_of(guest)->mirror;
}

const struct backend_files docker_files = {.copy = copy_of,
                                           .gone = is_gone,
                                           .inside = inside,
                                           .list = list_files,
                                           .read = read_file,
                                           .write = write_file,
                                           .remove = remove_file,
                                           .collect = collect};
