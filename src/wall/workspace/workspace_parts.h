/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the workspace_*.c files, and used by no other files.
 */
#ifndef WORKSPACE_WORKSPACE_PARTS_H
#define WORKSPACE_WORKSPACE_PARTS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "jail/lay.h"
#include "workspace/workspace.h"

/* ---- workspace_list.c: entries to be laid ---- */

enum lay_origin {
    ORIGIN_PARENT, /* a folder that other entries need */
    ORIGIN_GIVEN,  /* bytes, the program, or --file */
    ORIGIN_WORK,   /* --work-dir */
};

struct lay_entry {
    char *path;
    size_t path_len;
    enum lay_origin origin;
    bool is_dir;
    bool seen; /* met by workspace_collect */
    unsigned mode;
    uint64_t size;
    char sha256[SHA256_HEX]; /* "" until it was sent */

    char *bytes;      /* the content, or NULL if it is in a source */
    size_t source;    /* index in list->sources */
    size_t source_at; /* the path in the source is path + source_at; unused if the source is a file
                         itself */
};

/* A source of entries on the host: the folder dirfd, or (dirfd -1) the file at path. */
struct lay_source {
    int dirfd;
    bool owned;
    char *path;
};

struct file_id {
    dev_t dev;
    ino_t ino;
};

struct lay_list {
    uint64_t max_bytes;
    size_t max_entries;
    uint64_t bytes, pages_bytes;
    struct lay_entry *entries;
    size_t count, cap;
    uint32_t *table; /* open addressing over paths: index + 1, 0 for free */
    size_t table_size;
    struct lay_source *sources;
    size_t source_count;
    struct skip_list skipped;
    struct file_id *withheld;
    size_t withheld_count;
};

bool lay_withholds(const struct lay_list *list, const struct stat *st); /* the list may be NULL */
/* Returns the entry at the path; NULL when nothing was laid there. */
struct lay_entry *lay_find(const struct lay_list *list, struct str path);
/* Adds an entry for the path, and for its parents. *ret is NULL when another entry takes precedence
 * (reported in list->skipped) or the folder is there already. */
int lay_claim(struct lay_list *list, struct str path, bool is_dir, enum lay_origin origin,
              struct lay_entry **ret, struct err *err);
/* Counts the content of a claimed file. Never fails: lay_check reports an exceeded limit, once for
 * many files. */
void lay_count(struct lay_list *list, struct lay_entry *entry, uint64_t size);
void lay_uncount(struct lay_list *list, struct lay_entry *entry);
int lay_check(const struct lay_list *list, struct err *err);
/* Adds a source and returns its index; takes over dirfd if owned, copies path. */
size_t lay_add_source(struct lay_list *list, int dirfd, bool owned, const char *path);

/* Opens the host file of an entry without bytes; -1 with errno. A file that the user named may be a
 * link; below a folder no link is followed. `place` belongs to the folder (lay_place_init), or is
 * unused. */
int lay_open_source(const struct lay_list *list, const struct lay_entry *entry,
                    struct lay_place *place);

/* ---- workspace_set.c: lists in the result ---- */

void skip_add(struct skip_list *list, struct str path, enum skip_reason reason, int sys,
              uint64_t size);
void skip_list_done(struct skip_list *list);
/* The reason for skipping an entry of this mode, which is no regular file. */
enum skip_reason skip_reason_of(mode_t mode);
/* An entry with this path, a '/' added for folders; the rest is zero. */
struct file_entry *file_set_add(struct file_set *set, struct str path, bool is_dir);
struct content;
/* Adds a file that was read, and is new or has changed. */
void file_set_add_content(struct file_set *set, struct str path, const struct content *content,
                          mode_t mode, bool was_there);
void file_set_sort(struct file_set *set);
/* Escapes a path for a line that people read; cut to fit. Returns out. */
char *path_show(struct str path, char *out, size_t n);
#define PATH_SHOW 200

/* ---- workspace_walk.c: through a tree by descriptor ---- */

enum walk_step {
    WALK_ENTRY, /* an entry of a folder: see name, path and st */
    WALK_LEAVE, /* an entered folder was read to its end: path and st are its own, `met` is the
                   number of its entries */
    WALK_DONE,
    WALK_FAILED, /* an entry, or the rest of a folder, cannot be read: see path and errno */
};

struct walk_frame {
    DIR *dir;
    size_t path_n;
    uint64_t met;
    struct stat st;
};

struct walk {
    struct walk_frame *frames;
    size_t depth, max_depth;
    bool hostile; /* gives us back permissions that the guest removed, stays on the root's file
                     system */
    dev_t dev;
    char
        path[LAY_PATH_MAX + 1 + LAY_NAME_MAX + 1]; /* only folders up to LAY_PATH_MAX are entered */
    size_t path_n;
    const char *name; /* the entry's name in the folder walk_dirfd() */
    struct stat st;
    uint64_t met;
};

/* Starts at the folder root_fd, which the caller keeps. Call walk_done in every case. -1 with
 * errno. */
int walk_init(struct walk *w, int root_fd, size_t max_depth, bool hostile);
void walk_done(struct walk *w);
enum walk_step walk_next(struct walk *w);
/* The last entry of walk_next is a folder: continues inside. -1 with errno, EMLINK when that would
 * be too deep, ENAMETOOLONG, EXDEV when it is on another file system; the walk then continues after
 * it. */
int walk_enter(struct walk *w);
/* The reason why a folder was not entered, for this errno. */
enum skip_reason walk_refusal(int sys);
/* The last entry of walk_next is a regular file: opens it for reading, even if the guest removed
 * the permission. -1 with errno, ESTALE when it is no longer a file. */
int walk_open(const struct walk *w, struct stat *ret_st);
int walk_dirfd(const struct walk *w);
struct str walk_path(const struct walk *w);
/* True if the entry is an interpreter's cache, a __pycache__ folder or a *.pyc file: neither an
 * input nor a result. */
bool walk_at_cache(const struct walk *w);

/* Adds the permission `want` for the owner if we own the file and lack it: a guest may remove
 * permissions from its files. 0 also when there is nothing to do; -1 with errno. A link is not
 * followed. */
int unlock_at(int dirfd, const char *name, const struct stat *st, mode_t want);

#endif
