/* SPDX-License-Identifier: Apache-2.0
 *
 * The private root: a tmpfs of a few kilobytes with the plan's folders, links, files and read-only
 * views of host paths. It is made read-only once it is complete, and then pivot_root makes it the
 * root.
 *
 * Views are cloned as detached mounts while we still have the host's ids (they may lie in a private
 * home), made read-only while no guest can see them, and only then attached.
 */
#include "inside/inside.h"
#include "inside/mount.h"
#include "inside/views.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

/* Where the new root is mounted until pivot_root: any folder that every host has. */
#define STAGE "/usr"

enum { NR_OPENAT2 = 437 }; /* since Linux 5.6; all the mount calls exist since 5.12 */

bool root_is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
}

static int open_source(const struct spec_op *op, int *ret_tree, struct err *err)
{
    /* Recursive, because a namespace with less privilege may not reveal files that a mount covers.
     */
    AUTO_CLOSE int tree = mount_clone(op->src, true);

    *ret_tree = -1;
    if (tree < 0)
        return op->optional && root_is_absent(errno) ? 0 : err_sys(err, "show %s inside", op->src);
    uint64_t attr = MOUNT_RDONLY | MOUNT_NOSUID;
    attr |= op->kind == SPEC_DEVICE ? MOUNT_NOEXEC : MOUNT_NODEV;
    if (mount_set(tree, true, attr) < 0)
        return err_sys(err, "make %s read-only inside", op->src);
    *ret_tree = fd_take(&tree);
    return 0;
}

/* Moves this process to the root of its mount namespace, also from a chroot, as setns does. */
static int enter_namespace_root(void)
{
    AUTO_CLOSE int self = (int)syscall(SYS_pidfd_open, getpid(), 0);

    return self < 0 ? -1 : setns(self, CLONE_NEWNS);
}

