/* SPDX-License-Identifier: Apache-2.0 */
#include "workspace/views.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "jail/lay.h"
#include "jail/spec.h"

#define WRITABLE_MAX 64u

/* True for paths that the jail makes itself: no view can replace them, or be below those of the
 * kernel. */
static bool views_is_ours(const char *dst)
{
    static const char *const places[] = {"/proc",    "/dev",   "/sys",    "/tmp",
                                         "/var/tmp", SPEC_BOX, SPEC_WORK, NULL};
    struct str path = str_from(dst);

    return str_one_of(path, places) || str_starts(path, "/proc/") || str_starts(path, "/dev/") ||
           str_starts(path, "/sys/");
}

static struct host_view *views_add(struct views *views, const char *src, const char *dst,
                                   bool is_link)
{
    views->at = xrealloc_array(views->at, views->n + 1, sizeof *views->at);
    struct host_view *view = &views->at[views->n++];

    *view = (struct host_view){.src = xstrdup(src), .dst = xstrdup(dst), .is_link = is_link};
    return view;
}

/* Refuses sockets, pipes and devices: named as a view, they are of no use read-only; in a shown
 * folder they are covered (inside/look.h). Also refuses the host's /proc, which has the host's
 * processes, and files that remain writable in a read-only mount. */
static int check_type(const char *real, const char *spec, struct err *err)
{
    struct stat st;
    struct statfs fs;

    if (statfs(real, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC)
        return err_set(err, ERR_USAGE,
                       "--ro %s: this is the host's /proc, which shows its processes; the program "
                       "has a /proc of its own",
                       spec);
    if (stat(real, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return 0;
    return err_set(err, ERR_USAGE, "--ro %s: this is a %s, and only files and folders are shown",
                   spec,
                   S_ISSOCK(st.st_mode)   ? "socket"
                   : S_ISFIFO(st.st_mode) ? "named pipe"
                                          : "device");
}

/* Finds the colon of SRC:DST; NULL if there is only SRC. DST is absolute, so another colon may be
 * in the name of a file. */
static const char *find_colon(const char *spec)
{
    const char *colon = strrchr(spec, ':');

    return colon && colon[1] != '/' && access(spec, F_OK) == 0 ? NULL : colon;
}

char *views_source(const char *spec)
{
    const char *colon = find_colon(spec);

    return colon ? xstrndup(spec, (size_t)(colon - spec)) : xstrdup(spec);
}

/* --ro SRC[:DST] */
static int add_view(struct views *views, const char *spec, struct err *err)
{
    const char *colon = find_colon(spec);
    AUTO_FREE char *src = views_source(spec);
    AUTO_FREE char *real = realpath(src, NULL);

    if (!real)
        return err_set(err, ERR_USAGE, "--ro %s: %s", spec, strerror(errno));
    if (check_type(real, spec, err) < 0)
        return -1;
    AUTO_FREE char *dst = xstrdup(colon ? colon + 1 : real);
    if (!spec_path_ok(dst) || strcmp(dst, "/") == 0)
        return err_set(err, ERR_USAGE, "--ro %s: inside, it needs an absolute path such as /data",
                       spec);
    if (views_is_ours(dst))
        return err_set(err, ERR_USAGE,
                       "--ro %s: inside, %s is in use; name another path, such as %s:/data", spec,
                       dst, src);
    (void)views_add(views, real, dst, false);
    if (strcmp(real, dst) != 0)
        views->needs_root = "--ro";
    return 0;
}

int views_check_ro(const char *path, struct err *err)
{
    struct views views = {0};

    if (strstr(path, ":/"))
        return err_set(err, ERR_USAGE, "--ro %s: would be read as two paths, because of the ':/'",
                       path);
    int status = add_view(&views, path, err);
    views_done(&views);
    return status;
}

/* ---- --writable PATH ---- */

static bool is_within(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* True for folders of the system, and for those that the guest can write anyway. */
static bool is_settled(const char *path)
{
    static const char *const places[] = {"/usr",   "/bin",    "/sbin",    "/lib",  "/lib32",
                                         "/lib64", "/libx32", "/etc",     "/proc", "/dev",
                                         "/sys",   "/tmp",    "/var/tmp", SPEC_BOX};

    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (is_within(path, places[i]))
            return true;
    return strcmp(path, "/var") == 0; /* /var/tmp is in it */
}

/* A view that a link at this path would hide, or that would be made through the link. */
static const struct host_view *find_overlap(const struct views *views, const char *path)
{
    for (size_t i = 0; i < views->n; i++)
        if (is_within(views->at[i].dst, path) || is_within(path, views->at[i].dst))
            return &views->at[i];
    return NULL;
}

/* "../box/work/home/user" for "/home/user", and "../box/work" if `folder` is "" : a relative link
 * stays in its own root. */
static char *link_text(const char *path, const char *folder)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 3 * LAY_PATH_MAX);
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/'))
        (void)buf_adds(&text, "../");
    (void)buf_addf(&text, "%s%s", &SPEC_WORK[1], folder);
    return buf_take(&text);
}

static int check_writable(const char *path, struct err *err)
{
    if (!spec_path_ok(path) || strcmp(path, "/") == 0 || strlen(path) > LAY_PATH_MAX)
        return err_set(err, ERR_USAGE, "--writable %.200s: give an absolute path, such as /app",
                       path);
    if (is_settled(path))
        return err_set(err, ERR_USAGE,
                       "--writable %.200s: this folder is the sandbox's own; name another one, "
                       "such as /app",
                       path);
    return 0;
}

int views_check(char *const *writable, struct err *err)
{
    for (size_t i = 0; writable && writable[i]; i++) {
        if (i == WRITABLE_MAX)
            return err_set(err, ERR_USAGE, "--writable: more than %u paths", WRITABLE_MAX);
        if (check_writable(writable[i], err) < 0)
            return -1;
    }
    return 0;
}

static int add_writable(struct views *views, const char *path, struct err *err)
{
    AUTO_FREE char *text = link_text(path, path);
    const struct host_view *other = find_overlap(views, path);
    if (other && strcmp(other->src, text) == 0) /* named twice */
        return 0;
    if (other)
        return err_set(err, ERR_USAGE, "--writable %.200s: %.200s is shown inside already", path,
                       other->dst);
    (void)views_add(views, text, path, true);
    views->needs_root = "--writable";
    return 0;
}

int views_make(const struct interpreter *interpreter, char *const *ro, char *const *writable,
               struct views *ret, struct err *err)
{
    *ret = (struct views){0};
    for (size_t i = 0; i < interpreter->view_count; i++)
        views_add(ret, interpreter->views[i].src, interpreter->views[i].dst,
                  interpreter->views[i].is_link)
            ->is_interpreters = true;
    for (; ro && *ro; ro++)
        if (add_view(ret, *ro, err) < 0)
            return -1;
    for (; writable && *writable; writable++)
        if (add_writable(ret, *writable, err) < 0)
            return -1;
    return 0;
}

void views_add_places(struct views *views)
{
    static const char *const places[] = {"/mnt/data", "/home/user", "/workspace"};

    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        AUTO_FREE char *text = link_text(places[i], "");
        if (!find_overlap(views, places[i]))
            (void)views_add(views, text, places[i], true);
    }
}

void views_done(struct views *views)
{
    for (size_t i = 0; i < views->n; i++) {
        free(views->at[i].src);
        free(views->at[i].dst);
    }
    free(views->at);
    *views = (struct views){0};
}
