/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "workspace/workspace_parts.h"

#define HOST_DEPTH 128

/* Turns "./a//b/" into "a/b". If the result is not a path inside the workspace, the error names
 * it. */
static int clean_name(struct str name, char out[LAY_PATH_MAX + 1], struct str *ret, struct err *err)
{
    const char *problem = name.n > LAY_PATH_MAX ? lay_path_problem(name) : NULL;
    struct str rest = name, piece;
    char shown[PATH_SHOW];
    size_t n = 0;

    if (name.n && name.p[0] == '/')
        problem = lay_path_problem(STR("/"));
    while (!problem && str_next(&rest, '/', &piece)) {
        if (!piece.n || str_is(piece, "."))
            continue;
        if (n)
            out[n++] = '/';
        memcpy(out + n, piece.p, piece.n);
        n += piece.n;
    }
    *ret = (struct str){out, n};
    if (!problem)
        problem = lay_path_problem(*ret);
    if (problem)
        return err_set(err, ERR_USAGE, "input name '%s' %s", path_show(name, shown, sizeof shown),
                       problem);
    return 0;
}

int lay_add_bytes(struct lay_list *list, struct str name, struct str bytes, unsigned mode,
                  struct err *err)
{
    struct lay_entry *entry;
    struct str path;
    char room[LAY_PATH_MAX + 1];

    if (clean_name(name, room, &path, err) < 0 ||
        lay_claim(list, path, false, ORIGIN_GIVEN, &entry, err) < 0)
        return -1;
    entry->mode = mode & 0777;
    lay_count(list, entry, bytes.n);
    if (lay_check(list, err) < 0)
        return -1;
    entry->bytes = xstrndup(bytes.p, bytes.n);
    return 0;
}

int lay_add_folder(struct lay_list *list, struct str name, struct err *err)
{
    struct lay_entry *entry;
    struct str path;
    char room[LAY_PATH_MAX + 1];

    if (clean_name(name, room, &path, err) < 0)
        return -1;
    return lay_claim(list, path, true, ORIGIN_PARENT, &entry, err);
}

/* A tree of the host on its way into the list. */
struct intake {
    struct lay_list *list;
    enum lay_origin origin;
    size_t source;
    struct str prefix; /* its path in the workspace; "" for the top */
    struct walk walk;
};

static void left_out(struct intake *in, enum skip_reason reason, int sys)
{
    skip_add(&in->list->skipped, walk_path(&in->walk), reason, sys, 0);
}

/* The path in the workspace of the walk's entry. False when the path would be too long. */
static bool workspace_in_join(const struct intake *in, char out[LAY_PATH_MAX + 1], struct str *ret)
{
    size_t prefix = in->prefix.n ? in->prefix.n + 1 : 0;

    if (prefix + in->walk.path_n > LAY_PATH_MAX)
        return false;
    if (prefix) {
        memcpy(out, in->prefix.p, in->prefix.n);
        out[in->prefix.n] = '/';
    }
    memcpy(out + prefix, in->walk.path, in->walk.path_n);
    *ret = (struct str){out, prefix + in->walk.path_n};
    return true;
}

static int take_folder(struct intake *in, struct str path, struct err *err)
{
    struct lay_entry *entry;

    if (walk_enter(&in->walk) < 0) {
        left_out(in, errno == EMLINK ? SKIP_TOO_DEEP : SKIP_UNREADABLE, errno);
        return 0;
    }
    if (lay_claim(in->list, path, true, in->origin, &entry, err) < 0)
        return -1;
    if (entry)
        entry->mode = in->walk.st.st_mode & 0777;
    return 0;
}

static int take_file(struct intake *in, struct str path, struct err *err)
{
    struct lay_entry *entry;

    if (lay_withholds(in->list, &in->walk.st)) {
        left_out(in, SKIP_WITHHELD, 0);
        return 0;
    }
    /* Checked now, because it can no longer be left out in the middle of the stream. */
    if (faccessat(walk_dirfd(&in->walk), in->walk.name, R_OK, AT_EACCESS) < 0) {
        left_out(in, SKIP_UNREADABLE, errno);
        return 0;
    }
    if (lay_claim(in->list, path, false, in->origin, &entry, err) < 0)
        return -1;
    if (!entry)
        return 0;
    entry->mode = (in->walk.st.st_mode & 0777) | 0400;
    entry->source = in->source;
    entry->source_at = in->prefix.n ? in->prefix.n + 1 : 0;
    lay_count(in->list, entry, (uint64_t)in->walk.st.st_size);
    return 0;
}