static int make_private(void)
{
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* As make_private, in a chroot whose "/" is no mount point (EINVAL). The spec's paths are relative
 * to the chroot, so we return to it. */
static int make_private_from_chroot(struct inside *in)
{
    AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (root < 0 || enter_namespace_root() < 0 || make_private() < 0 || fchdir(root) < 0 ||
        chroot(".") < 0)
        return -1;
    in->chrooted = true;
    return 0;
}

int root_open_sources(struct inside *in, struct err *err)
{
    if (make_private() < 0 && (errno != EINVAL || make_private_from_chroot(in) < 0))
        return err_sys(err, "make mounts private");
    in->sources = xcalloc(in->spec.op_count, sizeof *in->sources);
    for (size_t i = 0; i < in->spec.op_count; i++) {
        const struct spec_op *op = &in->spec.ops[i];
        in->sources[i] = -1;
        if ((op->kind == SPEC_BIND || op->kind == SPEC_DEVICE) &&
            open_source(op, &in->sources[i], err) < 0)
            return -1;
    }
    return 0;
}

/* A tmpfs that belongs to the guest's ids. */
static int make_tmpfs(const struct inside *in, uint64_t bytes, uint64_t inodes, struct err *err)
{
    bool mapped = in->mode & LAYER_BIT(LAYER_USERNS);
    char size[32], count[32], uid[16], gid[16];

    snprintf(size, sizeof size, "%llu", (unsigned long long)bytes);
    snprintf(count, sizeof count, "%llu", (unsigned long long)inodes);
    snprintf(uid, sizeof uid, "%u", mapped ? in->spec.uid : in->spec.host_uid);
    snprintf(gid, sizeof gid, "%u", mapped ? in->spec.gid : in->spec.host_gid);
    const char *options[] = {"size", size, "nr_inodes", count, "mode", "755",
                             "uid",  uid,  "gid",       gid,   NULL};
    return mount_make("tmpfs", options, MOUNT_NOSUID | MOUNT_NODEV, err);
}

/* Makes the parents of the relative `path`, unless they exist. */
static int make_parents(const char *path)
{
    AUTO_FREE char *copy = xstrdup(path);

    for (char *p = strchr(copy, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        if (mkdir(copy, 0755) < 0 && errno != EEXIST)
            return -1;
        *p = '/';
    }
    return 0;
}

static int make_folder(const char *path)
{
    if (mkdir(path, 0755) == 0 || errno == EEXIST)
        return 0;
    return errno != ENOENT || make_parents(path) < 0 ? -1 : mkdir(path, 0755);
}

static int make_file(const char *path, struct str text)
{
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
    AUTO_CLOSE int fd = open(path, flags, 0644);

    if (fd < 0 && errno == ENOENT && make_parents(path) == 0)
        fd = open(path, flags, 0644);
    return fd < 0 ? -1 : fd_write_all(fd, text.p, text.n);
}

static int make_link(const char *path, const char *target)
{
    if (symlink(target, path) == 0)
        return 0;
    return errno != ENOENT || make_parents(path) < 0 ? -1 : symlink(target, path);
}

/* Makes a folder or a file, the type of the tree's root. */
static int make_mount_point(int tree, const char *path)
{
    struct stat st;

    if (fstat(tree, &st) < 0)
        return -1;
    return S_ISDIR(st.st_mode) ? make_folder(path) : make_file(path, (struct str){"", 0});
}

int root_attach(int tree, const char *path)
{
    if (mount_attach(tree, path) == 0)
        return 0;
    return errno != ENOENT || make_mount_point(tree, path) < 0 ? -1 : mount_attach(tree, path);
}

/* Covers the path with an empty folder or /dev/null of the root, which is read-only by now: a
 * writable mask would be a second disk. */
static int do_mask(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return root_is_absent(errno) ? 0 : -1;
    return mount(S_ISDIR(st.st_mode) ? "sys" : "dev/null", path, NULL, MS_BIND, NULL);
}

static int do_op(const struct inside *in, const struct spec_op *op, int source, struct err *err)
{
    const char *path = op->dst + 1; /* our working directory is the new root */
    int result = -1;

    switch (op->kind) {
    case SPEC_BIND:
    case SPEC_DEVICE:
        result = view_show(in, op, source, path);
        break;
    case SPEC_DIR:
        result = make_folder(path);
        break;
    case SPEC_LINK:
        result = make_link(path, op->text.p);
        break;
    case SPEC_FILE:
        result = make_file(path, op->text);
        break;
    case SPEC_MASK:
        result = do_mask(path);
        break;
    case SPEC_KINDS:
        break;
    }
    if (result == 0 ||
        (op->optional && (root_is_absent(errno) || errno == EROFS || errno == EEXIST)))
        return 0;
    return err_sys(err, "make %s inside", op->dst);
}

/* The guest's disk: one tmpfs, at three places. The workspace is a mount point, which cannot be
 * renamed: the guest could replace a folder by a link that leads the collector out of the box. */
struct disk_place {
    const char *folder; /* on the disk */
    const char *at;     /* its path inside */
    const char *link;   /* with spec.forks: the path of a symbolic link to it; or NULL */
    const char *text;   /* the link's target */
    mode_t mode;
};

#define PLACES 3
static const struct disk_place places[PLACES] = {
    {"work", "box/work", NULL, NULL, 0755},
    {"tmp", "tmp", "tmp", "box/tmp", 01777},
    {"shm", "dev/shm", "dev/shm", "../box/shm", 01777},
};

static int open_place(const struct disk_place *p, const char *disk, int *ret_view, struct err *err)
{
    char path[64];

    snprintf(path, sizeof path, "%s/%s", disk, p->folder);
    if (mkdir(path, p->mode) < 0 || chmod(path, p->mode) < 0)
        return err_sys(err, "make %s", path);
    *ret_view = mount_clone(path, false);
    return *ret_view < 0 ? err_sys(err, "show %s", path) : 0;
}

static int show_place(const struct disk_place *place, int view, struct err *err)
{
    return root_attach(view, place->at) < 0 ? err_sys(err, "mount %s", place->at) : 0;
}

/* With forks, everything is below /box, and /box/shm covers the disk itself. */
static int show_below_box(const struct disk_place *place, int view, struct err *err)
{
    char path[64];

    snprintf(path, sizeof path, "box/%s", place->folder);
    return mount_attach(view, path) < 0 ? err_sys(err, "mount %s", path) : 0;
}

static int mount_box(struct inside *in, struct err *err)
{
    const char *disk = in->spec.forks ? "box/shm" : "box";
    int views[PLACES] = {-1, -1, -1}, result = 0;

    AUTO_CLOSE int box = make_tmpfs(in, in->spec.disk_bytes, in->spec.inodes, err);
    if (box < 0)
        return -1;
    if (root_attach(box, disk) < 0)
        return err_sys(err, "mount the guest's disk");
    for (size_t i = 0; i < PLACES && result == 0; i++)
        result = open_place(&places[i], disk, &views[i], err);
    for (size_t i = 0; i < PLACES && result == 0; i++)
        result = in->spec.forks ? show_below_box(&places[i], views[i], err)
                                : show_place(&places[i], views[i], err);
    for (size_t i = 0; i < PLACES; i++)
        fd_close(&views[i]);
    if (result < 0)
        return -1;
    in->box_fd = openat(box, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return in->box_fd < 0 ? err_sys(err, "open the guest's disk") : 0;
}

/* Mounts /proc, if the kernel permits it: not in a container whose own /proc is masked. */
static void mount_proc(struct inside *in, unsigned attr)
{
    struct err err;

    if (!(in->mode & LAYER_BIT(LAYER_PROC)) || !(in->mode & LAYER_BIT(LAYER_PIDNS)))
        return;
    AUTO_CLOSE int proc =
        mount_make("proc", NULL, attr | MOUNT_NOSUID | MOUNT_NODEV | MOUNT_NOEXEC, &err);
    if (proc >= 0 && mount_attach(proc, "proc") == 0)
        in->held |= LAYER_BIT(LAYER_PROC);
    else
        report_lost(LAYER_BIT(LAYER_PROC), proc < 0 ? err.msg : "mount /proc");
}

/* The kernel has 3072 pseudo-terminals for all mount namespaces but the host's first one, and
 * charges their buffers (64 KiB in each direction) to no process. */
#define PTYS_MOST "16"

/* Called before the root is read-only. */
static int make_pty_places(struct err *err)
{
    if (mkdir("dev/pts", 0755) < 0 || symlink("pts/ptmx", "dev/ptmx") < 0)
        return err_sys(err, "make the folder for pseudo-terminals");
    return 0;
}

/* Mounts pseudo-terminals that no other jail can name: each mount of devpts is a new instance.
 * Without it there is no /dev/pts/ptmx. */
static void mount_ptys(void)
{
    static const char *const options[] = {"ptmxmode", "666", "max", PTYS_MOST, NULL};
    struct err err;
    AUTO_CLOSE int pts = mount_make("devpts", options, MOUNT_NOSUID | MOUNT_NOEXEC, &err);

    if (pts >= 0)
        (void)mount_attach(pts, "dev/pts");
}

/* A mask hides a part of an earlier mount, and a view below one of the guest's own folders needs
 * that folder. Both come after the rest. */
static bool comes_last(const struct spec_op *op)
{
    return op->kind == SPEC_MASK || spec_in_box(op->dst);
}

static int run_plan(struct inside *in, bool last, struct err *err)
{
    for (size_t i = 0; i < in->spec.op_count; i++) {
        const struct spec_op *op = &in->spec.ops[i];
        if (comes_last(op) != last)
            continue;
        if (do_op(in, op, in->sources[i], err) < 0)
            return -1;
        fd_close(&in->sources[i]);
    }
    return 0;
}

/* Where a container's filter refuses pivot_root, or the host runs from its initramfs, the new root
 * is mounted over the old one. No path leads to the old one, and in every namespace made from this
 * one the cover is locked. A nest must not use this: processes with some capabilities join its
 * jails' namespaces. */
static int cover(const struct inside *in, int root)
{
    if (in->spec.nest)
        return -1;
    return mount_attach(root, "/") < 0 || chroot(".") < 0 ? -1 : chdir("/");
}

/* With "." as the new root and as the place of the old one, the old root ends up on top, and is
 * detached (pivot_root(2)). */
static int pivot(const struct inside *in, int root, struct err *err)
{
    if (in->chrooted && (enter_namespace_root() < 0 || fchdir(root) < 0))
        return err_sys(err, "leave the chroot");
    if (syscall(SYS_pivot_root, ".", ".") < 0) {
        err_sys(err, "exchange the root (pivot_root)");
        return cover(in, root);
    }
    if (umount2(".", MNT_DETACH) < 0)
        return err_sys(err, "unmount the host's root");
    if (chdir("/") < 0)
        return err_sys(err, "enter the new root");
    return 0;
}

/* The disk's three places stay writable, each through a mount of its own. A file elsewhere on the
 * disk, such as beside the workspace, would be lost after the run without a report. (With forks,
 * /box/shm covers the rest of the disk.) */
static int close_disk(const struct inside *in, struct err *err)
{
    if (in->spec.forks || mount_set(in->box_fd, false, MOUNT_RDONLY) == 0)
        return 0;
    return err_sys(err, "make the guest's disk read-only");
}

/* `root` is a new root to make read-only once the disk is mounted; -1 if it is read-only already.
 */
static int build_own(struct inside *in, int root, struct err *err)
{
    if (mount_box(in, err) < 0)
        return -1;
    if (root >= 0 && mount_set(root, false, MOUNT_RDONLY) < 0)
        return err_sys(err, "make the new root read-only");
    mount_ptys();
    mount_proc(in, MOUNT_RDONLY);
    return run_plan(in, true, err) < 0 || views_show_kept(in, err) < 0 ? -1 : close_disk(in, err);
}

int root_build_own(struct inside *in, struct err *err)
{
    return views_clone_kept(in, err) < 0 ? -1 : build_own(in, -1, err);
}

int root_map_ids(const struct inside *in, int self, uint32_t above)
{
    char uid[48], gid[48];

    snprintf(uid, sizeof uid, "%u %u 1", in->spec.uid, above);
    snprintf(gid, sizeof gid, "%u %u 1", in->spec.gid, in->spec.gid);
    return fd_write_file_at(self, "setgroups", "deny") < 0 ||
                   fd_write_file_at(self, "gid_map", gid) < 0 ||
                   fd_write_file_at(self, "uid_map", uid) < 0
               ? -1
               : 0;
}

int root_build_fork(struct inside *in, struct err *err)
{
    AUTO_CLOSE int proc = mount_make("proc", NULL, MOUNT_NOSUID | MOUNT_NODEV | MOUNT_NOEXEC, err);

    if (proc < 0)
        return -1;
    AUTO_CLOSE int self = openat(proc, "self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (self < 0 || root_map_ids(in, self, in->spec.uid) < 0) /* the origin's ids */
        return err_sys(err, "give a fork's namespace its ids");
    if (views_clone_kept(in, err) < 0 || mount_box(in, err) < 0)
        return -1;
    mount_ptys();
    if (mount_set(proc, false, MOUNT_RDONLY) < 0 || mount_attach(proc, "proc") < 0)
        return err_sys(err, "mount /proc");
    in->held |= LAYER_BIT(LAYER_PROC);
    return run_plan(in, true, err);
}

/* The mount points for the jails of a nest, and the nest's own /proc: without it, the kernel
 * refuses a /proc to each of those jails. */
static int make_places(struct inside *in, int root, struct err *err)
{
    char below[64];

    if (make_folder("box") < 0)
        return err_sys(err, "make /box inside");
    for (size_t i = 0; i < PLACES; i++) {
        const struct disk_place *p = &places[i];
        snprintf(below, sizeof below, "box/%s", p->folder);
        if (make_folder(in->spec.forks ? below : p->at) < 0 ||
            (in->spec.forks && p->link && make_link(p->link, p->text) < 0))
            return err_sys(err, "make %s inside", p->at);
    }
    if (views_keep(in, err) < 0)
        return -1;
    /* It is writable: the process that makes a jail has to write the jail's id maps in a /proc, and
     * the kernel permits a writable /proc only below a namespace that has one. */
    mount_proc(in, 0);
    if (mount_set(root, false, MOUNT_RDONLY) < 0)
        return err_sys(err, "make the new root read-only");
    return 0;
}

int root_build(struct inside *in, struct err *err)
{
    AUTO_CLOSE int root = make_tmpfs(in, 1 << 20, 4096, err);

    if (root < 0)
        return -1;
    if (mount_attach(root, STAGE) < 0 || fchdir(root) < 0)
        return err_sys(err, "stage the new root");
    if (mkdir("sys", 0555) < 0 || mkdir("proc", 0555) < 0 || mkdir("dev", 0755) < 0)
        return err_sys(err, "make the new root's folders");
    if (make_pty_places(err) < 0)
        return -1;
    if (in->finds.count && make_file(ROOT_EMPTY_FILE, (struct str){"", 0}) < 0)
        return err_sys(err, "make " ROOT_EMPTY_FILE);
    if (run_plan(in, false, err) < 0)
        return -1;
    if (in->spec.nest ? make_places(in, root, err) < 0 : build_own(in, root, err) < 0)
        return -1;
    if (pivot(in, root, err) < 0)
        return -1;
    in->held |= LAYER_BIT(LAYER_ROOT);
    return 0;
}
