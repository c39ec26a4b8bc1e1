/* SPDX-License-Identifier: Apache-2.0 */
#include "workspace/workspace_export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "workspace/workspace_parts.h"

#define CONFIG_NAME "glovebox.conf"

void export_init(struct export *x, int dirfd, const char *label)
{
    *x = (struct export){.label = label, .fd = -1};
    lay_place_init(&x->place, dirfd);
}

void export_cancel(struct export *x)
{
    if (x->fd < 0)
        return;
    fd_close(&x->fd);
    (void)unlinkat(x->parent, x->temp, 0);
}

void export_done(struct export *x)
{
    export_cancel(x);
    lay_place_done(&x->place);
}

/* Files of a project from which other programs take commands: clients of MCP, editors, git. */
static const char *const command_files[] = {
    ".mcp.json",
    "opencode.json",
    "opencode.jsonc",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    ".vscode/tasks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".zed/settings.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".git/config",
};

/* Upper and lower case count as equal, because a target's file system may ignore case. */
bool export_is_config(struct str path)
{
    struct str folder, name;

    lay_path_split(path, &folder, &name);
    for (size_t i = 0; i < ARRAY_LEN(command_files); i++)
        if (str_is_nocase(path, command_files[i]))
            return true;
    return str_is_nocase(name, CONFIG_NAME) || str_is_nocase(folder, ".git/hooks");
}

static int target_failed(const struct export *x, const char *what, struct str path, struct err *err)
{
    char shown[PATH_SHOW];
    int saved = errno;

    path_show(path, shown, sizeof shown);
    errno = saved;
    return err_sys(err, "%s '%s' in the %s folder", what, shown, x->label);
}

/* An obstacle in the target, or a name that its file system refuses, concerns one file; other
 * errors concern all. */
static int refused(const struct export *x, const char *what, struct str path,
                   enum skip_reason *ret_why, struct err *err)
{
    switch (errno) {
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case EEXIST:
        *ret_why = SKIP_IN_THE_WAY;
        return 1;
    case EINVAL:
    case EILSEQ:
    case ENAMETOOLONG:
        *ret_why = SKIP_BAD_NAME;
        return 1;
    default:
        return target_failed(x, what, path, err);
    }
}

/* Opens the path's folder, with `create` also a missing one, and copies its name as a C string. -1
 * with errno. */
static int open_parent(struct export *x, struct str path, bool create,
                       char ret_name[LAY_NAME_MAX + 1])
{
    struct str folder, name;

    lay_path_split(path, &folder, &name);
    if (name.n > LAY_NAME_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(ret_name, name.p, name.n);
    ret_name[name.n] = '\0';
    return lay_place_open(&x->place, folder, create);
}

/* The mode is given to open, because only that applies the umask without changing it (all threads
 * share it). Owners can read files that were exported to them. */
static int open_temp(struct export *x, unsigned mode)
{
    for (;;) {
        snprintf(x->temp, sizeof x->temp, ".glovebox-%lx-%lx.part", (unsigned long)getpid(),
                 x->counter++);
        int fd = openat(x->parent, x->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        (mode & 0777) | 0400);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
}

/* A link to a withheld file is not replaced, either. */
static bool is_withheld(const struct export *x, const char *name)
{
    struct stat st;

    return fstatat(x->parent, name, &st, 0) == 0 && lay_withholds(x->laid, &st);
}

int export_begin(struct export *x, struct str path, unsigned mode, enum skip_reason *ret_why,
                 struct err *err)
{
    struct stat st;
    char name[LAY_NAME_MAX + 1];

    if (export_is_config(path)) {
        *ret_why = SKIP_CONFIG;
        return 1;
    }
    x->parent = open_parent(x, path, true, name);
    if (x->parent < 0)
        return refused(x, "make the folder of", path, ret_why, err);
    if (fstatat(x->parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)) {
        *ret_why = SKIP_IN_THE_WAY;
        return 1;
    }
    if (x->laid && is_withheld(x, name)) {
        *ret_why = SKIP_WITHHELD;
        return 1;
    }
    x->fd = open_temp(x, mode);
    return x->fd < 0 ? target_failed(x, "make", path, err) : 0;
}

int export_write(struct export *x, struct str path, const void *p, size_t n, struct err *err)
{
    return fd_write_all(x->fd, p, n) < 0 ? target_failed(x, "write", path, err) : 0;
}

int export_rewind(struct export *x, struct str path, struct err *err)
{
    if (ftruncate(x->fd, 0) < 0 || lseek(x->fd, 0, SEEK_SET) < 0)
        return target_failed(x, "write", path, err);
    return 0;
}

int export_commit(struct export *x, struct str path, enum skip_reason *ret_why, struct err *err)
{
    struct str folder, name;
    char name_z[LAY_NAME_MAX + 1];

    lay_path_split(path, &folder, &name);
    memcpy(name_z, name.p, name.n);
    name_z[name.n] = '\0';
    /* Some file systems (NFS, FUSE) report only here that the disk is full. */
    int closed = close(fd_take(&x->fd));
    if (closed == 0 && renameat(x->parent, x->temp, x->parent, name_z) == 0)
        return 0;
    int result =
        closed < 0 ? target_failed(x, "write", path, err) : refused(x, "write", path, ret_why, err);
    (void)unlinkat(x->parent, x->temp, 0);
    return result;
}

int export_file(struct export *x, struct str path, unsigned mode, struct str content,
                enum skip_reason *ret_why, struct err *err)
{
    int result = export_begin(x, path, mode, ret_why, err);

    if (result == 0)
        result = export_write(x, path, content.p, content.n, err);
    if (result == 0)
        result = export_commit(x, path, ret_why, err);
    if (result)
        export_cancel(x);
    return result;
}

int export_folder(struct export *x, struct str path, enum skip_reason *ret_why, struct err *err)
{
    if (lay_place_open(&x->place, path, true) < 0)
        return refused(x, "make folder", path, ret_why, err);
    return 0;
}

int export_remove(struct export *x, struct str path, bool is_dir, struct err *err)
{
    struct stat st;
    char name[LAY_NAME_MAX + 1];
    int parent = open_parent(x, path, false, name);

    if (parent < 0 || fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : target_failed(x, "remove", path, err);
    if (is_dir ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
        return 0;
    if (unlinkat(parent, name, is_dir ? AT_REMOVEDIR : 0) == 0)
        return 0;
    return errno == ENOENT || errno == ENOTEMPTY ? 0 : target_failed(x, "remove", path, err);
}