static int take_entry(struct intake *in, struct err *err)
{
    char room[LAY_PATH_MAX + 1];
    mode_t mode = in->walk.st.st_mode;
    struct str path;

    if (in->origin == ORIGIN_WORK && walk_at_cache(&in->walk))
        return 0;
    if (!S_ISDIR(mode) && !S_ISREG(mode))
        left_out(in, skip_reason_of(mode), 0);
    else if (!workspace_in_join(in, room, &path))
        left_out(in, SKIP_LONG_PATH, 0);
    else
        return S_ISDIR(mode) ? take_folder(in, path, err) : take_file(in, path, err);
    return 0;
}

static int take_all(struct intake *in, struct err *err)
{
    for (;;) {
        switch (walk_next(&in->walk)) {
        case WALK_DONE:
            return 0;
        case WALK_FAILED:
            left_out(in, SKIP_UNREADABLE, errno);
            break;
        case WALK_ENTRY:
            if (take_entry(in, err) < 0)
                return -1;
            break;
        case WALK_LEAVE:
            break;
        }
    }
}

static int take_tree(struct intake *in, int dirfd, const char *name, struct err *err)
{
    int result = walk_init(&in->walk, dirfd, HOST_DEPTH, false) < 0 ? err_sys(err, "read %s", name)
                                                                    : take_all(in, err);

    walk_done(&in->walk);
    return result < 0 ? -1 : lay_check(in->list, err);
}

int lay_add_tree(struct lay_list *list, int host_dirfd, struct err *err)
{
    struct intake in = {.list = list, .origin = ORIGIN_WORK, .prefix = STR("")};

    in.source = lay_add_source(list, host_dirfd, false, "the work folder");
    return take_tree(&in, host_dirfd, "the work folder", err);
}

static int add_folder(struct lay_list *list, const char *src, struct str path, struct err *err)
{
    struct intake in = {.list = list, .origin = ORIGIN_GIVEN, .prefix = path};
    struct lay_entry *entry;
    int dirfd = open(src, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dirfd < 0)
        return err_sys(err, "read %s", src);
    in.source = lay_add_source(list, dirfd, true, src);
    if (lay_claim(list, path, true, ORIGIN_GIVEN, &entry, err) < 0)
        return -1;
    return take_tree(&in, dirfd, src, err);
}

static int add_one(struct lay_list *list, const char *src, struct str path, const struct stat *st,
                   struct err *err)
{
    struct lay_entry *entry;

    if (faccessat(AT_FDCWD, src, R_OK, AT_EACCESS) < 0)
        return err_sys(err, "read %s", src);
    if (lay_claim(list, path, false, ORIGIN_GIVEN, &entry, err) < 0)
        return -1;
    entry->mode = (st->st_mode & 0777) | 0400;
    entry->source = lay_add_source(list, -1, false, src);
    lay_count(list, entry, (uint64_t)st->st_size);
    return lay_check(list, err);
}

/* *ret_name is the last component of SRC as the user wrote it. */
char *file_spec_source(const char *spec, struct str *ret_name)
{
    const char *colon = strrchr(spec, ':');
    char *src = xstrndup(spec, colon ? (size_t)(colon - spec) : strlen(spec));
    struct str path = str_from(src), folder;

    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    lay_path_split(path, &folder, ret_name);
    if (colon)
        *ret_name = str_from(colon + 1);
    return src;
}

static int no_such_source(const char *src, const char *spec, struct err *err)
{
    int saved = errno;

    if (saved == ENOENT && access(spec, F_OK) == 0)
        return err_set(err, ERR_USAGE,
                       "%s: no such file; if a colon is part of its name, give a NAME: '%s:NAME'",
                       src, spec);
    errno = saved;
    return saved == ENOENT || saved == ENOTDIR
               ? err_set(err, ERR_USAGE, "%s: no such file or folder", src)
               : err_sys(err, "read %s", src);
}

int lay_add_file(struct lay_list *list, const char *spec, struct err *err)
{
    struct str name, path;
    AUTO_FREE char *src = file_spec_source(spec, &name);
    char room[LAY_PATH_MAX + 1];
    struct stat st;

    if (!src[0])
        return err_set(err, ERR_USAGE, "'%s': write SRC or SRC:NAME", spec);
    if (stat(src, &st) < 0)
        return no_such_source(src, spec, err);
    if (clean_name(name, room, &path, err) < 0)
        return -1;
    if (S_ISDIR(st.st_mode))
        return add_folder(list, src, path, err);
    if (S_ISREG(st.st_mode))
        return add_one(list, src, path, &st, err);
    return err_set(err, ERR_USAGE, "%s: is neither a file nor a folder", src);
}
