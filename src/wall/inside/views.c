/* SPDX-License-Identifier: Apache-2.0
 *
 * Views in the private root: their sockets and pipes are covered, and a nest keeps some of them.
 */
#include "inside/views.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "inside/mount.h"

enum { NR_OPENAT2 = 437 }; /* since Linux 5.6 */

/* Covers a find in an attached view, unless it is gone or the guest's ids cannot reach it. */
static int cover_one(int tree, const struct found *found)
{
    const uint64_t beneath = 0x08, no_symlinks = 0x04;
    const uint64_t how[] = {O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, beneath | no_symlinks};
    AUTO_CLOSE int over = (int)syscall(NR_OPENAT2, tree, found->path, how, sizeof how);

    if (over < 0)
        return root_is_absent(errno) ? 0 : -1;
    AUTO_CLOSE int cover = mount_clone(found->type == S_IFDIR ? "sys" : ROOT_EMPTY_FILE, false);
    if (cover < 0 || mount_set(cover, false, MOUNT_RDONLY | MOUNT_NOSUID | MOUNT_NODEV) < 0)
        return -1;
    return mount_attach_over(cover, over);
}

/* Devices need no cover: the view is mounted nodev. */
static bool is_device(const struct found *found)
{
    return found->type == S_IFCHR || found->type == S_IFBLK;
}

int view_show(const struct inside *in, const struct spec_op *op, int tree, const char *path)
{
    if (tree < 0)
        return 0; /* optional, and not on this host */
    if (root_attach(tree, path) < 0)
        return -1;
    for (size_t i = 0; i < in->finds.count; i++)
        if (in->finds.list[i].op == op && !is_device(&in->finds.list[i]) &&
            cover_one(tree, &in->finds.list[i]) < 0)
            return -1;
    return 0;
}

/* ---- views that a nest keeps ---- */

/* The zygote needs the views below the guest's own folders, such as an interpreter below /tmp, in
 * the nest's root. Each jail mounts a disk of its own over these folders. So the nest keeps each
 * view a second time, where no guest can change the path; a jail clones it before its disk is
 * mounted, and attaches the clone to the disk. */
#define KEPT_PATH "box/view/%zu"

enum { KEPT_PATH_BYTES = 32 };

static bool is_kept(const struct spec_op *op)
{
    return op->kind == SPEC_BIND && spec_in_box(op->dst);
}

int views_keep(struct inside *in, struct err *err)
{
    char path[KEPT_PATH_BYTES];

    for (size_t i = 0; i < in->spec.op_count; i++) {
        const struct spec_op *op = &in->spec.ops[i];
        if (!is_kept(op) || in->sources[i] < 0)
            continue;
        snprintf(path, sizeof path, KEPT_PATH, i);
        if (view_show(in, op, in->sources[i], path) < 0)
            return err_sys(err, "keep %s", op->dst);
        fd_close(&in->sources[i]);
        AUTO_CLOSE int own = mount_clone(path, true);
        if (own < 0 || root_attach(own, op->dst + 1) < 0)
            return err_sys(err, "make %s inside", op->dst);
    }
    return 0;
}

int views_clone_kept(struct inside *in, struct err *err)
{
    char path[KEPT_PATH_BYTES];

    in->kept = xcalloc(in->spec.op_count, sizeof *in->kept);
    for (size_t i = 0; i < in->spec.op_count; i++) {
        in->kept[i] = -1;
        if (!is_kept(&in->spec.ops[i]))
            continue;
        snprintf(path, sizeof path, KEPT_PATH, i);
        in->kept[i] = mount_clone(path, true);
        if (in->kept[i] < 0 && errno != ENOENT)
            return err_sys(err, "show %s inside", in->spec.ops[i].dst);
    }
    return 0;
}

/* ---- a place on the guest's disk ---- */

/* The guest of a session may have put anything on the disk of which a fork has a copy, so no link
 * is followed. Returns -1 where something else is in the way. */
static int open_folder(int parent, struct str name)
{
    AUTO_FREE char *text = xstrndup(name.p, name.n);

    (void)mkdirat(parent, text, 0755);
    return openat(parent, text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int open_place_for(int tree, int parent, struct str name)
{
    AUTO_FREE char *text = xstrndup(name.p, name.n);
    struct stat st;

    if (fstat(tree, &st) < 0)
        return -1;
    if (S_ISDIR(st.st_mode))
        return open_folder(parent, name);
    int made = openat(parent, text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    fd_close(&made);
    int place = openat(parent, text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (place >= 0 && fstat(place, &st) == 0 && !S_ISREG(st.st_mode))
        fd_close(&place);
    return place;
}

/* Opens the mount point for `dst`, and makes what is missing. */
static int open_mount_point(const struct inside *in, int tree, const char *dst)
{
    struct str rest = str_from(strncmp(dst, "/var/", 5) == 0 ? dst + 5 : dst + 1), name;
    bool in_tmp = str_starts(rest, "tmp/") && in->spec.forks; /* there, /tmp is a link */
    AUTO_CLOSE int at = open(in_tmp ? "box" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

    while (at >= 0 && str_next(&rest, '/', &name)) {
        int next = rest.n ? open_folder(at, name) : open_place_for(tree, at, name);
        fd_close(&at);
        at = next;
    }
    return fd_take(&at);
}

int views_show_kept(struct inside *in, struct err *err)
{
    for (size_t i = 0; in->kept && i < in->spec.op_count; i++) {
        if (in->kept[i] < 0)
            continue;
        const char *dst = in->spec.ops[i].dst;
        AUTO_CLOSE int place = open_mount_point(in, in->kept[i], dst);
        if (place >= 0 && mount_attach_over(in->kept[i], place) < 0)
            return err_sys(err, "make %s inside", dst);
        fd_close(&in->kept[i]);
    }
    return 0;
}
