/* SPDX-License-Identifier: Apache-2.0
 *
 * What the workspace_*.c files share and nobody else uses.
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

/* ---- workspace_list.c: what is to be laid ---- */

enum lay_origin {
    ORIGIN_PARENT, /* a folder that others need */
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

    char *bytes;      /* the content, or NULL: */
    size_t source;    /* it is in list->sources[source], */
    size_t source_at; /* at path + source_at; when that is the whole path, the source is the file
                         itself */
};

/* A place on the host that entries come from: below dirfd, or else (dirfd -1) the file at path. */
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
/* NULL when nothing was laid there. */
struct lay_entry *lay_find(const struct lay_list *list, struct str path);
/* An entry for the path, and for its parents. *ret is NULL when the path is taken by something that
 * wins (said in list->skipped) or is a folder that is there already. */
int lay_claim(struct lay_list *list, struct str path, bool is_dir, enum lay_origin origin,
              struct lay_entry **ret, struct err *err);
/* Counts the content of a claimed file. Never fails: lay_check does, once for many. */
void lay_count(struct lay_list *list, struct lay_entry *entry, uint64_t size);
void lay_uncount(struct lay_list *list, struct lay_entry *entry);
int lay_check(const struct lay_list *list, struct err *err);
/* Index of a new source; takes dirfd if owned, copies path. */
size_t lay_add_source(struct lay_list *list, int dirfd, bool owned, const char *path);

/* Opens the host file of an entry without bytes; -1 with errno. What the user named may be a link;
 * below a folder no link is followed. `place` is the folder's (lay_place_init), or unused. */
int lay_open_source(const struct lay_list *list, const struct lay_entry *entry,
                    struct lay_place *place);

/* ---- workspace_set.c: lists that are told ---- */

void skip_add(struct skip_list *list, struct str path, enum skip_reason reason, int sys,
              uint64_t size);
void skip_list_done(struct skip_list *list);
/* The reason why something of this mode is no regular file. */
enum skip_reason skip_reason_of(mode_t mode);
/* An entry with this path, a '/' added for folders; the rest is zero. */
struct file_entry *file_set_add(struct file_set *set, struct str path, bool is_dir);
void file_set_sort(struct file_set *set);
/* Bytes that may be put in a line for people; cut to fit. Returns out. */
char *path_show(struct str path, char *out, size_t n);
#define PATH_SHOW 200

/* ---- workspace_walk.c: through a tree by descriptor ---- */

enum walk_step {
    WALK_ENTRY, /* something in a folder: name, path and st say what */
    WALK_LEAVE, /* a folder that was entered is read to its end: path and st are its own, `met` says
                   how many entries it had */
    WALK_DONE,
    WALK_FAILED, /* an entry, or the rest of a folder, cannot be read: path and errno say what, why
                  */
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
    bool hostile; /* unlocks what its owner (us) locked, stays on the root's file system */
    dev_t dev;
    char
        path[LAY_PATH_MAX + 1 + LAY_NAME_MAX + 1]; /* only folders up to LAY_PATH_MAX are entered */
    size_t path_n;
    const char *name; /* of the entry, in the folder walk_dirfd() */
    struct stat st;
    uint64_t met;
};

/* Starts at the folder root_fd, which stays the caller's. Call walk_done whatever it returns. -1
 * with errno. */
int walk_init(struct walk *w, int root_fd, size_t max_depth, bool hostile);
void walk_done(struct walk *w);
enum walk_step walk_next(struct walk *w);
/* The entry that walk_next just gave is a folder: go on inside. -1 with errno, EMLINK when that
 * would be too deep, ENAMETOOLONG, EXDEV when it is on another file system; the walk then goes on
 * after it. */
int walk_enter(struct walk *w);
/* The entry that walk_next just gave is a regular file: it, open for reading, even where the guest
 * locked it. -1 with errno, ESTALE when it is no file any more. */
int walk_open(const struct walk *w, struct stat *ret_st);
int walk_dirfd(const struct walk *w);
struct str walk_path(const struct walk *w);
/* An interpreter's cache, a __pycache__ folder or a *.pyc file: nobody's input and nobody's result.
 */
bool walk_at_cache(const struct walk *w);

/* Gives the owner `want` where that is us and it lacks it: a guest may lock its files. Nothing to
 * do is success; -1 with errno. A link is not followed. */
int unlock_at(int dirfd, const char *name, const struct stat *st, mode_t want);

#endif
