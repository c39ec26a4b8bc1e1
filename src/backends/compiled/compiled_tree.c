/* SPDX-License-Identifier: Apache-2.0 */
#include "compiled/compiled_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sha256.h"
#include "base/str.h"

enum { DEPTH_MAX = 140 }; /* more than workspace_collect copies */

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int open_subfolder(int parent_fd, const char *name)
{
    return openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A stream over a folder, which leaves the caller's descriptor open; NULL with errno. */
static DIR *read_folder(int dirfd)
{
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

    if (!dir)
        fd_close(&fd);
    return dir;
}

/* ---- making read-only ---- */

static int seal_below(int dirfd, unsigned depth, uint64_t *bytes);

static int seal_entry(int dirfd, const char *name, unsigned depth, uint64_t *bytes)
{
    struct stat st;

    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    if (S_ISREG(st.st_mode)) {
        *bytes += (uint64_t)st.st_size;
        return fchmodat(dirfd, name, st.st_mode & S_IXUSR ? 0555 : 0444, 0);
    }
    AUTO_CLOSE int fd = S_ISDIR(st.st_mode) ? open_subfolder(dirfd, name) : -1;
    if (fd < 0) {
        errno = EINVAL;
        return -1;
    }
    return seal_below(fd, depth + 1, bytes);
}

static int seal_below(int dirfd, unsigned depth, uint64_t *bytes)
{
    DIR *dir = depth < DEPTH_MAX ? read_folder(dirfd) : NULL;
    const struct dirent *e;
    int status = 0;

    if (!dir)
        return -1;
    while (status == 0 && (e = readdir(dir)))
        if (!is_dots(e->d_name))
            status = seal_entry(dirfd, e->d_name, depth, bytes);
    closedir(dir);
    return status < 0 ? -1 : fchmod(dirfd, 0555);
}

int compiled_seal(int dirfd, uint64_t *ret_bytes)
{
    *ret_bytes = 0;
    return seal_below(dirfd, 0, ret_bytes);
}

/* ---- removing ---- */

static void remove_below(int dirfd, unsigned depth);

static void remove_entry(int dirfd, const char *name, unsigned depth)
{
    AUTO_CLOSE int fd = -1;

    if (unlinkat(dirfd, name, 0) == 0 || (fd = open_subfolder(dirfd, name)) < 0)
        return;
    remove_below(fd, depth + 1);
    (void)unlinkat(dirfd, name, AT_REMOVEDIR);
}

static void remove_below(int dirfd, unsigned depth)
{
    (void)fchmod(dirfd, 0700);
    DIR *dir = depth < DEPTH_MAX ? read_folder(dirfd) : NULL;
    const struct dirent *e;

    if (!dir)
        return;
    while ((e = readdir(dir)))
        if (!is_dots(e->d_name))
            remove_entry(dirfd, e->d_name, depth);
    closedir(dir);
}

void compiled_remove(int parent_fd, const char *name)
{
    remove_entry(parent_fd, name, 0);
}

/* ---- pruning ---- */

uint64_t compiled_size(int entry_fd)
{
    char text[32];
    int64_t bytes = 0;

    if (fd_read_file_at(entry_fd, "about", text, sizeof text) < 0)
        return 0;
    struct str line = {text, strcspn(text, "\n")};
    return num_int64(line, &bytes) && bytes > 0 ? (uint64_t)bytes : 0;
}

struct kept {
    char name[SHA256_HEX];
    uint64_t bytes;
    struct timespec used;
};

struct kept_list {
    struct kept *items;
    size_t n;
    uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct kept *)a)->used,
                          *y = &((const struct kept *)b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Removes a folder that no process uses or makes; false if one does. A process that opened the
 * entry earlier finds that it has another name, and does not use it. */
static bool remove_unused(int root_fd, const char *name)
{
    AUTO_CLOSE int fd = open_subfolder(root_fd, name);
    char gone[32];

    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
        return false;
    snprintf(gone, sizeof gone, "making-gone-%.16s", name + strlen(name) / 2);
    if (strncmp(name, "making-", 7) == 0)
        compiled_remove(root_fd, name);
    else if (renameat(root_fd, name, root_fd, gone) == 0)
        compiled_remove(root_fd, gone);
    return true;
}

static void list_entry(struct kept_list *list, int root_fd, const char *name)
{
    AUTO_CLOSE int fd = open_subfolder(root_fd, name);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || strlen(name) >= sizeof list->items->name)
        return;
    list->items = xrealloc_array(list->items, list->n + 1, sizeof *list->items);
    struct kept *kept = &list->items[list->n++];
    *kept = (struct kept){.bytes = compiled_size(fd), .used = st.st_mtim};
    memcpy(kept->name, name, strlen(name) + 1);
    list->bytes += kept->bytes;
}

static void list_entries(struct kept_list *list, int root_fd)
{
    DIR *dir = read_folder(root_fd);
    const struct dirent *e;

    if (!dir)
        return;
    while ((e = readdir(dir))) {
        if (strncmp(e->d_name, "making-", 7) == 0)
            (void)remove_unused(root_fd, e->d_name);
        else if (strlen(e->d_name) == SHA256_HEX - 1)
            list_entry(list, root_fd, e->d_name);
    }
    closedir(dir);
}

void compiled_prune(int root_fd, uint64_t bytes_max, uint64_t entries_max)
{
    struct kept_list list = {0};

    list_entries(&list, root_fd);
    size_t left = list.n;
    if (list.n)
        qsort(list.items, list.n, sizeof *list.items, by_use);
    for (size_t i = 0; i < list.n && (list.bytes > bytes_max || left > entries_max); i++) {
        if (!remove_unused(root_fd, list.items[i].name))
            continue;
        list.bytes -= list.items[i].bytes;
        left--;
    }
    free(list.items);
}
