/* SPDX-License-Identifier: Apache-2.0
 *
 * Inspects a fork before it continues. The fork waits in a system call and has one thread, so only
 * another process in its namespaces could change it meanwhile, and there must be none. Hostile code
 * may have made it: it could have other processes with it, capabilities, or the origin's control
 * groups, folders, memory or open files.
 *
 * Not every way of sharing is found: origin and fork hold a copy of the same program, and can talk
 * over their network once they run. The inspection looks for things that give a process more than a
 * guest may have, that escape the fork's limits and its end, or that surprise an honest program.
 */
#include "inside/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"

#define MAPS_MAX (8u << 20) /* bytes of /proc/PID/maps */
#define LEAVE_MS 1000

/* ---- alone ---- */

/* True if our user namespace has fewer than `allowed` processes. The kernel counts them all,
 * wherever they are: also the process that joined it, if that is still alive, and the threads and
 * children that it had before it entered our pid namespace. With RLIMIT_NPROC at `allowed`, we
 * request a clone whose pid is taken. It is never made, but the kernel checks the limit before the
 * pid: EEXIST means that the limit permits it. */
static bool are_fewer(rlim_t allowed)
{
    struct rlimit before, limit;

    if (getrlimit(RLIMIT_NPROC, &before) < 0)
        return false;
    limit = (struct rlimit){.rlim_cur = allowed, .rlim_max = before.rlim_max};
    if (setrlimit(RLIMIT_NPROC, &limit) < 0)
        return false;
    pid_t ours = getpid();
    struct clone3_args args = {
        .flags = CLONE_VM, .set_tid = (uint64_t)(uintptr_t)&ours, .set_tid_size = 1};
    bool allowed_more = syscall(SYS_clone3, &args, sizeof args) < 0 && errno == EEXIST;
    (void)setrlimit(RLIMIT_NPROC, &before);
    return allowed_more;
}

int check_alone(struct err *err)
{
    return are_fewer(2) && !are_fewer(1)
               ? 0
               : err_set(err, ERR_UNSUPPORTED,
                         "this kernel does not count processes by user namespace, which "
                         "forks need (Linux 5.14)");
}

/* The process that joined the namespaces exits right after it has forked. */
static int wait_until_alone(struct err *err)
{
    for (int ms = 0; ms < LEAVE_MS; ms++) {
        if (are_fewer(3))
            return 0;
        (void)poll(NULL, 0, 1);
    }
    return err_set(err, ERR_GUEST, "the fork has more than one process");
}

/* The kernel gives out process numbers upwards. A process that hides from one look by forking and
 * dying needs the numbers to wrap around during that look, and twice to hide from two looks: tens
 * of thousands of forks between two looks that are microseconds apart. */
static int look_around(pid_t *ret_only, struct err *err)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    int64_t pid;

    *ret_only = 0;
    if (!dir)
        return err_sys(err, "look for the fork");
    while ((entry = readdir(dir))) {
        if (!num_int64(str_from(entry->d_name), &pid) || pid == 1)
            continue;
        if (*ret_only) {
            closedir(dir);
            return err_set(err, ERR_GUEST, "the fork has more than one process");
        }
        *ret_only = (pid_t)pid;
    }
    closedir(dir);
    return *ret_only ? 0 : err_set(err, ERR_GUEST, "the fork ended before it could be inspected");
}

static int find_alone(pid_t *ret, struct err *err)
{
    pid_t again;

    if (look_around(ret, err) < 0 || look_around(&again, err) < 0)
        return -1;
    return *ret == again ? 0 : err_set(err, ERR_GUEST, "the fork has more than one process");
}

/* ---- without rights ---- */

static bool has_line(struct str status, const char *name, const char *value)
{
    struct str line;

    while (str_next_line(&status, &line)) {
        if (!str_starts(line, name))
            continue;
        struct str rest = str_trim(str_slice(line, strlen(name), line.n));
        return str_is(rest, value);
    }
    return false;
}

static int check_status(pid_t pid, struct err *err)
{
    static const struct {
        const char *name, *value;
    } wanted[] = {
        {"Threads:", "1"},
        {"CapInh:", "0000000000000000"},
        {"CapPrm:", "0000000000000000"},
        {"CapEff:", "0000000000000000"},
        {"CapBnd:", "0000000000000000"},
        {"CapAmb:", "0000000000000000"},
        {"NoNewPrivs:", "1"},
        {"Seccomp:", "2"},
    };
    char path[64], text[8192];

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (fd_read_file_at(AT_FDCWD, path, text, sizeof text) < 0)
        return err_sys(err, "look at the fork");
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        if (!has_line(str_from(text), wanted[i].name, wanted[i].value))
            return err_set(err, ERR_GUEST, "the fork has a right that it may not have (%.*s)",
                           (int)strlen(wanted[i].name) - 1, wanted[i].name);
    return 0;
}

/* ---- in a session of its own ---- */

/* A process keeps its controlling terminal over a fork, and reaches it by /dev/tty without a
 * descriptor: that would be one of the origin's pseudo-terminals. */
static int check_session(pid_t pid, struct err *err)
{
    char path[64], text[1024];
    int64_t session = 0, terminal = 0;
    struct str word;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (fd_read_file_at(AT_FDCWD, path, text, sizeof text) < 0 || !strrchr(text, ')'))
        return err_sys(err, "look at the fork's session");
    struct str rest = str_from(strrchr(text, ')'));
    for (int i = 0; i < 6 && str_next(&rest, ' ', &word); i++) {
        /* ") STATE PARENT GROUP SESSION TERMINAL" */
        if (i == 4)
            (void)num_int64(word, &session);
        if (i == 5)
            (void)num_int64(word, &terminal);
    }
    return session == pid && !terminal
               ? 0
               : err_set(err, ERR_GUEST, "the fork still has a session or terminal of its origin");
}

