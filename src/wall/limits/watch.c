/* SPDX-License-Identifier: Apache-2.0 */
#include "limits/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"
#include "base/str.h"
#include "limits/proc_stat.h"
#include "limits/watch_files.h"
#include "limits/watch_sockets.h"
#include "limits/watch_walk.h"

static int outcome(const struct watch_tree *tree, const struct watch_walk *w)
{
    if (kill(tree->root, 0) < 0 && errno == ESRCH)
        return -1;
    if (!w->full)
        return 0;
    errno = E2BIG;
    return -1;
}

enum sort { PAGES, SWAP, TABLES, SHMEM, SHARED_DIRTY, SORTS };
struct memory {
    uint64_t of[SORTS];
};

/* A line of /proc/PID/status or smaps_rollup, and the sum to which it is added. */
struct memory_line {
    const char *name;
    enum sort sort;
};

static const struct memory_line estimate_lines[] = {
    {"RssAnon", PAGES}, {"RssShmem", SHMEM}, {"VmSwap", SWAP}, {"VmPTE", TABLES}, {NULL, PAGES}};
/* Pages that a process shares with others by fork are dirty. */
static const struct memory_line exact_lines[] = {{"Pss_Anon", PAGES},
                                                 {"Pss_Shmem", SHMEM},
                                                 {"SwapPss", SWAP},
                                                 {"Shared_Dirty", SHARED_DIRTY},
                                                 {NULL, PAGES}};
/* Also from the status: a guest may have only page tables, because it read pages of zeros. */
static const struct memory_line table_lines[] = {{"VmPTE", TABLES}, {NULL, PAGES}};

static uint64_t kilobytes(struct str s)
{
    int64_t n;

    if (str_ends(s, " kB"))
        s = str_slice(s, 0, s.n - 3);
    return num_int64(str_trim(s), &n) && n > 0 ? (uint64_t)n * 1024 : 0;
}

/* False if the file could not be read or has none of the lines; then nothing was added. */
static bool add_memory_of(pid_t pid, const char *file, const struct memory_line *lines,
                          struct memory *sum)
{
    char path[40], text[4096];
    struct str rest, line, name;
    bool found = false;
    ssize_t n;

    (void)snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    n = fd_read_file_at(AT_FDCWD, path, text, sizeof text);
    rest = (struct str){text, n < 0 ? 0 : (size_t)n};
    while (str_next_line(&rest, &line)) {
        if (!str_next(&line, ':', &name))
            continue;
        for (const struct memory_line *l = lines; l->name; l++) {
            if (!str_is(name, l->name))
                continue;
            sum->of[l->sort] += kilobytes(line);
            found = true;
        }
    }
    return found;
}

struct memory_look {
    const char *file;
    const struct memory_line *lines;
    struct memory *sum;
};

static bool look_at_thread(void *ctx, pid_t thread)
{
    const struct memory_look *look = ctx;

    return add_memory_of(thread, look->file, look->lines, look->sum);
}

/* If the first thread has ended, only the other threads still show the memory. */
static bool add_memory(pid_t pid, const char *file, const struct memory_line *lines,
                       struct memory *sum)
{
    struct memory_look look = {file, lines, sum};

    return add_memory_of(pid, file, lines, sum) || watch_threads(pid, look_at_thread, &look);
}

