/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "formats/mime.h"
#include "workspace/workspace_export.h"
#include "workspace/workspace_parts.h"

#define MAX_DEPTH 512u

struct collect {
    struct collect_options options; /* defaults filled in */
    struct lay_list *laid;          /* or NULL */
    struct file_set *set;
    struct walk walk;
    struct file_reader reader;
    struct export *work; /* the target from which deleted files are removed, or NULL */
    uint64_t visited;
    bool deep_said;
};

/* True if the reason means that content of the guest is lost. */
static bool loses_content(enum skip_reason reason)
{
    switch (reason) {
    case SKIP_SYMLINK:
    case SKIP_FIFO:
    case SKIP_SOCKET:
    case SKIP_DEVICE:
    case SKIP_CONFIG:
    case SKIP_CACHE:
    case SKIP_REPLACED:
    case SKIP_WITHHELD:
    case SKIP_KEPT:
    case SKIP_REASONS:
        return false;
    case SKIP_OTHER_FS:
    case SKIP_TOO_LARGE:
    case SKIP_TOO_MANY:
    case SKIP_TOO_DEEP:
    case SKIP_LONG_PATH:
    case SKIP_UNREADABLE:
    case SKIP_CHANGED:
    case SKIP_IN_THE_WAY:
    case SKIP_BAD_NAME:
        return true;
    }
    return true;
}

static void skip_path(struct collect *c, struct str path, enum skip_reason reason, int sys,
                      uint64_t size)
{
    if (loses_content(reason))
        c->set->complete = false;
    if (reason == SKIP_TOO_DEEP && c->deep_said) {
        c->set->skipped.more++;
        return;
    }
    c->deep_said |= reason == SKIP_TOO_DEEP;
    skip_add(&c->set->skipped, path, reason, sys, size);
}

static void skip(struct collect *c, enum skip_reason reason, int sys)
{
    skip_path(c, walk_path(&c->walk), reason, sys, 0);
}

static uint64_t bytes_left(const struct collect *c)
{
    return c->options.max_total_bytes - c->set->bytes;
}

static bool workspace_out_is_full(const struct collect *c)
{
    return c->set->count >= c->options.max_files;
}

/* True if the content is that of the laid file. A file is read for this only if its size is the
 * same, so the cost is bounded by the laid files. */
static bool same_by_content(struct collect *c, const struct lay_entry *laid, int fd,
                            const struct stat *st)
{
    struct content content;
    struct err err;

    return laid->sha256[0] && (uint64_t)st->st_size == laid->size &&
           file_reader_once(&c->reader, fd, st, &content, &err) == READ_DONE &&
           memcmp(content.sha256, laid->sha256, SHA256_HEX) == 0;
}

static int begin_targets(struct collect *c, struct err *err)
{
    for (unsigned i = 0; i < c->reader.target_count; i++) {
        enum skip_reason why;
        int begun =
            export_begin(&c->reader.targets[i], walk_path(&c->walk), c->walk.st.st_mode, &why, err);
        if (begun < 0)
            return -1;
        if (begun)
            skip(c, why, 0);
    }
    return 0;
}

static int commit_targets(struct collect *c, struct err *err)
{
    for (unsigned i = 0; i < c->reader.target_count; i++) {
        enum skip_reason why;
        if (c->reader.targets[i].fd < 0)
            continue;
        int done = export_commit(&c->reader.targets[i], walk_path(&c->walk), &why, err);
        if (done < 0)
            return -1;
        if (done)
            skip(c, why, 0);
    }
    return 0;
}

static void cancel_targets(struct collect *c)
{
    for (unsigned i = 0; i < c->reader.target_count; i++)
        export_cancel(&c->reader.targets[i]);
}