/* ---- in our groups and folders ---- */

/* The fork's cgroup file must equal ours: we are in the same groups, or in none. */
static int check_groups(pid_t pid, struct err *err)
{
    char path[64], ours[4096], its[4096];

    snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
    if (fd_read_file_at(AT_FDCWD, "/proc/self/cgroup", ours, sizeof ours) < 0 ||
        fd_read_file_at(AT_FDCWD, path, its, sizeof its) < 0)
        return err_sys(err, "look at the fork's control groups");
    return strcmp(ours, its) == 0
               ? 0
               : err_set(err, ERR_GUEST, "the fork did not enter its control groups");
}

/* A location: the mount, with a number unique over all namespaces, and the file in it. */
struct where {
    char mount[32];
    struct stat st;
};

static int look_where(const char *path, struct where *ret)
{
    char info[64], text[512];
    AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &ret->st) < 0)
        return -1;
    snprintf(info, sizeof info, "/proc/self/fdinfo/%d", fd);
    if (fd_read_file_at(AT_FDCWD, info, text, sizeof text) < 0)
        return -1;
    const char *at = strstr(text, "mnt_id:");
    if (!at)
        return -1;
    snprintf(ret->mount, sizeof ret->mount, "%.*s", (int)strcspn(at, "\n"), at);
    return 0;
}

/* A folder in the origin's mounts has the same path, and leads to the origin's disk. */
static int check_place(pid_t pid, const char *which, struct err *err)
{
    char link[64], path[4096];
    struct where its, ours;

    snprintf(link, sizeof link, "/proc/%d/%s", (int)pid, which);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n < 0 ? 0 : n] = '\0';
    if (n < 0 || look_where(link, &its) < 0 || look_where(path, &ours) < 0 ||
        strcmp(its.mount, ours.mount) != 0 || its.st.st_dev != ours.st.st_dev ||
        its.st.st_ino != ours.st.st_ino)
        return err_set(err, ERR_GUEST, "the fork still has a folder of its origin (%s)", which);
    return 0;
}

static int check_places(pid_t pid, struct err *err)
{
    if (check_groups(pid, err) < 0 || check_place(pid, "root", err) < 0)
        return -1;
    return check_place(pid, "cwd", err);
}

/* ---- without memory of others ---- */

/* Devices, in the notation of /proc/PID/maps. */
struct disks {
    char box[32];      /* the origin's */
    char nameless[32]; /* the device of memory files, anonymous maps, System V segments */
};

static void name_disk(char out[32], dev_t device)
{
    snprintf(out, 32, "%02x:%02x", major(device), minor(device));
}

static void name_disks(struct disks *ret, dev_t box)
{
    AUTO_CLOSE int fd = memfd_create("look", MFD_CLOEXEC);
    struct stat st = {0};

    (void)fstat(fd, &st);
    name_disk(ret->nameless, st.st_dev);
    name_disk(ret->box, box);
}

/* "FROM-TO RIGHTS OFFSET MAJOR:MINOR INODE PATH". A shared map without the right to write is
 * harmless if its file is in the read-only root, where no file is open for writing. */
static int check_map(struct str line, const struct disks *disks, struct err *err)
{
    struct str skipped, rights, device;

    if (!str_next(&line, ' ', &skipped) || !str_next(&line, ' ', &rights) ||
        !str_next(&line, ' ', &skipped) || !str_next(&line, ' ', &device) || rights.n < 4)
        return err_set(err, ERR_SYSTEM, "the fork's memory could not be inspected");
    bool shared = rights.p[3] == 's';
    if (!shared ||
        (rights.p[1] != 'w' && !str_is(device, disks->box) && !str_is(device, disks->nameless)))
        return 0;
    (void)str_next(&line, ' ', &skipped);
    struct str path = str_trim(line);
    return err_set(err, ERR_UNSUPPORTED, "it shares memory with other processes (mmap of %.*s)",
                   path.n ? (int)(path.n < 60 ? path.n : 60) : 16,
                   path.n ? path.p : "anonymous memory");
}

static int check_memory(pid_t pid, dev_t box, struct err *err)
{
    char path[64];
    struct disks disks;
    struct str rest, line;
    AUTO_BUF struct buf maps = {0};

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    buf_init(&maps, MAPS_MAX);
    if (fd < 0 || fd_read_all(fd, &maps) < 0)
        return err_sys(err, "look at the fork's memory");
    name_disks(&disks, box);
    rest = buf_str(&maps);
    while (str_next_line(&rest, &line))
        if (line.n && check_map(line, &disks, err) < 0)
            return -1;
    return 0;
}

int check_fork(int origin_box, pid_t *ret, struct err *err)
{
    struct stat st;

    if (fstat(origin_box, &st) < 0)
        return err_sys(err, "look at the origin's disk");
    if (wait_until_alone(err) < 0 || find_alone(ret, err) < 0 || check_status(*ret, err) < 0 ||
        check_session(*ret, err) < 0 || check_places(*ret, err) < 0)
        return -1;
    return check_memory(*ret, st.st_dev, err);
}
