/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a far guest. Its workspace comes over, into a folder of this host that only we can
 * enter (far_mirror.c), by the rules for files that go into a jail (jail/lay.h): no path leads
 * outside, nothing is overwritten, bytes and entries have ceilings. What the helper left out
 * (links, pipes, sockets, files over the limit) gets a stand-in of its kind. From there the code
 * for every other workspace continues: it lists, compares, copies and says what was skipped.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/idle.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "far/far.h"
#include "jail/lay.h"
#include "workspace/workspace.h"
#include "workspace/workspace_files.h"

enum {
    FILES_MS = 120000,
    STALL_MS = 10000,
    CANCEL_MS = 100, /* between two looks for the wish to stop */
    ENTRIES_MOST = 1000000,
    QUEUED_MOST = 1 << 20,
    FRESH_TIMES = 4,
};

#define PATHS_MOST ((uint64_t)64 << 20) /* of all records' heads together */

void far_files_done(struct far_guest *d)
{
    fd_close(&d->spool);
    far_folder_drop(&d->arriving);
    far_folder_drop(&d->mirror);
    far_kept_done(&d->kept);
    far_kept_done(&d->unread);
}

/* ---- asking ---- */

static bool is_cancelled(const struct far_guest *d)
{
    struct pollfd look = {.fd = d->cancel_fd ? *d->cancel_fd : -1, .events = POLLIN};

    return poll(&look, 1, 0) > 0;
}

static int wait_for_answer(struct far_guest *d, struct err *err)
{
    int64_t until = clock_mono_ms() + FILES_MS;

    while (!d->answered && d->fd >= 0 && clock_mono_ms() < until) {
        if (is_cancelled(d)) {
            fd_close(&d->fd); /* half an answer may be on its way */
            return err_set(err, ERR_TIMEOUT, "cancelled");
        }
        far_move(d, d->cancel_fd ? CANCEL_MS : 1000);
    }
    if (d->answered && d->place->settled)
        d->place->settled(d);
    if (d->answered && !d->error.kind)
        return 0;
    if (d->error.kind)
        *err = d->error;
    else if (d->fd < 0)
        (void)err_set(err, ERR_SYSTEM, "the %s is gone, and its files with it", d->place->name);
    else
        (void)err_set(err, ERR_TIMEOUT, "the %s did not answer within %d s", d->place->name,
                      FILES_MS / 1000);
    return -1;
}

static int ask(struct far_guest *d, enum contained_frame kind, struct str bytes, struct err *err)
{
    d->answered = false;
    d->error = (struct err){0};
    far_put(d, kind, bytes);
    return wait_for_answer(d, err);
}

static int receive_all(struct far_guest *d, struct err *err)
{
    const struct jail_limits *l = &d->limits;
    const struct lay_limits limits = {l->disk_bytes ? l->disk_bytes : CONTAINED_FILES_MOST,
                                      l->inodes ? l->inodes + 4 : ENTRIES_MOST};

    d->max_bytes = limits.max_bytes + PATHS_MOST;
    d->entries_left = limits.max_entries;
    const char anew = d->mirror.fd < 0;
    if (ask(d, CONTAINED_FILES, (struct str){&anew, 1}, err) < 0)
        return -1;
    if (lseek(d->spool, 0, SEEK_SET) < 0)
        return err_sys(err, "keep the files of the %s", d->place->name);
    if (lay_receive(d->spool, d->arriving.fd, limits, err) < 0)
        return -1;
    return far_mirror_update(d, 2 * limits.max_bytes, err);
}

/* A caller may read the beginnings of many files, one after the other. So a copy is used again for
 * FRESH_TIMES as long as it took to make, unless something is sent to the guest (far_put). */
static void note_fresh(struct far_guest *d, int64_t begin_ms)
{
    int64_t now = clock_mono_ms();

    d->fresh_until_ms = now + FRESH_TIMES * (now - begin_ms);
}

static int say_no_copy(const struct far_guest *d, struct err *err)
{
    if (err->sys == ENOSPC)
        return err_set(err, ERR_SYSTEM,
                       "the files of the %s: No space left on device in %s: set TMPDIR to another "
                       "folder",
                       d->place->name, fd_temporary());
    return err_wrap(err, "the files of the %s", d->place->name);
}

/* The copy as of now; of a guest that has ended, once. After a failure the next one is made anew,
 * since the helper takes for sent what it has sent. */
static int copy(struct far_guest *d, struct err *err)
{
    if (d->mirrored)
        return 0;
    int64_t begin = clock_mono_ms();
    far_kept_done(&d->unread);
    if (far_folder_make(&d->arriving, err) < 0 || (d->spool = fd_spool(err)) < 0)
        return -1;
    int result = receive_all(d, err);
    fd_close(&d->spool);
    far_folder_drop(&d->arriving);
    far_kept_done(&d->kept);
    if (result < 0)
        far_folder_drop(&d->mirror);
    else
        note_fresh(d, begin);
    d->mirrored = result == 0 && d->over;
    return result < 0 ? say_no_copy(d, err) : 0;
}

