/* SPDX-License-Identifier: Apache-2.0 */
#include "workspace/workspace_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "formats/mime.h"
#include "workspace/workspace_export.h"
#include "workspace/workspace_parts.h"

enum { DEPTH_MAX = 128, TABLE_MIN = 64 };

/* A folder whose last change is at least this old gets a different time at its next change: the
 * time stamps of some kernels are a few milliseconds coarse. */
#define SETTLED_MS 1000

struct known {
    char *path; /* NULL: a free slot of the table */
    size_t path_n;
    uint64_t ino, size;
    int64_t mtime_ns, ctime_ns;
    mode_t mode;
    unsigned seen;           /* number of the last walk that met it */
    char sha256[SHA256_HEX]; /* "" if unknown */
};

/* A table with open addressing; entries of deleted files stay in it until it is rebuilt. */
struct changes {
    struct changes_limits limits;
    struct known *table;
    uint64_t salt; /* because the guest chooses the names */
    size_t size, used, alive;
    unsigned walk;
    int64_t empty_ns; /* while the folder has this ctime, it is empty; 0: unknown */
};

struct collect {
    struct changes *c;
    struct file_set *set;
    struct walk walk;
    struct file_reader reader;
    bool quiet;                  /* only record, without reporting */
    const struct lay_list *laid; /* if quiet, as the next member */
    const struct changes *like;
    uint64_t visited;
    uint64_t read; /* bytes, of reported and unreported files */
    bool whole;    /* the walk was complete: entries that it did not meet are deleted */
};

/* ---- the table ---- */

/* Multiplications that a guest cannot invert without the salt. */
static size_t hash_of(const struct changes *c, struct str path)
{
    uint64_t h = c->salt;

    for (size_t i = 0; i < path.n; i++) {
        h = (h ^ (unsigned char)path.p[i]) * (c->salt | 1);
        h ^= h >> 31;
    }
    return (size_t)(h ^ h >> 29);
}

static struct known *place_of(const struct changes *c, struct str path)
{
    size_t i = hash_of(c, path) & (c->size - 1);

    while (c->table[i].path && !str_eq((struct str){c->table[i].path, c->table[i].path_n}, path))
        i = (i + 1) & (c->size - 1);
    return &c->table[i];
}

static bool workspace_changes_is_gone(const struct known *k)
{
    return !k->ino;
}

/* Rebuilds the table with twice the room for its entries, without deleted files. */
static void make_anew(struct changes *c)
{
    struct known *old = c->table;
    size_t old_size = c->size;

    c->size = TABLE_MIN;
    while (c->size < 4 * c->alive)
        c->size *= 2;
    c->table = xcalloc(c->size, sizeof *c->table);
    c->used = c->alive;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i].path && !workspace_changes_is_gone(&old[i]))
            *place_of(c, (struct str){old[i].path, old[i].path_n}) = old[i];
        else
            free(old[i].path);
    }
    free(old);
}

/* Returns the entry of that path, created if it is missing; NULL when there are too many. */
static struct known *know(struct changes *c, struct str path)
{
    struct known *k = place_of(c, path);

    if (k->path && !workspace_changes_is_gone(k))
        return k;
    if (c->alive >= c->limits.max_entries)
        return NULL;
    if (!k->path && 2 * (c->used + 1) > c->size) {
        make_anew(c);
        k = place_of(c, path);
    }
    if (!k->path) {
        *k = (struct known){.path = xstrndup(path.p, path.n), .path_n = path.n};
        c->used++;
    }
    c->alive++;
    return k;
}

static void workspace_changes_forget(struct changes *c, struct known *k)
{
    c->alive--;
    k->ino = 0;
    k->sha256[0] = '\0';
}

struct changes *changes_new(const struct changes_limits *limits)
{
    struct changes *c = xcalloc(1, sizeof *c);

    c->limits = *limits;
    (void)!getrandom(&c->salt, sizeof c->salt, 0);
    make_anew(c);
    return c;
}

void changes_free(struct changes *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->size; i++)
        free(c->table[i].path);
    free(c->table);
    free(c);
}

/* ---- one entry ---- */

