/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a far guest. Its workspace is copied into a folder of this host that only we can
 * enter (far_mirror.c), by the rules for files that go into a jail (jail/lay.h): no path leads
 * outside, no file is overwritten, bytes and entries have ceilings. For each entry that the helper
 * left out (links, pipes, sockets, files over the limit), there is a stand-in of the same type.
 * Then the code for every other workspace is used: it lists, compares, copies and reports skipped
 * files.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/idle.h"
#include "base/clock.h"
#include "base/fd.h"
#include "far/far.h"
#include "jail/lay.h"
#include "workspace/workspace.h"
#include "workspace/workspace_files.h"

enum {
    FILES_MS = 120000,
    STALL_MS = 10000,
    CANCEL_MS = 100, /* between two checks for a cancellation */
    ENTRIES_MOST = 1000000,
    QUEUED_MOST = 1 << 20,
    FRESH_TIMES = 4,
};

#define PATHS_MOST ((uint64_t)64 << 20) /* for the heads of all records together */

void far_files_done(struct far_guest *guest)
{
    fd_close(&guest->spool);
    far_folder_drop(&guest->arriving);
    far_folder_drop(&guest->mirror);
    far_kept_done(&guest->kept);
    far_kept_done(&guest->unread);
}

/* ---- asking ---- */

static bool is_cancelled(const struct far_guest *guest)
{
    struct pollfd look = {.fd = guest->cancel_fd ? *guest->cancel_fd : -1, .events = POLLIN};

    return poll(&look, 1, 0) > 0;
}

static int wait_for_answer(struct far_guest *guest, struct err *err)
{
    int64_t until = clock_mono_ms() + FILES_MS;

    while (!guest->answered && guest->fd >= 0 && clock_mono_ms() < until) {
        if (is_cancelled(guest)) {
            fd_close(&guest->fd); /* half of an answer may be on its way */
            return err_set(err, ERR_TIMEOUT, "cancelled");
        }
        far_move(guest, guest->cancel_fd ? CANCEL_MS : 1000);
    }
    if (guest->answered && guest->place->settled)
        guest->place->settled(guest);
    if (guest->answered && !guest->error.kind)
        return 0;
    if (guest->error.kind)
        *err = guest->error;
    else if (guest->fd < 0)
        (void)err_set(err, ERR_SYSTEM, "the %s is gone, and its files with it", guest->place->name);
    else
        (void)err_set(err, ERR_TIMEOUT, "the %s did not answer within %d s", guest->place->name,
                      FILES_MS / 1000);
    return -1;
}

static int far_files_ask(struct far_guest *guest, enum contained_frame kind, struct str bytes,
                         struct err *err)
{
    guest->answered = false;
    guest->error = (struct err){0};
    far_put(guest, kind, bytes);
    return wait_for_answer(guest, err);
}

static int receive_all(struct far_guest *guest, struct err *err)
{
    const struct jail_limits *l = &guest->limits;
    const struct lay_limits limits = {l->disk_bytes ? l->disk_bytes : CONTAINED_FILES_MOST,
                                      l->inodes ? l->inodes + 4 : ENTRIES_MOST};

    guest->max_bytes = limits.max_bytes + PATHS_MOST;
    guest->entries_left = limits.max_entries;
    const char anew = guest->mirror.fd < 0;
    if (far_files_ask(guest, CONTAINED_FILES, (struct str){&anew, 1}, err) < 0)
        return -1;
    if (lseek(guest->spool, 0, SEEK_SET) < 0)
        return err_sys(err, "store the files of the %s", guest->place->name);
    if (lay_receive(guest->spool, guest->arriving.fd, limits, err) < 0)
        return -1;
    return far_mirror_update(guest, 2 * limits.max_bytes, err);
}

/* A caller may read the beginnings of many files, one after the other. So a copy is used again for
 * FRESH_TIMES the time that it took to make, unless a frame is sent to the guest (far_put). */
static void note_fresh(struct far_guest *guest, int64_t begin_ms)
{
    int64_t now = clock_mono_ms();

    guest->fresh_until_ms = now + FRESH_TIMES * (now - begin_ms);
}

static int say_no_copy(const struct far_guest *guest, struct err *err)
{
    if (err->sys == ENOSPC)
        return err_set(err, ERR_SYSTEM,
                       "cannot store the files of the %s: No space left on device in %s: set "
                       "TMPDIR to another "
                       "folder",
                       guest->place->name, fd_temporary());
    return err_wrap(err, "cannot read the files of the %s", guest->place->name);
}

/* Updates the copy; after the guest's end only once. After a failure the next copy is a complete
 * one, because the helper counts as sent every file that it has sent. */
static int far_files_copy(struct far_guest *guest, struct err *err)
{
    if (guest->mirrored)
        return 0;
    int64_t begin = clock_mono_ms();
    far_kept_done(&guest->unread);
    if (far_folder_make(&guest->arriving, err) < 0 || (guest->spool = fd_spool(err)) < 0)
        return -1;
    int result = receive_all(guest, err);
    fd_close(&guest->spool);
    far_folder_drop(&guest->arriving);
    far_kept_done(&guest->kept);
    if (result < 0)
        far_folder_drop(&guest->mirror);
    else
        note_fresh(guest, begin);
    guest->mirrored = result == 0 && guest->over;
    return result < 0 ? say_no_copy(guest, err) : 0;
}

