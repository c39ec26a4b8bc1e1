/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "workspace/workspace_export.h"
#include "workspace/workspace_parts.h"

static const char *const reasons[SKIP_REASONS] = {
    [SKIP_SYMLINK] = "symbolic link",
    [SKIP_FIFO] = "fifo",
    [SKIP_SOCKET] = "socket",
    [SKIP_DEVICE] = "device",
    [SKIP_OTHER_FS] = "on another file system",
    [SKIP_TOO_LARGE] = "larger than the limit",
    [SKIP_TOO_MANY] = "too many files",
    [SKIP_TOO_DEEP] = "too deep",
    [SKIP_LONG_PATH] = "path too long",
    [SKIP_UNREADABLE] = "unreadable",
    [SKIP_CHANGED] = "changed while it was read",
    [SKIP_IN_THE_WAY] = "a file of another kind has this name there",
    [SKIP_BAD_NAME] = "this name is not permitted there",
    [SKIP_CACHE] = "a cache, which Python makes again",
    [SKIP_CONFIG] = "would configure glovebox itself",
    [SKIP_REPLACED] = "hidden by an input of the same name",
    [SKIP_WITHHELD] = "it is a part of the program's judge",
    [SKIP_KEPT] = "kept, because not everything could be brought out",
};

static const char *const changes[] = {
    [FILE_NEW] = "new",
    [FILE_MODIFIED] = "modified",
    [FILE_DELETED] = "deleted",
};

const char *file_change_name(enum file_change change)
{
    return changes[change];
}

char *file_skip_describe(const struct file_skip *skip, char *out, size_t n)
{
    char size[32];

    if (skip->reason == SKIP_UNREADABLE)
        snprintf(out, n, "%s: %s", reasons[skip->reason], strerror(skip->sys));
    else if (skip->reason == SKIP_TOO_LARGE)
        snprintf(out, n, "%s (%s)", reasons[skip->reason],
                 num_format_size(skip->size, size, sizeof size));
    else
        snprintf(out, n, "%s", reasons[skip->reason]);
    return out;
}

void skip_add(struct skip_list *list, struct str path, enum skip_reason reason, int sys,
              uint64_t size)
{
    if (list->count == SKIP_MAX) {
        list->more++;
        return;
    }
    list->items = xrealloc_array(list->items, list->count + 1, sizeof list->items[0]);
    list->items[list->count++] = (struct file_skip){.path = xstrndup(path.p, path.n),
                                                    .path_len = path.n,
                                                    .reason = reason,
                                                    .sys = sys,
                                                    .size = size};
}

void skip_list_done(struct skip_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].path);
    free(list->items);
    *list = (struct skip_list){0};
}

enum skip_reason skip_reason_of(mode_t mode)
{
    if (S_ISLNK(mode))
        return SKIP_SYMLINK;
    if (S_ISFIFO(mode))
        return SKIP_FIFO;
    if (S_ISSOCK(mode))
        return SKIP_SOCKET;
    return SKIP_DEVICE;
}

struct file_entry *file_set_add(struct file_set *set, struct str path, bool is_dir)
{
    size_t count = set->count;

    /* Grows at the powers of two; its ceiling is max_files. */
    if ((count & (count - 1)) == 0)
        set->entries = xrealloc_array(set->entries, count ? 2 * count : 1, sizeof set->entries[0]);
    struct file_entry *entry = &set->entries[set->count++];
    *entry = (struct file_entry){.path = xmalloc(path.n + 2), .path_len = path.n, .is_dir = is_dir};
    memcpy(entry->path, path.p, path.n);
    if (is_dir)
        entry->path[entry->path_len++] = '/';
    entry->path[entry->path_len] = '\0';
    return entry;
}

void file_set_add_content(struct file_set *set, struct str path, const struct content *content,
                          mode_t mode, bool was_there)
{
    struct file_entry *entry = file_set_add(set, path, false);

    entry->size = content->size;
    memcpy(entry->sha256, content->sha256, SHA256_HEX);
    entry->mime = mime_type(path.p, path.n, content->head, content->head_n);
    entry->change = was_there ? FILE_MODIFIED : FILE_NEW;
    entry->mode = mode & 0777;
    set->bytes += content->size;
}

static int compare_entries(const void *pa, const void *pb)
{
    const struct file_entry *a = pa, *b = pb;
    size_t n = a->path_len < b->path_len ? a->path_len : b->path_len;
    int order = memcmp(a->path, b->path, n);

    return order ? order : (a->path_len > b->path_len) - (a->path_len < b->path_len);
}

void file_set_sort(struct file_set *set)
{
    if (set->count)
        qsort(set->entries, set->count, sizeof set->entries[0], compare_entries);
}

void file_set_done(struct file_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->entries[i].path);
    free(set->entries);
    skip_list_done(&set->skipped);
    *set = (struct file_set){0};
}

char *path_show(struct str path, char *out, size_t n)
{
    size_t keep = path.n < n ? path.n : utf8_cut(path, n - 4);
    size_t at = 0;

    for (size_t i = 0; i < keep;) {
        size_t good = utf8_valid_prefix(str_slice(path, i, keep));
        for (size_t end = i + good; i < end; i++) {
            unsigned char c = (unsigned char)path.p[i];
            /* C1 controls are 0xC2 0x80 to 0xC2 0x9F. */
            bool c1 = c == 0xC2 && (unsigned char)path.p[i + 1] < 0xA0;
            out[at++] = c < ' ' || c == 0x7F ? '?' : path.p[i];
            if (c1) {
                out[at - 1] = '?';
                i++;
            }
        }
        if (i < keep) {
            out[at++] = '?';
            i++;
        }
    }
    if (keep < path.n) {
        memcpy(out + at, "...", 3);
        at += 3;
    }
    out[at] = '\0';
    return out;
}

int workspace_open_dir(const char *path, bool create, struct err *err)
{
    if (create && mkdir(path, 0755) < 0 && errno != EEXIST)
        return err_sys(err, "make folder %s", path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ERR_USAGE, "%s: no such folder", path);
    if (fd < 0 && errno == ENOTDIR)
        return err_set(err, ERR_USAGE, "%s: is not a folder", path);
    return fd < 0 ? err_sys(err, "open folder %s", path) : fd;
}
