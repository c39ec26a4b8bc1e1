/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "workspace/workspace_parts.h"

#define MAX_ENTRIES 1000000u
#define PAGE        4096u

struct lay_list *lay_list_new(uint64_t max_bytes, size_t max_entries)
{
    struct lay_list *list = xcalloc(1, sizeof *list);

    list->max_bytes = max_bytes;
    list->max_entries = max_entries && max_entries < MAX_ENTRIES ? max_entries : MAX_ENTRIES;
    return list;
}

void lay_list_free(struct lay_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++) {
        free(list->entries[i].path);
        free(list->entries[i].bytes);
    }
    for (size_t i = 0; i < list->source_count; i++) {
        if (list->sources[i].owned)
            fd_close(&list->sources[i].dirfd);
        free(list->sources[i].path);
    }
    skip_list_done(&list->skipped);
    free(list->entries);
    free(list->sources);
    free(list->table);
    free(list->withheld);
    free(list);
}

bool lay_list_next(const struct lay_list *list, size_t *at, struct str *ret_path)
{
    while (*at < list->count) {
        const struct lay_entry *entry = &list->entries[(*at)++];
        *ret_path = (struct str){entry->path, entry->path_len};
        if (entry->origin == ORIGIN_GIVEN && !entry->is_dir)
            return true;
    }
    return false;
}

const struct skip_list *lay_list_skipped(const struct lay_list *list)
{
    return &list->skipped;
}

/* FNV-1a, mixed at the end, with the list's heap address as a salt, because earlier guests may have
 * chosen the names of a work folder. */
static size_t workspace_list_slot_of(const struct lay_list *list, struct str path)
{
    uint64_t h = 14695981039346656037ULL ^ (uintptr_t)list >> 4;

    for (size_t i = 0; i < path.n; i++)
        h = (h ^ (unsigned char)path.p[i]) * 1099511628211ULL;
    h = (h ^ h >> 32) * 0x9E3779B97F4A7C15ULL;
    return (size_t)(h >> 32) & (list->table_size - 1);
}

/* The slot that holds the path, or the free one where it would be. */
static uint32_t *find_slot(const struct lay_list *list, struct str path)
{
    size_t slot = workspace_list_slot_of(list, path);

    for (;; slot = (slot + 1) & (list->table_size - 1)) {
        uint32_t index = list->table[slot];
        if (!index)
            return &list->table[slot];
        const struct lay_entry *entry = &list->entries[index - 1];
        if (str_eq(path, (struct str){entry->path, entry->path_len}))
            return &list->table[slot];
    }
}

struct lay_entry *lay_find(const struct lay_list *list, struct str path)
{
    if (!list->table_size)
        return NULL;
    uint32_t index = *find_slot(list, path);
    return index ? &list->entries[index - 1] : NULL;
}

static void workspace_list_grow(struct lay_list *list)
{
    if (list->count == list->cap)
        list->entries = mem_grow(list->entries, &list->cap, sizeof list->entries[0]);
    assert(list->entries);
    if (list->count * 2 < list->table_size)
        return;
    free(list->table);
    list->table_size = list->table_size ? 2 * list->table_size : 64;
    list->table = xcalloc(list->table_size, sizeof list->table[0]);
    for (size_t i = 0; i < list->count; i++) {
        struct str path = {list->entries[i].path, list->entries[i].path_len};
        *find_slot(list, path) = (uint32_t)i + 1;
    }
}

static int workspace_list_append(struct lay_list *list, struct str path, bool is_dir,
                                 enum lay_origin origin, struct lay_entry **ret, struct err *err)
{
    if (list->count == list->max_entries)
        return err_set(err, ERR_LIMIT, "there are more than %zu input files and folders",
                       list->max_entries);
    workspace_list_grow(list);
    *ret = &list->entries[list->count++];
    **ret = (struct lay_entry){.path = xstrndup(path.p, path.n),
                               .path_len = path.n,
                               .origin = origin,
                               .is_dir = is_dir,
                               .mode = is_dir ? 0755 : 0644};
    *find_slot(list, path) = (uint32_t)list->count;
    return 0;
}

static int both_kinds(struct str path, struct err *err)
{
    char shown[PATH_SHOW];

    return err_set(err, ERR_USAGE,
                   "input '%s' would be both a file and a folder; give one of them another name "
                   "(--file SRC:NAME)",
                   path_show(path, shown, sizeof shown));
}

