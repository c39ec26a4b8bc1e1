/* SPDX-License-Identifier: Apache-2.0 */
#include "limits/cgroup_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *const cgroup_controller_names[CGROUP_CONTROLLERS] = {
    [CGROUP_MEMORY] = "memory",
    [CGROUP_PIDS] = "pids",
    [CGROUP_CPU] = "cpu",
    [CGROUP_CPUACCT] = "cpuacct",
};

unsigned cgroup_controllers_parse(struct str text, char sep)
{
    struct str name;
    unsigned found = 0;

    while (str_next(&text, sep, &name))
        for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
            if (str_is(str_trim(name), cgroup_controller_names[i]))
                found |= CGROUP_BIT(i);
    return found;
}

static void spot_done(struct cgroup_spot *spot)
{
    free(spot->mount);
    free(spot->dir);
    free(spot->own);
    *spot = (struct cgroup_spot){0};
}

void cgroup_map_done(struct cgroup_map *m)
{
    for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
        spot_done(&m->v1[i]);
    spot_done(&m->v2);
}

/* "4:memory:/a/b": the hierarchy's number, its controllers, our path in it; "0::/a/b" is v2. */
static void parse_own(struct str line, struct cgroup_map *m)
{
    struct str number, names;

    if (!str_next(&line, ':', &number) || !str_next(&line, ':', &names) || !str_starts(line, "/"))
        return;
    if (str_is(number, "0") && names.n == 0) {
        free(m->v2.own);
        m->v2.own = xstrndup(line.p, line.n);
        return;
    }
    unsigned controllers = cgroup_controllers_parse(names, ',');
    for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
        if (!(controllers & CGROUP_BIT(i)))
            continue;
        free(m->v1[i].own);
        m->v1[i].own = xstrndup(line.p, line.n);
    }
}

static bool is_octal(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '7')
            return false;
    return s.n == 3;
}

/* mountinfo writes space, tab, newline and backslash as \ooo. */
static char *unescape(struct str s)
{
    char *out = xmalloc(s.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\' && is_octal(str_slice(s, i + 1, i + 4))) {
            out[n++] = (char)((s.p[i + 1] - '0') * 64 + (s.p[i + 2] - '0') * 8 + s.p[i + 3] - '0');
            i += 3;
        } else {
            out[n++] = s.p[i];
        }
    }
    out[n] = '\0';
    return out;
}

struct mount {
    struct str root, point, options, type, super;
};

/* "35 31 0:32 ROOT POINT OPTIONS [TAG...] - TYPE SOURCE SUPER" */
static bool parse_mount(struct str line, struct mount *ret)
{
    struct str skip;

    for (int i = 0; i < 3; i++)
        if (!str_next(&line, ' ', &skip))
            return false;
    if (!str_next(&line, ' ', &ret->root) || !str_next(&line, ' ', &ret->point) ||
        !str_next(&line, ' ', &ret->options))
        return false;
    do {
        if (!str_next(&line, ' ', &skip))
            return false;
    } while (!str_is(skip, "-"));
    return str_next(&line, ' ', &ret->type) && str_next(&line, ' ', &skip) &&
           str_next(&line, ' ', &ret->super);
}

/* The rest of our own path below a mount that shows the hierarchy from `root` on; NULL if our own
 * is outside of it. A path with ".." is outside of a cgroup namespace (cgroup_namespaces(7)). */
static const char *below(const char *own, const char *root)
{
    size_t n = strlen(root);

    if (!own || str_starts(str_from(own), "/..") || str_starts(str_from(root), "/.."))
        return NULL;
    if (str_ends(str_from(own), " (deleted)"))
        return NULL;
    if (n == 1)
        return own[1] ? own : "";
    if (strncmp(own, root, n) != 0 || (own[n] != '\0' && own[n] != '/'))
        return NULL;
    return own + n;
}

static int score(const struct cgroup_spot *spot)
{
    return spot->mount ? 1 + 2 * spot->visible + spot->writable : 0;
}

static void offer(struct cgroup_spot *spot, const struct mount *m)
{
    AUTO_FREE char *root = unescape(m->root);
    const char *rest = below(spot->own, root);
    struct cgroup_spot new = {.mount = unescape(m->point), .own = spot->own, .visible = rest};

    new.writable = !str_is(str_slice(m->options, 0, 2), "ro");
    /* A later mount on the same mount point covers the earlier one. */
    bool covers = spot->mount && strcmp(spot->mount, new.mount) == 0;
    if (score(&new) <= score(spot) && !covers) {
        free(new.mount);
        return;
    }
    new.dir = xasprintf("%s%s", new.mount, rest ? rest : "");
    spot->own = NULL;
    spot_done(spot);
    *spot = new;
}

static void parse_line(struct str line, struct cgroup_map *m)
{
    struct mount mount;

    if (!parse_mount(line, &mount))
        return;
    if (str_is(mount.type, "cgroup2")) {
        offer(&m->v2, &mount);
    } else if (str_is(mount.type, "cgroup")) {
        unsigned controllers = cgroup_controllers_parse(mount.super, ',');
        for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
            if (controllers & CGROUP_BIT(i))
                offer(&m->v1[i], &mount);
    }
}

void cgroup_map_parse(struct str mountinfo, struct str self, struct cgroup_map *ret)
{
    struct str line;

    *ret = (struct cgroup_map){0};
    while (str_next_line(&self, &line))
        parse_own(line, ret);
    while (str_next_line(&mountinfo, &line))
        parse_line(line, ret);
}
