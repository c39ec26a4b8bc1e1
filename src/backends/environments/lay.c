/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/lay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "environments/wheel.h"
#include "environments/zip.h"

enum {
    SCRIPT_MAX = 4 << 20,
    SHEBANG_MAX = 120, /* Linux reads 127 bytes, older kernels and some scripts' readers fewer */
};

static int lay_folders(const struct env_plan *plan, const char *path, struct err *err)
{
    AUTO_FREE char *whole = xasprintf("%s/%s", plan->folder, path);

    for (char *p = strchr(whole + strlen(plan->folder) + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        if (access(whole, F_OK) < 0 && env_folder(whole, err) < 0)
            return -1;
        *p = '/';
    }
    return 0;
}

/* ---- where a file goes ---- */

/* The path in the environment, for the caller to free. */
static char *target_of(const struct env_plan *plan, const char *path)
{
    struct str rest;

    switch (wheel_place_of(str_from(path), &rest)) {
    case WHEEL_SCRIPTS:
        return xasprintf("bin/%.*s", (int)rest.n, rest.p);
    case WHEEL_HEADERS:
        return xasprintf("include/site/%.*s", (int)rest.n, rest.p);
    case WHEEL_DATA:
        return xasprintf("%.*s", (int)rest.n, rest.p);
    case WHEEL_PACKAGES:
    default:
        return xasprintf("%s/%.*s", plan->purelib, (int)rest.n, rest.p);
    }
}

/* ---- scripts ---- */

/* The lines that start the environment's Python. A path that is too long for "#!" is given by sh,
 * for which the second line ends the command, and for Python it is a string. */
static void add_shebang(const struct env_plan *plan, struct buf *ret)
{
    if (strlen(plan->final) + strlen("/bin/python") < SHEBANG_MAX)
        (void)buf_addf(ret, "#!%s/bin/python\n", plan->final);
    else
        (void)buf_addf(ret, "#!/bin/sh\n'''exec' \"%s/bin/python\" \"$0\" \"$@\"\n' '''\n",
                       plan->final);
}

static int put_script(const struct env_plan *plan, const char *target, const struct buf *text,
                      struct err *err)
{
    AUTO_FREE char *to = xasprintf("%s/%s", plan->folder, target);

    if (text->overflow)
        return err_set(err, ERR_LIMIT, "the script '%.100s' is too large", target);
    (void)unlink(to);
    return lay_folders(plan, target, err) < 0 ? -1 : env_write(to, text->p, text->n, 0555, err);
}

/* A script of a wheel that begins with "#!python" is for the environment's Python. Returns 1 if it
 * was one. */
static int lay_script(const struct env_plan *plan, const char *from, const char *target,
                      struct err *err)
{
    AUTO_BUF struct buf text = {0}, changed = {0};
    char head[9] = "";

    if (fd_read_file_at(AT_FDCWD, from, head, sizeof head) < 0 || strcmp(head, "#!python") != 0)
        return 0;
    buf_init(&text, SCRIPT_MAX);
    buf_init(&changed, SCRIPT_MAX + 4096);
    if (fd_read_file(from, &text, err) < 0)
        return -1;
    add_shebang(plan, &changed);
    const char *rest = strchr(text.p, '\n');
    if (rest)
        (void)buf_add(&changed, rest + 1, text.n - (size_t)(rest + 1 - text.p));
    return put_script(plan, target, &changed, err) < 0 ? -1 : 1;
}

static bool is_dotted(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!ascii_is_word(name.p[i]) && name.p[i] != '.')
            return false;
    return name.n && !ascii_is_digit(name.p[0]);
}

/* "name = module:attribute [extra]" */
static int lay_entry(const struct env_plan *plan, struct str line, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    struct str name, module;

    if (!str_next(&line, '=', &name) || !str_next(&line, ':', &module))
        return 0;
    name = str_trim(name);
    module = str_trim(module);
    struct str attribute = str_trim(str_slice(line, 0, strcspn(line.n ? line.p : "", " [\r\n")));
    AUTO_FREE char *target = xasprintf("bin/%.*s", (int)name.n, name.p);
    if (!zip_is_plain(name) || memchr(name.p, '/', name.n) || str_starts(name, "python") ||
        !is_dotted(module) || !is_dotted(attribute))
        return 0;
    struct str first = str_slice(attribute, 0, strcspn(attribute.p, ". [\r\n"));
    buf_init(&text, SCRIPT_MAX);
    add_shebang(plan, &text);
    (void)buf_addf(&text, "import sys\nfrom %.*s import %.*s\nsys.exit(%.*s())\n", (int)module.n,
                   module.p, (int)first.n, first.p, (int)attribute.n, attribute.p);
    return put_script(plan, target, &text, err);
}