/* Reads the file, copies it to the targets, puts it into the set; or skips and reports it. */
static int take_content(struct collect *c, int fd, bool laid, struct err *err)
{
    struct content content;

    if (begin_targets(c, err) < 0)
        return -1;
    c->reader.path = walk_path(&c->walk);
    switch (file_reader_twice(&c->reader, fd, bytes_left(c), &content, err)) {
    case READ_DONE:
        file_set_add_content(c->set, walk_path(&c->walk), &content, c->walk.st.st_mode, laid);
        return commit_targets(c, err);
    case READ_CHANGED:
        skip(c, SKIP_CHANGED, 0);
        break;
    case READ_TOO_LARGE:
        skip_path(c, walk_path(&c->walk), SKIP_TOO_LARGE, 0, content.size);
        break;
    case READ_FAILED:
        skip(c, SKIP_UNREADABLE, errno);
        break;
    case READ_FATAL:
        return -1;
    }
    cancel_targets(c);
    return 0;
}

static int visit_file(struct collect *c, const struct lay_entry *laid, struct err *err)
{
    struct stat st;

    if (c->walk.path_n > LAY_PATH_MAX) {
        skip(c, SKIP_LONG_PATH, 0);
        return 0;
    }
    bool was_file = laid && !laid->is_dir;
    /* Giants, and files over the count, are not opened; but a laid file may turn out to be
     * unchanged. */
    uint64_t size = (uint64_t)c->walk.st.st_size;
    bool may_be_same = was_file && size == laid->size;
    if (!may_be_same && (workspace_out_is_full(c) || size > bytes_left(c))) {
        skip_path(c, walk_path(&c->walk), workspace_out_is_full(c) ? SKIP_TOO_MANY : SKIP_TOO_LARGE,
                  0, size);
        return 0;
    }
    AUTO_CLOSE int fd = walk_open(&c->walk, &st);
    if (fd < 0) {
        skip(c, SKIP_UNREADABLE, errno);
        return 0;
    }
    if (may_be_same && same_by_content(c, laid, fd, &st))
        return 0;
    if (workspace_out_is_full(c)) {
        skip(c, SKIP_TOO_MANY, 0);
        return 0;
    }
    return take_content(c, fd, laid != NULL, err);
}

static void workspace_out_enter(struct collect *c)
{
    if (walk_enter(&c->walk) < 0)
        skip(c, walk_refusal(errno), errno);
}

static int workspace_out_visit(struct collect *c, struct err *err)
{
    mode_t mode = c->walk.st.st_mode;
    struct lay_entry *laid = c->laid ? lay_find(c->laid, walk_path(&c->walk)) : NULL;

    if (laid)
        laid->seen = true;
    if (walk_at_cache(&c->walk)) {
        skip(c, SKIP_CACHE, 0);
        return 0;
    }
    if (S_ISREG(mode))
        return visit_file(c, laid, err);
    if (S_ISDIR(mode))
        workspace_out_enter(c);
    else
        skip(c, skip_reason_of(mode), 0);
    return 0;
}

/* Lists empty new folders only: other folders appear in the paths of their files. */
static int workspace_out_leave(struct collect *c, struct err *err)
{
    struct str path = walk_path(&c->walk);
    const struct lay_entry *laid = c->laid ? lay_find(c->laid, path) : NULL;

    if (c->walk.met || (laid && laid->is_dir))
        return 0;
    if (workspace_out_is_full(c)) {
        skip(c, SKIP_TOO_MANY, 0);
        return 0;
    }
    for (unsigned i = 0; i < c->reader.target_count; i++) {
        enum skip_reason why;
        int made = export_folder(&c->reader.targets[i], path, &why, err);
        if (made < 0)
            return -1;
        if (made)
            skip(c, why, 0);
    }
    struct file_entry *entry = file_set_add(c->set, path, true);
    entry->mime = "inode/directory";
    entry->change = laid ? FILE_MODIFIED : FILE_NEW;
    entry->mode = c->walk.st.st_mode & 0777;
    return 0;
}

static int walk_all(struct collect *c, struct err *err)
{
    for (;;) {
        enum walk_step step = walk_next(&c->walk);
        if (step == WALK_DONE)
            return 0;
        if (step == WALK_FAILED)
            skip(c, SKIP_UNREADABLE, errno);
        else if (step == WALK_LEAVE && workspace_out_leave(c, err) < 0)
            return -1;
        else if (step == WALK_ENTRY && ++c->visited > c->options.max_visited) {
            skip(c, SKIP_TOO_MANY, 0);
            return 0;
        } else if (step == WALK_ENTRY && workspace_out_visit(c, err) < 0)
            return -1;
    }
}