/* ---- the table's entries ---- */

static const char *inside(struct backend_guest *base)
{
    (void)base;
    return CONTAINED_WORK "/";
}

static int list_files(struct backend_guest *base, struct workspace_file **ret, size_t *ret_count,
                      struct err *err)
{
    struct far_guest *guest = far_of(base);

    return far_files_copy(guest, err) < 0 ? -1
                                          : workspace_files(guest->mirror.fd, ret, ret_count, err);
}

static int read_far_file(struct backend_guest *base, const char *path, uint64_t *ret_size,
                         struct err *err)
{
    struct far_guest *guest = far_of(base);

    if (clock_mono_ms() >= guest->fresh_until_ms && far_files_copy(guest, err) < 0)
        return -1;
    return workspace_file_open(guest->mirror.fd, path, ret_size, err);
}

/* Copies the whole input to *ret_fd, so that ERR_LIMIT comes before any byte is sent. */
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
            return err_sys(err, "store the file");
    }
    return n < 0 || lseek(*ret_fd, 0, SEEK_SET) < 0 ? err_sys(err, "read the file") : 0;
}

static int check_path(const char *path, struct err *err)
{
    const char *problem = lay_path_problem(str_from(path));

    return problem ? err_set(err, ERR_USAGE, "'%.200s' %s", path, problem) : 0;
}

/* Waits until there is room in the queue. A paused place accepts nothing, so the wait has a limit.
 */
static int wait_for_room(struct far_guest *guest, struct err *err)
{
    int64_t until = clock_mono_ms() + STALL_MS;
    size_t before = guest->queue.n;

    while (guest->queue.n > QUEUED_MOST && guest->fd >= 0) {
        far_move(guest, 1000);
        if (guest->queue.n < before)
            until = clock_mono_ms() + STALL_MS;
        else if (clock_mono_ms() > until)
            return err_set(err, ERR_TIMEOUT, "the %s accepts no input", guest->place->name);
        before = guest->queue.n;
    }
    return 0;
}

/* Sets the same error message as for any other workspace. */
static int far_files_say(int result, const char *path, const char *doing, struct err *err)
{
    return result < 0 && err->sys ? workspace_say_unchanged(path, doing, err->sys, err) : result;
}

static int write_file(struct backend_guest *base, const char *path, int from, uint64_t max,
                      struct err *err)
{
    struct far_guest *guest = far_of(base);
    AUTO_CLOSE int spool = -1;
    char piece[32 << 10];
    ssize_t n;

    if (check_path(path, err) < 0 || spool_input(from, max, &spool, err) < 0)
        return -1;
    far_put(guest, CONTAINED_PUT, STR(""));
    while ((n = read(spool, piece, sizeof piece)) > 0 && guest->fd >= 0) {
        far_put(guest, CONTAINED_BYTES, (struct str){piece, (size_t)n});
        if (wait_for_room(guest, err) < 0)
            return -1;
    }
    if (n < 0) /* without PLACE, the helper drops the sent bytes */
        return err_sys(err, "read the file's content");
    return far_files_say(far_files_ask(guest, CONTAINED_PLACE, str_from(path), err), path,
                         "write the file", err);
}

static int remove_file(struct backend_guest *base, const char *path, struct err *err)
{
    if (check_path(path, err) < 0)
        return -1;
    return far_files_say(far_files_ask(far_of(base), CONTAINED_REMOVE, str_from(path), err), path,
                         "remove the file", err);
}

static void explain_skip(const struct far_guest *guest, struct file_skip *skip)
{
    for (size_t i = 0; i < guest->unread.n && skip->reason == SKIP_FIFO; i++)
        if (strcmp(guest->unread.paths[i], skip->path) == 0) {
            skip->reason = SKIP_UNREADABLE;
            skip->sys = EIO;
        }
}

static int far_files_collect(struct backend_guest *base, const struct collect_options *options,
                             struct lay_list *laid, struct file_set *ret, struct err *err)
{
    struct far_guest *guest = far_of(base);

    guest->cancel_fd = options->cancel_fd;
    int result = far_files_copy(guest, err);
    guest->cancel_fd = NULL;
    if (result < 0 || workspace_collect(options, guest->mirror.fd, laid, ret, err) < 0)
        return -1;
    for (size_t i = 0; i < ret->skipped.count; i++)
        explain_skip(guest, &ret->skipped.items[i]);
    return 0;
}

int far_observe(struct backend_guest *base, struct backend_observed *ret, struct err *err)
{
    struct far_guest *guest = far_of(base);

    if (!guest->paused && far_files_ask(guest, CONTAINED_LOOK, STR(""), err) < 0)
        return -1;
    *ret = (struct backend_observed){.activity = guest->activity, .disk_full = guest->disk_full};
    return 0;
}

static bool far_files_is_gone(struct backend_guest *base)
{
    return far_of(base)->fd < 0 && !far_of(base)->mirrored;
}

static int copy_of(struct backend_guest *base, struct err *err)
{
    return far_files_copy(far_of(base), err) < 0 ? -1 : far_of(base)->mirror.fd;
}

const struct backend_files far_files = {.copy = copy_of,
                                        .gone = far_files_is_gone,
                                        .inside = inside,
                                        .list = list_files,
                                        .read = read_far_file,
                                        .write = write_file,
                                        .remove = remove_file,
                                        .collect = far_files_collect};