static int lay_entries(const struct env_plan *plan, const char *path, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    bool counts = false;
    struct str line;

    buf_init(&text, SCRIPT_MAX);
    if (fd_read_file(path, &text, err) < 0)
        return -1;
    struct str rest = buf_str(&text);
    while (str_next_line(&rest, &line)) {
        line = str_trim(line);
        if (line.n && line.p[0] == '[')
            counts = str_is(line, "[console_scripts]") || str_is(line, "[gui_scripts]");
        else if (counts && line.n && line.p[0] != '#' && lay_entry(plan, line, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- files ---- */

/* Links a file. Of two wheels with the same file, the later one has it, as with pip. */
static int link_file(const struct env_plan *plan, const char *from, const char *target,
                     struct err *err)
{
    AUTO_FREE char *to = xasprintf("%s/%s", plan->folder, target);

    if (link(from, to) == 0)
        return 0;
    if (errno == ENOENT && lay_folders(plan, target, err) < 0)
        return -1;
    if (errno == EEXIST && unlink(to) < 0)
        return err_set(err, ERR_GUEST, "'%.200s' is a file of one package and a folder of another",
                       target);
    return link(from, to) == 0 ? 0 : err_sys(err, "link %s", to);
}

static int lay_tree(const struct env_plan *plan, const struct env_tree *tree, struct err *err)
{
    for (size_t i = 0; i < tree->manifest.count; i++) {
        const char *path = tree->manifest.files[i].path;
        AUTO_FREE char *from = xasprintf("%s/files/%s", tree->path, path);
        AUTO_FREE char *target = target_of(plan, path);
        int script = strncmp(target, "bin/", 4) == 0 ? lay_script(plan, from, target, err) : 0;
        if (script < 0 || (!script && link_file(plan, from, target, err) < 0))
            return -1;
        if (str_ends(str_from(path), ".dist-info/entry_points.txt") &&
            lay_entries(plan, from, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the environment's own files ---- */

static int put_link(const struct env_plan *plan, const char *text, const char *name,
                    struct err *err)
{
    AUTO_FREE char *path = xasprintf("%s/%s", plan->folder, name);

    return symlink(text, path) < 0 ? err_sys(err, "write %s", path) : 0;
}

static int lay_own(const struct env_plan *plan, struct err *err)
{
    AUTO_FREE char *site = xasprintf("%s/x", plan->purelib);
    AUTO_FREE char *config = xasprintf("%s/pyvenv.cfg", plan->folder);
    const char *name = str_after_last(plan->base, '/');
    AUTO_FREE char *text = xasprintf("home = %.*s\ninclude-system-site-packages = false\n"
                                     "version = %s\n",
                                     (int)(name - plan->base) - 1, plan->base, plan->version);
    const char *dot = strchr(plan->version, '.') + 1;
    AUTO_FREE char *own = xasprintf("bin/python3.%.*s", (int)strspn(dot, "0123456789"), dot);

    if (lay_folders(plan, "bin/x", err) < 0 || lay_folders(plan, site, err) < 0 ||
        env_write(config, text, strlen(text), 0444, err) < 0 ||
        put_link(plan, plan->base, "bin/python", err) < 0 ||
        put_link(plan, "python", "bin/python3", err) < 0)
        return -1;
    return put_link(plan, "python", own, err);
}

int env_lay(const struct env_plan *plan, struct err *err)
{
    if (env_folder(plan->folder, err) < 0 || lay_own(plan, err) < 0)
        return -1;
    for (size_t i = 0; i < plan->trees->count; i++)
        if (lay_tree(plan, &plan->trees->at[i], err) < 0)
            return -1;
    return 0;
}