static int64_t ns_of(struct timespec t)
{
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static bool looks_the_same(const struct known *k, const struct stat *st)
{
    return k->ino == st->st_ino && k->size == (uint64_t)st->st_size && k->mode == st->st_mode &&
           k->mtime_ns == ns_of(st->st_mtim) && k->ctime_ns == ns_of(st->st_ctim);
}

static void note_look(struct known *k, const struct stat *st)
{
    k->ino = st->st_ino;
    k->size = (uint64_t)st->st_size;
    k->mode = st->st_mode;
    k->mtime_ns = ns_of(st->st_mtim);
    k->ctime_ns = ns_of(st->st_ctim);
}

static void skip(struct collect *t, enum skip_reason reason, int sys, uint64_t size)
{
    if (!t->quiet)
        skip_add(&t->set->skipped, walk_path(&t->walk), reason, sys, size);
}

static int begin_copy(struct collect *t, struct err *err)
{
    enum skip_reason why;

    if (!t->reader.target_count)
        return 0;
    int begun =
        export_begin(&t->reader.targets[0], walk_path(&t->walk), t->walk.st.st_mode, &why, err);
    if (begun > 0)
        skip(t, why, 0, 0);
    return begun < 0 ? -1 : 0;
}

/* Only reported content is brought out; the copy of an unchanged file is dropped. */
static int end_copy(struct collect *t, bool keep, struct err *err)
{
    struct export *x = &t->reader.targets[0];
    enum skip_reason why;

    if (!t->reader.target_count || x->fd < 0)
        return 0;
    if (!keep) {
        export_cancel(x);
        return 0;
    }
    int done = export_commit(x, walk_path(&t->walk), &why, err);
    if (done > 0)
        skip(t, why, 0, 0);
    return done < 0 ? -1 : 0;
}

/* The limit counts the bytes that are read, not those reported: a guest can change its files again
 * and again. */
static uint64_t may_read(const struct collect *t)
{
    return t->read < t->c->limits.max_bytes ? t->c->limits.max_bytes - t->read : 0;
}

static int workspace_changes_read_content(struct collect *t, int fd, struct known *k,
                                          bool was_there, struct err *err)
{
    struct content content = {0};

    if (begin_copy(t, err) < 0)
        return -1;
    t->reader.path = walk_path(&t->walk);
    enum reading reading = file_reader_twice(&t->reader, fd, may_read(t), &content, err);
    if (reading != READ_TOO_LARGE) /* such a file was not read */
        t->read += reading == READ_CHANGED ? 2 * content.size : content.size;
    bool same = reading == READ_DONE && was_there && k->sha256[0] &&
                memcmp(k->sha256, content.sha256, SHA256_HEX) == 0;
    if (reading == READ_FATAL || end_copy(t, reading == READ_DONE && !same, err) < 0)
        return -1;
    if (reading != READ_DONE) {
        skip(t,
             reading == READ_CHANGED     ? SKIP_CHANGED
             : reading == READ_TOO_LARGE ? SKIP_TOO_LARGE
                                         : SKIP_UNREADABLE,
             reading == READ_FAILED ? errno : 0, content.size);
        k->sha256[0] = '\0';
        return 0;
    }
    memcpy(k->sha256, content.sha256, SHA256_HEX);
    if (!same)
        file_set_add_content(t->set, walk_path(&t->walk), &content, t->walk.st.st_mode, was_there);
    return 0;
}

static int visit_file(struct collect *t, struct known *k, bool was_there, struct err *err)
{
    uint64_t size = (uint64_t)t->walk.st.st_size;
    struct stat st;

    if (t->set->count >= t->c->limits.max_files || size > may_read(t)) {
        skip(t, t->set->count >= t->c->limits.max_files ? SKIP_TOO_MANY : SKIP_TOO_LARGE, 0, size);
        k->sha256[0] = '\0';
        return 0;
    }
    AUTO_CLOSE int fd = walk_open(&t->walk, &st);
    if (fd < 0) {
        skip(t, SKIP_UNREADABLE, errno, 0);
        return 0;
    }
    return workspace_changes_read_content(t, fd, k, was_there, err);
}

/* Looks up the hash: a laid file has one already, and the original of a copied file may have one.
 */
static void learn_sum(struct collect *t, struct known *k)
{
    struct str path = walk_path(&t->walk);
    const struct lay_entry *laid = t->laid ? lay_find(t->laid, path) : NULL;
    const struct known *like = t->like ? place_of(t->like, path) : NULL;

    if (laid && !laid->is_dir && laid->size == k->size)
        memcpy(k->sha256, laid->sha256, SHA256_HEX);
    if (like && like->path && !workspace_changes_is_gone(like) && like->size == k->size &&
        like->mode == k->mode && like->mtime_ns == k->mtime_ns)
        memcpy(k->sha256, like->sha256, SHA256_HEX);
}

static void workspace_changes_enter(struct collect *t)
{
    if (walk_enter(&t->walk) == 0)
        return;
    t->whole = false;
    skip(t, walk_refusal(errno), errno, 0);
}

static int workspace_changes_visit(struct collect *t, struct err *err)
{
    mode_t mode = t->walk.st.st_mode;
    bool looked_same = false, was_there = false;

    if (walk_at_cache(&t->walk))
        return 0;
    if (S_ISDIR(mode)) {
        workspace_changes_enter(t);
        return 0;
    }
    struct known *k = know(t->c, walk_path(&t->walk));
    if (!k) {
        t->whole = false;
        skip(t, SKIP_TOO_MANY, 0, 0);
        return 0;
    }
    was_there = k->ino && S_ISREG(k->mode);
    looked_same = k->ino && looks_the_same(k, &t->walk.st);
    k->seen = t->c->walk;
    if (looked_same)
        return 0;
    note_look(k, &t->walk.st);
    if (t->quiet) {
        learn_sum(t, k);
        return 0;
    }
    if (S_ISREG(mode))
        return visit_file(t, k, was_there, err);
    skip(t, skip_reason_of(mode), 0, 0);
    return 0;
}

/* ---- all ---- */

static int walk_all(struct collect *t, struct err *err)
{
    uint64_t most = 4 * (uint64_t)t->c->limits.max_entries; /* folders are not in the table */

    for (;;) {
        enum walk_step step = walk_next(&t->walk);
        if (step == WALK_DONE)
            return 0;
        if (step == WALK_FAILED) {
            t->whole = false;
            skip(t, SKIP_UNREADABLE, errno, 0);
        }
        if (step != WALK_ENTRY)
            continue;
        if (++t->visited > most) {
            t->whole = false;
            skip(t, SKIP_TOO_MANY, 0, 0);
            return 0;
        }
        if (workspace_changes_visit(t, err) < 0)
            return -1;
    }
}

static void report_gone(struct collect *t, struct known *k)
{
    bool file = S_ISREG(k->mode);

    if (!t->quiet && file && t->set->count < t->c->limits.max_files) {
        struct file_entry *entry = file_set_add(t->set, (struct str){k->path, k->path_n}, false);
        entry->mime = mime_type(k->path, k->path_n, "", 0);
        entry->change = FILE_DELETED;
    }
    workspace_changes_forget(t->c, k);
}

static void find_gone(struct collect *t)
{
    size_t seen = 0;

    for (size_t i = 0; i < t->c->size; i++)
        seen += t->c->table[i].path && t->c->table[i].seen == t->c->walk;
    if (seen == t->c->alive)
        return;
    for (size_t i = 0; i < t->c->size; i++) {
        struct known *k = &t->c->table[i];
        if (k->path && !workspace_changes_is_gone(k) && k->seen != t->c->walk)
            report_gone(t, k);
    }
}

/* The ctime, which guests cannot set. */
static int64_t changed_at(int root_fd)
{
    struct stat st;

    return fstat(root_fd, &st) < 0 ? 0 : ns_of(st.st_ctim);
}

static int workspace_changes_look(struct collect *t, int root_fd, struct err *err)
{
    int64_t changed_ns = changed_at(root_fd), now_ms = clock_wall_ms();
    int result;

    if (changed_ns && changed_ns == t->c->empty_ns)
        return 0;
    t->c->walk++;
    t->whole = true;
    if (walk_init(&t->walk, root_fd, DEPTH_MAX, true) < 0)
        result = err_sys(err, "read the workspace");
    else
        result = walk_all(t, err);
    walk_done(&t->walk);
    if (result == 0 && t->whole)
        find_gone(t);
    bool empty =
        result == 0 && t->whole && !t->visited && now_ms - changed_ns / 1000000 > SETTLED_MS;
    t->c->empty_ns = empty ? changed_ns : 0;
    return result;
}

void changes_begin(struct changes *c, int root_fd, const struct lay_list *laid,
                   const struct changes *like)
{
    struct file_set nothing = {0};
    struct collect t = {.c = c, .set = &nothing, .quiet = true, .laid = laid, .like = like};
    struct err err;

    (void)workspace_changes_look(&t, root_fd, &err);
}

int changes_collect(struct changes *c, int root_fd, int out_dirfd, struct file_set *ret,
                    struct err *err)
{
    struct file_set set = {.complete = true};
    struct collect t = {.c = c, .set = &set};

    file_reader_init(&t.reader);
    if (out_dirfd >= 0)
        export_init(&t.reader.targets[t.reader.target_count++], out_dirfd, "output");
    int result = workspace_changes_look(&t, root_fd, err);
    file_reader_done(&t.reader);
    if (result < 0) {
        file_set_done(&set);
        return -1;
    }
    file_set_sort(&set);
    *ret = set;
    return 0;
}

void changes_forget(struct changes *c, int root_fd, const char *path)
{
    struct str whole = str_from(path), folder, name;
    struct lay_place place;
    struct stat st;

    lay_path_split(whole, &folder, &name);
    lay_place_init(&place, root_fd);
    int parent = lay_place_open(&place, folder, false);
    struct known *k = parent < 0 ? NULL : know(c, whole);
    if (k && fstatat(parent, name.p, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        note_look(k, &st);
        k->sha256[0] = '\0';
    } else if (k) {
        workspace_changes_forget(c, k);
    }
    lay_place_done(&place);
}
