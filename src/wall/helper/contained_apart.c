/* SPDX-License-Identifier: Apache-2.0
 *
 * The helper where no container engine has built a wall: as one of the processes of a virtual
 * machine that is used for this guest alone. It builds the wall of a container: namespaces, the
 * machine's folders read-only, a workspace and a /tmp in memory, no capabilities. Then it acts as
 * pid 1 of a container.
 *
 * The first process only waits for the second. If either ends, so does the other, and every process
 * of the guest.
 *
 * If the machine does not permit this, because it is a container itself, the guest runs without
 * these layers, and its result reports that.
 */
#include "helper/contained.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "inside/inside.h"
#include "inside/mount.h"
#include "inside/slots.h"
#include "jail/caps.h"
#include "jail/host_box.h"

#define STAGE "/tmp" /* where the new root is mounted until pivot_root */

/* The first uid for guests. Each guest has a uid of its own, because the kernel counts processes by
 * user. */
#define UIDS 0x60000000u

enum { ROOT_BYTES = 1 << 20 };

/* ---- the namespaces ---- */

static int map_ids(unsigned uid, unsigned gid)
{
    char text[64];

    snprintf(text, sizeof text, "%u %u 1", uid, uid);
    if (fd_write_file_at(AT_FDCWD, "/proc/self/setgroups", "deny") < 0 ||
        fd_write_file_at(AT_FDCWD, "/proc/self/uid_map", text) < 0)
        return -1;
    snprintf(text, sizeof text, "%u %u 1", gid, gid);
    return fd_write_file_at(AT_FDCWD, "/proc/self/gid_map", text);
}

/* Root needs no user namespace, other users need one to make the other namespaces. */
static int leave_machine(bool net, struct err *err)
{
    bool root = caps_may_set_ids();
    unsigned uid = geteuid(), gid = getegid();
    int flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS |
                (net ? 0 : CLONE_NEWNET) | (root ? 0 : CLONE_NEWUSER);

    if (unshare(flags) < 0 || (!root && map_ids(uid, gid) < 0))
        return err_sys(err, "make namespaces in the sandbox");
    return 0;
}

/* ---- the root ---- */

/* Shows one of the machine's folders or links; leaves it out if we may not. */
static int contained_apart_show(const char *name, struct err *err)
{
    char from[300], to[300 + sizeof STAGE], target[300];
    struct stat st;

    snprintf(from, sizeof from, "/%s", name);
    snprintf(to, sizeof to, STAGE "/%s", name);
    ssize_t n = readlink(from, target, sizeof target - 1);
    if (n > 0) {
        target[n] = '\0';
        return symlink(target, to) < 0 ? err_sys(err, "link %s", from) : 0;
    }
    if (stat(from, &st) < 0 || !S_ISDIR(st.st_mode))
        return 0;
    AUTO_CLOSE int tree = mount_clone(from, true);
    if (tree < 0)
        return errno == EACCES ? 0 : err_sys(err, "show %s inside", from);
    if (mount_set(tree, true, MOUNT_RDONLY | MOUNT_NOSUID) < 0 || mkdir(to, 0755) < 0 ||
        mount_attach(tree, to) < 0)
        return err_sys(err, "show %s read-only", from);
    return 0;
}

static bool contained_apart_is_ours(const char *name)
{
    static const char *const ours[] = {".", "..", "box", "tmp", "proc"};

    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        if (strcmp(name, ours[i]) == 0)
            return true;
    return strlen(name) > 255;
}

static int show_all(struct err *err)
{
    DIR *dir = opendir("/");
    struct dirent *entry;
    int result = dir ? 0 : err_sys(err, "read the root folder");

    while (result == 0 && (entry = readdir(dir)))
        if (!contained_apart_is_ours(entry->d_name))
            result = contained_apart_show(entry->d_name, err);
    if (dir)
        (void)closedir(dir);
    return result;
}

static int make_memory(const char *path, uint64_t bytes, uint64_t inodes, struct err *err)
{
    char options[100], size[40] = "", count[40] = "";

    if (bytes)
        snprintf(size, sizeof size, ",size=%llu", (unsigned long long)bytes);
    if (inodes)
        snprintf(count, sizeof count, ",nr_inodes=%llu", (unsigned long long)inodes);
    snprintf(options, sizeof options, "mode=1777%s%s", size, count);
    if ((mkdir(path, 0755) < 0 && errno != EEXIST) ||
        mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
        return err_sys(err, "make %s", path + strlen(STAGE));
    return 0;
}

static int make_box(const struct contained_apart *a, struct err *err)
{
    if (mkdir(STAGE CONTAINED_BOX, 0755) < 0)
        return err_sys(err, "make " CONTAINED_BOX);
    return make_memory(STAGE CONTAINED_WORK, a->disk_bytes, a->inodes, err);
}

/* Some hosts permit no new /proc. The old one shows the machine's processes, which the guest has no
 * right to change. */
static int make_proc(struct err *err)
{
    if (mkdir(STAGE "/proc", 0755) == 0 &&
        (mount("proc", STAGE "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 ||
         mount("/proc", STAGE "/proc", NULL, MS_BIND | MS_REC, NULL) == 0))
        return 0;
    return err_sys(err, "make /proc");
}

/* Unmounts the old root; if "/" is no mount point, only chroot is possible. */
static int enter_root(struct err *err)
{
    if (chdir(STAGE) < 0)
        return err_sys(err, "enter the new root");
    if (syscall(SYS_pivot_root, ".", ".") == 0)
        (void)umount2(".", MNT_DETACH);
    else if (chroot(".") < 0)
        return err_sys(err, "enter the new root");
    return chdir("/") < 0 ? err_sys(err, "enter the new root") : 0;
}

static int build_root(const struct contained_apart *a, struct err *err)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 && errno != EINVAL)
        return err_sys(err, "make mounts private");
    if (make_memory(STAGE, ROOT_BYTES, 0, err) < 0 || show_all(err) < 0 || make_proc(err) < 0 ||
        make_box(a, err) < 0 || make_memory(STAGE "/tmp", a->disk_bytes, a->inodes, err) < 0)
        return -1;
    (void)make_memory(STAGE "/dev/shm", a->disk_bytes, a->inodes,
                      err); /* some machines have no such folder */
    if (enter_root(err) < 0)
        return -1;
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0
               ? err_sys(err, "make the root read-only")
               : 0;
}