/* ---- the table's entries ---- */

static const char *inside(struct backend_guest *guest)
{
    const char *work = far_of(guest)->place->work;

    return work ? work : CONTAINED_WORK "/";
}

static int list_files(struct backend_guest *guest, struct workspace_file **ret, size_t *ret_count,
                      struct err *err)
{
    struct far_guest *d = far_of(guest);

    return copy(d, err) < 0 ? -1 : workspace_files(d->mirror.fd, ret, ret_count, err);
}

static int read_file(struct backend_guest *guest, const char *path, uint64_t *ret_size,
                     struct err *err)
{
    struct far_guest *d = far_of(guest);

    if (clock_mono_ms() >= d->fresh_until_ms && copy(d, err) < 0)
        return -1;
    return workspace_file_open(d->mirror.fd, path, ret_size, err);
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

/* Until there is room in the queue. A place that stands still takes nothing. */
static int wait_for_room(struct far_guest *d, struct err *err)
{
    int64_t until = clock_mono_ms() + STALL_MS;
    size_t before = d->queue.n;

    while (d->queue.n > QUEUED_MOST && d->fd >= 0) {
        far_move(d, 1000);
        if (d->queue.n < before)
            until = clock_mono_ms() + STALL_MS;
        else if (clock_mono_ms() > until)
            return err_set(err, ERR_TIMEOUT, "the %s takes no input", d->place->name);
        before = d->queue.n;
    }
    return 0;
}

/* In the words for every other workspace. */
static int say(int result, const char *path, const char *doing, struct err *err)
{
    return result < 0 && err->sys ? workspace_say_unchanged(path, doing, err->sys, err) : result;
}

static int write_file(struct backend_guest *guest, const char *path, int from, uint64_t max,
                      struct err *err)
{
    struct far_guest *d = far_of(guest);
    AUTO_CLOSE int spool = -1;
    char piece[32 << 10];
    ssize_t n;

    if (check_path(path, err) < 0 || spool_input(from, max, &spool, err) < 0)
        return -1;
    far_put(d, CONTAINED_PUT, STR(""));
    while ((n = read(spool, piece, sizeof piece)) > 0 && d->fd >= 0) {
        far_put(d, CONTAINED_BYTES, (struct str){piece, (size_t)n});
        if (wait_for_room(d, err) < 0)
            return -1;
    }
    if (n < 0) /* without PLACE, what was sent is dropped */
        return err_sys(err, "read the file's content");
    return say(ask(d, CONTAINED_PLACE, str_from(path), err), path, "write the file", err);
}

static int remove_file(struct backend_guest *guest, const char *path, struct err *err)
{
    if (check_path(path, err) < 0)
        return -1;
    return say(ask(far_of(guest), CONTAINED_REMOVE, str_from(path), err), path, "remove the file",
               err);
}

static void explain_skip(const struct far_guest *d, struct file_skip *skip)
{
    for (size_t i = 0; i < d->unread.n && skip->reason == SKIP_FIFO; i++)
        if (strcmp(d->unread.paths[i], skip->path) == 0) {
            skip->reason = SKIP_UNREADABLE;
            skip->sys = EIO;
        }
}

static int collect(struct backend_guest *guest, const struct collect_options *options,
                   struct lay_list *laid, struct file_set *ret, struct err *err)
{
    struct far_guest *d = far_of(guest);

    d->cancel_fd = options->cancel_fd;
    int result = copy(d, err);
    d->cancel_fd = NULL;
    if (result < 0 || workspace_collect(options, d->mirror.fd, laid, ret, err) < 0)
        return -1;
    for (size_t i = 0; i < ret->skipped.count; i++)
        explain_skip(d, &ret->skipped.items[i]);
    return 0;
}

int far_observe(struct backend_guest *guest, struct backend_observed *ret, struct err *err)
{
    struct far_guest *d = far_of(guest);

    if (!d->paused && ask(d, CONTAINED_LOOK, STR(""), err) < 0)
        return -1;
    *ret = (struct backend_observed){.activity = d->activity, .disk_full = d->disk_full};
    return 0;
}

static bool is_gone(struct backend_guest *guest)
{
    return far_of(guest)->fd < 0 && !far_of(guest)->mirrored;
}

static int copy_of(struct backend_guest *guest, struct err *err)
{
    return copy(far_of(guest), err) < 0 ? -1 : far_of(guest)->mirror.fd;
}

const struct backend_files far_files = {.copy = copy_of,
                                        .gone = is_gone,
                                        .inside = inside,
                                        .list = list_files,
                                        .read = read_file,
                                        .write = write_file,
                                        .remove = remove_file,
                                        .collect = collect};