static bool workspace_out_is_gone(struct lay_place *place, const struct lay_entry *laid)
{
    struct str folder, name;
    struct stat st;

    lay_path_split((struct str){laid->path, laid->path_len}, &folder, &name);
    int parent = lay_place_open(place, folder, false);
    if (parent < 0 || fstatat(parent, name.p, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT || errno == ENOTDIR;
    return false;
}

static int report_deleted(struct collect *c, const struct lay_entry *laid, struct err *err)
{
    struct str path = {laid->path, laid->path_len};

    if (!c->set->complete || export_is_config(path)) {
        skip_path(c, path, c->set->complete ? SKIP_CONFIG : SKIP_KEPT, 0, 0);
        return 0;
    }
    if (workspace_out_is_full(c)) {
        skip_path(c, path, SKIP_TOO_MANY, 0, 0);
        return 0;
    }
    if (c->work && export_remove(c->work, path, laid->is_dir, err) < 0)
        return -1;
    struct file_entry *entry = file_set_add(c->set, path, laid->is_dir);
    entry->mime = laid->is_dir ? "inode/directory" : mime_type(path.p, path.n, "", 0);
    entry->change = FILE_DELETED;
    return 0;
}

/* Runs last, when all new files are saved: a guest that renamed a file must not lose it to a full
 * disk. Goes backwards, because in the list a folder comes before its contents. */
static int find_deleted(struct collect *c, int root_fd, struct err *err)
{
    struct lay_place place;
    int result = 0;

    if (!c->laid || !c->options.was_laid)
        return 0;
    lay_place_init(&place, root_fd);
    for (size_t i = c->laid->count; i-- > 0 && result == 0;) {
        const struct lay_entry *laid = &c->laid->entries[i];
        if (laid->origin == ORIGIN_WORK && !laid->seen && workspace_out_is_gone(&place, laid))
            result = report_deleted(c, laid, err);
    }
    lay_place_done(&place);
    return result;
}

static void set_up(struct collect *c, const struct collect_options *options, struct lay_list *laid)
{
    struct collect_options *o = &c->options;

    *o = *options;
    o->max_files = o->max_files ? o->max_files : 10000;
    o->max_total_bytes = o->max_total_bytes ? o->max_total_bytes : 256u << 20;
    o->max_visited = o->max_visited ? o->max_visited : 1000000;
    o->max_depth = o->max_depth ? o->max_depth : 128;
    o->max_depth = o->max_depth < MAX_DEPTH ? o->max_depth : MAX_DEPTH;
    c->laid = laid;
    file_reader_init(&c->reader);
    if (o->out_dirfd >= 0)
        export_init(&c->reader.targets[c->reader.target_count++], o->out_dirfd, "output");
    if (o->work_dirfd >= 0) {
        c->work = &c->reader.targets[c->reader.target_count++];
        export_init(c->work, o->work_dirfd, "work");
    }
    for (unsigned i = 0; i < c->reader.target_count; i++)
        c->reader.targets[i].laid = laid;
    for (size_t i = 0; laid && i < laid->count; i++)
        laid->entries[i].seen = false;
}

int workspace_collect(const struct collect_options *options, int root_fd, struct lay_list *laid,
                      struct file_set *ret, struct err *err)
{
    struct file_set set = {.complete = true};
    struct collect c = {.set = &set};
    int result;

    set_up(&c, options, laid);
    if (walk_init(&c.walk, root_fd, c.options.max_depth, true) < 0)
        result = err_sys(err, "read the workspace");
    else
        result = walk_all(&c, err);
    if (result == 0)
        result = find_deleted(&c, root_fd, err);
    walk_done(&c.walk);
    file_reader_done(&c.reader);
    if (result < 0) {
        file_set_done(&set);
        return -1;
    }
    file_set_sort(&set);
    *ret = set;
    return 0;
}