/* ---- the ids ---- */

static void drop_root(uint64_t pids)
{
    struct inside in = {.mode = LAYER_BIT(LAYER_CAPS) | LAYER_BIT(LAYER_NNP)};
    const struct rlimit count = {pids + 1, pids + 1};
    unsigned id = UIDS + ((unsigned)clock_mono_ns() & 0xffffff);

    drop_bounding(&in);
    if (caps_may_set_ids()) {
        (void)setgroups(0, NULL);
        if (setresgid(id, id, id) < 0 || setresuid(id, id, id) < 0) /* some may not exist */
            (void)!setresgid(CONTAINED_UID, CONTAINED_UID, CONTAINED_UID),
                (void)!setresuid(CONTAINED_UID, CONTAINED_UID, CONTAINED_UID);
    }
    drop_privileges(&in);
    if (pids)
        (void)setrlimit(RLIMIT_NPROC, &count);
}

/* ---- the two processes ---- */

static int go_apart(const struct contained_apart *a, struct err *err)
{
    (void)sethostname("guest", 5);
    if (!a->net)
        network_prepare();
    if (build_root(a, err) < 0)
        return -1;
    drop_root(a->pids);
    if (geteuid() == 0 && !caps_is_bare_root())
        return err_set(err, ERR_SYSTEM, "cannot give up root's rights in the sandbox");
    return 0;
}

static int be_first(const struct contained_apart *a)
{
    struct err err;

    if (go_apart(a, &err) < 0) {
        contained_send_err(CONTAINED_FAILED, &err);
        return 1;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    contained_watch(a->memory_bytes, false);
    return contained_main();
}

static int wait_for(pid_t pid)
{
    int status;

    (void)close(STDIN_FILENO); /* only the other process may notice its end */
    (void)close(STDOUT_FILENO);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return 0;
}

static bool read_orders(char *const *words, struct contained_apart *ret)
{
    uint64_t *const numbers[] = {&ret->net, &ret->disk_bytes, &ret->inodes, &ret->memory_bytes,
                                 &ret->pids};

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        if (!words[i])
            return false;
        *numbers[i] = strtoull(words[i], NULL, 10);
    }
    return true;
}

/* ---- without a wall ---- */

static int try_to_build(const struct contained_apart *a)
{
    struct err ignored;
    int status;

    if (leave_machine(a->net, &ignored) < 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(go_apart(a, &ignored) < 0);
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status != 0 : 1;
}

/* Tries to build the wall in a separate process, because there is no way back out of a namespace.
 */
static bool can_build(const struct contained_apart *a)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(try_to_build(a));
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* A sandbox that is a container permits no namespaces. That container is the wall then. The guest
 * gets a user of its own: its signals do not reach other processes there, and limits apply to that
 * user alone. */
static int go_bare(const struct contained_apart *a, struct err *err)
{
    const struct rlimit size = {a->disk_bytes, a->disk_bytes};

    host_box_remove(CONTAINED_BOX);
    if (!caps_may_set_ids() || mkdir(CONTAINED_BOX, 0777) < 0 || chmod(CONTAINED_BOX, 01777) < 0)
        return err_set(err, ERR_UNSUPPORTED,
                       "the sandbox permits neither namespaces nor a user for the program");
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    drop_root(a->pids);
    if (geteuid() == 0)
        return err_set(err, ERR_SYSTEM, "cannot give up root's rights in the sandbox");
    if (a->disk_bytes)
        (void)setrlimit(RLIMIT_FSIZE, &size);
    return 0;
}

static int be_bare(const struct contained_apart *a)
{
    struct err err;

    if (go_bare(a, &err) < 0) {
        contained_send_err(CONTAINED_FAILED, &err);
        return 1;
    }
    contained_watch(a->memory_bytes, true);
    return contained_main();
}

int contained_apart_main(char *const *words)
{
    struct contained_apart a;
    struct err err;

    if (!read_orders(words, &a))
        return 2;
    if (!can_build(&a))
        return be_bare(&a);
    if (leave_machine(a.net, &err) < 0) {
        contained_send_err(CONTAINED_FAILED, &err);
        return 1;
    }
    pid_t pid = fork();
    if (pid == 0)
        return be_first(&a);
    return pid < 0 ? 1 : wait_for(pid);
}