/* Of two files with one name, the one given for this run replaces that of the work folder. */
static int workspace_list_settle(struct lay_list *list, struct lay_entry *entry,
                                 enum lay_origin origin, struct lay_entry **ret, struct err *err)
{
    struct str path = {entry->path, entry->path_len};
    char shown[PATH_SHOW];

    if (origin == entry->origin)
        return err_set(err, ERR_USAGE,
                       "two inputs would both be '%s'; give one of them another name "
                       "(--file SRC:NAME)",
                       path_show(path, shown, sizeof shown));
    skip_add(&list->skipped, path, SKIP_REPLACED, 0, 0);
    if (origin == ORIGIN_WORK)
        return 0;
    lay_uncount(list, entry);
    entry->origin = origin;
    *ret = entry;
    return 0;
}

static int claim_one(struct lay_list *list, struct str path, bool is_dir, enum lay_origin origin,
                     struct lay_entry **ret, struct err *err)
{
    struct lay_entry *entry = lay_find(list, path);

    *ret = NULL;
    if (!entry)
        return workspace_list_append(list, path, is_dir, origin, ret, err);
    if (entry->is_dir != is_dir)
        return both_kinds(path, err);
    if (!is_dir)
        return workspace_list_settle(list, entry, origin, ret, err);
    if (origin == ORIGIN_WORK)
        entry->origin = origin;
    return 0;
}

int lay_claim(struct lay_list *list, struct str path, bool is_dir, enum lay_origin origin,
              struct lay_entry **ret, struct err *err)
{
    enum lay_origin above = origin == ORIGIN_WORK ? origin : ORIGIN_PARENT;
    struct lay_entry *parent;

    for (size_t i = 1; i < path.n; i++)
        if (path.p[i] == '/' &&
            claim_one(list, str_slice(path, 0, i), true, above, &parent, err) < 0)
            return -1;
    return claim_one(list, path, is_dir, origin, ret, err);
}

void lay_uncount(struct lay_list *list, struct lay_entry *entry)
{
    list->bytes -= entry->size;
    list->pages_bytes -= (entry->size + PAGE - 1) / PAGE * PAGE;
    entry->size = 0;
}

void lay_count(struct lay_list *list, struct lay_entry *entry, uint64_t size)
{
    uint64_t pages = size > UINT64_MAX - PAGE ? size : (size + PAGE - 1) / PAGE * PAGE;

    entry->size = size;
    if (__builtin_add_overflow(list->bytes, size, &list->bytes))
        list->bytes = UINT64_MAX;
    if (__builtin_add_overflow(list->pages_bytes, pages, &list->pages_bytes))
        list->pages_bytes = UINT64_MAX;
}

/* Rounded up, so that a size over a limit never looks equal to it. */
static char *size_show(uint64_t bytes, char *out, size_t n)
{
    unsigned shift = bytes >> 20 ? 20 : bytes >> 10 ? 10 : 0;
    uint64_t rounded = (bytes >> shift) + ((bytes & ((1ULL << shift) - 1)) != 0);

    snprintf(out, n, "%llu%s", (unsigned long long)rounded,
             shift == 20   ? "m"
             : shift == 10 ? "k"
                           : " bytes");
    return out;
}

int lay_check(const struct lay_list *list, struct err *err)
{
    char have[32], limit[32];

    if (!list->max_bytes || list->pages_bytes <= list->max_bytes)
        return 0;
    return err_set(err, ERR_LIMIT,
                   "the input files take %s, more than the disk limit of %s; raise --disk",
                   size_show(list->pages_bytes, have, sizeof have),
                   num_format_size(list->max_bytes, limit, sizeof limit));
}

size_t lay_add_source(struct lay_list *list, int dirfd, bool owned, const char *path)
{
    list->sources = xrealloc_array(list->sources, list->source_count + 1, sizeof list->sources[0]);
    list->sources[list->source_count] =
        (struct lay_source){.dirfd = dirfd, .owned = owned, .path = xstrdup(path)};
    return list->source_count++;
}

/* ---- withheld files ---- */

void lay_withhold(struct lay_list *list, const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return;
    list->withheld =
        xrealloc_array(list->withheld, list->withheld_count + 1, sizeof *list->withheld);
    list->withheld[list->withheld_count++] = (struct file_id){st.st_dev, st.st_ino};
}

bool lay_withholds(const struct lay_list *list, const struct stat *st)
{
    for (size_t i = 0; list && i < list->withheld_count; i++)
        if (list->withheld[i].dev == st->st_dev && list->withheld[i].ino == st->st_ino)
            return true;
    return false;
}