static uint64_t tmpfs_bytes(int fd)
{
    struct statfs fs;

    if (fd < 0 || fstatfs(fd, &fs) < 0)
        return 0;
    return (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
}

#define SEEN_MAX 1024 /* the number of slots */

struct memory_files {
    dev_t device;
    uint64_t bytes;
    size_t count;
    ino_t seen[SEEN_MAX];
};

/* True if the inode was not seen yet. If the table is half full, further inodes are not remembered,
 * and count each time they are open. */
static bool is_new(struct memory_files *files, ino_t inode)
{
    size_t at = inode * 2654435761u % SEEN_MAX;

    for (; files->seen[at]; at = (at + 1) % SEEN_MAX)
        if (files->seen[at] == inode)
            return false;
    if (files->count < SEEN_MAX / 2) {
        files->seen[at] = inode;
        files->count++;
    }
    return true;
}

/* The device on which the kernel keeps all memfds; 0 if it cannot be found out. */
static dev_t memfd_device(void)
{
    static _Atomic dev_t known;
    struct stat st;

    if (!known) {
        AUTO_CLOSE int sample = memfd_create("glovebox-watch", MFD_CLOEXEC);
        if (sample >= 0 && fstat(sample, &st) == 0)
            known = st.st_dev;
    }
    return known;
}

static void look_at_file(void *ctx, const struct watch_file *file)
{
    struct memory_files *files = ctx;

    if (file->st->st_dev == files->device && is_new(files, file->st->st_ino))
        files->bytes += (uint64_t)file->st->st_blocks * 512;
}

static uint64_t memfd_bytes(const struct watch_walk *w)
{
    struct memory_files files = {.device = memfd_device()};

    for (size_t i = 0; files.device && i < w->count; i++)
        watch_files(w->pids[i], look_at_file, &files);
    return files.bytes;
}

static uint64_t socket_bytes(const struct watch_tree *tree, const struct watch_walk *w)
{
    struct watch_sockets watch = {
        .pids = w->pids, .count = w->count, .with_unix = true, .family = &tree->family};
    struct watch_adrift adrift = {0};
    uint64_t bytes = tree->with_sockets ? watch_sockets(&watch, tree->exact_at_bytes, &adrift) : 0;

    if (tree->ret_adrift)
        *tree->ret_adrift = adrift;
    return bytes;
}

static uint64_t total(const struct memory *sum, uint64_t in_files)
{
    return sum->of[PAGES] + sum->of[SWAP] + sum->of[TABLES] +
           (sum->of[SHMEM] > in_files ? sum->of[SHMEM] : in_files);
}

static void watch_sum_up(struct memory *sum, const struct memory *one)
{
    for (int i = 0; i < SORTS; i++)
        sum->of[i] += one->of[i];
}

/* An upper bound. *ret_largest is the number of bytes in pages of the largest process. */
static struct memory look_quickly(const struct watch_walk *w, uint64_t *ret_largest)
{
    struct memory sum = {{0}};

    *ret_largest = 0;
    for (size_t i = 0; i < w->count; i++) {
        struct memory one = {{0}};
        (void)add_memory(w->pids[i], "status", estimate_lines, &one);
        watch_sum_up(&sum, &one);
        if (one.of[PAGES] > *ret_largest)
            *ret_largest = one.of[PAGES];
    }
    return sum;
}

/* True while a process has the memory of its parent, as after vfork. */
static bool is_in_parents_memory(const struct watch_walk *w, size_t i)
{
    pid_t parent = w->pids[w->parents[i]];

    return parent != w->pids[i] && syscall(SYS_kcmp, parent, w->pids[i], KCMP_VM, 0, 0) == 0;
}

/* The part of each process; *ret_shared is what `first` shares with any other one, or UINT64_MAX.
 */
static struct memory look_exactly(const struct watch_walk *w, pid_t first, uint64_t *ret_shared)
{
    struct memory sum = {{0}};

    *ret_shared = UINT64_MAX;
    for (size_t i = 0; i < w->count; i++) {
        struct memory one = {{0}};
        if (is_in_parents_memory(w, i))
            continue;
        bool found = add_memory(w->pids[i], "smaps_rollup", exact_lines, &one);
        (void)add_memory(w->pids[i], "status", found ? table_lines : estimate_lines, &one);
        if (found && w->pids[i] == first)
            *ret_shared = one.of[SHARED_DIRTY];
        watch_sum_up(&sum, &one);
    }
    return sum;
}

/* A page that was inherited and is not shared any more is the process's own, unless the others that
 * had it have ended. */
static void note_inherited(struct watch_inherited *inherited, uint64_t shared)
{
    if (inherited && shared < inherited->bytes &&
        !(inherited->origin >= 0 && fd_readable(inherited->origin)))
        inherited->bytes = shared;
}

int watch_tree_memory(const struct watch_tree *tree, uint64_t *ret_bytes)
{
    uint64_t in_files = tmpfs_bytes(tree->tmpfs_fd), in_sockets, largest, shared;
    struct memory sum;
    struct watch_walk w;

    walk_tree(tree, &w);
    in_files += memfd_bytes(&w);
    in_sockets = socket_bytes(tree, &w);
    sum = look_quickly(&w, &largest);
    if (tree->ret_largest)
        *tree->ret_largest = largest;
    *ret_bytes = total(&sum, in_files) + in_sockets;
    if (!tree->exact_at_bytes || *ret_bytes < tree->exact_at_bytes)
        return outcome(tree, &w);
    sum = look_exactly(&w, tree->beside, &shared);
    if (sum.of[PAGES] < largest)
        sum.of[PAGES] = largest;
    note_inherited(tree->inherited, shared);
    *ret_bytes = total(&sum, in_files) + in_sockets;
    return outcome(tree, &w);
}

int watch_tree_part(const struct watch_tree *tree, uint64_t *ret_bytes)
{
    uint64_t in_files = tmpfs_bytes(tree->tmpfs_fd), shared;
    struct watch_walk w;

    walk_tree(tree, &w);
    in_files += memfd_bytes(&w);
    struct memory sum = look_exactly(&w, 0, &shared);
    *ret_bytes = total(&sum, in_files) + socket_bytes(tree, &w);
    return outcome(tree, &w);
}

uint64_t watch_tree_begin(const struct watch_tree *tree)
{
    struct memory first = {{0}};

    if (tree->beside)
        (void)add_memory(tree->beside, "status", estimate_lines, &first);
    return first.of[PAGES];
}

size_t watch_tree_processes(const struct watch_tree *tree, pid_t *ret_pids, size_t max)
{
    struct watch_walk w;

    walk_tree(tree, &w);
    size_t count = w.count < max ? w.count : max;
    memcpy(ret_pids, w.pids, count * sizeof *ret_pids);
    return count;
}

/* The folder of the threads has two links and one more for each thread. */
int watch_tree_tasks(const struct watch_tree *tree, uint64_t *ret_tasks)
{
    char path[32];
    struct stat st;
    struct watch_walk w;

    walk_tree(tree, &w);
    *ret_tasks = 0;
    for (size_t i = 0; i < w.count; i++) {
        (void)snprintf(path, sizeof path, "/proc/%d/task", w.pids[i]);
        *ret_tasks += stat(path, &st) == 0 && st.st_nlink > 2 ? st.st_nlink - 2 : 1;
    }
    return outcome(tree, &w);
}

int watch_tree_cpu(const struct watch_tree *tree, uint64_t *ret_ns)
{
    const uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    struct proc_stat stat;
    uint64_t ticks = 0;
    struct watch_walk w;

    walk_tree(tree, &w);
    for (size_t i = 0; i < w.count; i++)
        if (proc_stat_read(w.pids[i], &stat) == 0)
            ticks += (uint64_t)(stat.user + stat.system + stat.waited_user + stat.waited_system);
    *ret_ns = ticks * tick_ns;
    return outcome(tree, &w);
}
