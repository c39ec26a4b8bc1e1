/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/packages.h"

#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "languages/interpreter.h"

#define KNOWN_MS    10000
#define KNOWN_COUNT 4

/* The prefix "/a" of "/a/bin/python3"; the caller frees. */
static char *prefix_of(const char *program)
{
    AUTO_FREE char *folder = interpreter_parent(program);

    return interpreter_parent(folder);
}

static void add_folders(const char *prefix, glob_t *found)
{
    static const char *const patterns[] = {
        "lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages"};

    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        AUTO_FREE char *pattern = xasprintf("%s/%s", prefix, patterns[i]);
        (void)glob(pattern, GLOB_NOSORT | GLOB_APPEND, NULL, found);
    }
    if (strcmp(prefix, "/usr") == 0)
        add_folders("/usr/local", found);
}

/* True for a virtual environment that does not see the packages of the Python that it was made
 * from. */
static bool is_apart(const char *prefix)
{
    char text[INTERPRETER_VENV_MAX];
    struct str shares = interpreter_venv(prefix, "include-system-site-packages", text);

    return shares.p && !str_is_nocase(shares, "true");
}

static bool is_in_one(const glob_t *folders, const char *name)
{
    for (size_t i = 0; i < folders->gl_pathc; i++) {
        AUTO_FREE char *path = xasprintf("%s/%s", folders->gl_pathv[i], name);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

/* Adds the folders with the packages of an interpreter; none if it is not on this host. */
static void find_folders(const char *interpreter, glob_t *ret)
{
    AUTO_FREE char *real = realpath(interpreter, NULL), *prefix = prefix_of(interpreter);
    AUTO_FREE char *real_prefix = prefix_of(real ? real : interpreter);

    if (interpreter[0] != '/')
        return;
    add_folders(prefix, ret);
    if (strcmp(prefix, real_prefix) != 0 && !is_apart(prefix))
        add_folders(real_prefix, ret);
}

static unsigned packages_look(const char *interpreter, const char *const *names, size_t count)
{
    unsigned have = 0;
    glob_t folders = {.gl_offs = 0};

    find_folders(interpreter, &folders);
    for (size_t i = 0; i < count; i++)
        if (is_in_one(&folders, names[i]))
            have |= 1u << i;
    globfree(&folders);
    return have;
}

/* ---- a cache of recent results ---- */

static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static struct known {
    char *interpreter;
    int64_t until_ms;
    unsigned have;
} known[KNOWN_COUNT];
static size_t known_next;

static struct known *recall(const char *interpreter)
{
    for (size_t i = 0; i < KNOWN_COUNT; i++)
        if (known[i].interpreter && strcmp(known[i].interpreter, interpreter) == 0)
            return &known[i];
    return NULL;
}

static void remember(const char *interpreter, unsigned have)
{
    struct known *k = recall(interpreter);

    if (!k) {
        k = &known[known_next++ % KNOWN_COUNT];
        free(k->interpreter);
        k->interpreter = xstrdup(interpreter);
    }
    k->have = have;
    k->until_ms = clock_mono_ms() + KNOWN_MS;
}

unsigned packages_find(const char *interpreter, const char *const *names, size_t count)
{
    pthread_mutex_lock(&known_lock);
    const struct known *k = recall(interpreter);
    unsigned have = k ? k->have : 0;
    bool fresh = k && clock_mono_ms() <= k->until_ms;
    pthread_mutex_unlock(&known_lock);

    if (fresh)
        return have;
    have = packages_look(interpreter, names, count);
    pthread_mutex_lock(&known_lock);
    remember(interpreter, have);
    pthread_mutex_unlock(&known_lock);
    return have;
}

/* ---- versions ---- */

/* The names under which a program imports packages, and how the folders that describe them begin:
 * "numpy-2.4.0.dist-info". */
static const struct {
    const char *name, *folder;
} well_known[] = {
    {"numpy", "numpy"},
    {"pandas", "pandas"},
    {"matplotlib", "matplotlib"},
    {"scipy", "scipy"},
    {"sklearn", "scikit_learn"},
    {"sympy", "sympy"},
    {"PIL", "[Pp]illow"},
    {"seaborn", "seaborn"},
    {"statsmodels", "statsmodels"},
    {"networkx", "networkx"},
    {"polars", "polars"},
    {"pyarrow", "pyarrow"},
    {"openpyxl", "openpyxl"},
    {"bs4", "beautifulsoup4"},
    {"lxml", "lxml"},
    {"yaml", "[Pp]y[Yy][Aa][Mm][Ll]"},
    {"pytest", "pytest"},
    {"torch", "torch"},
};

/* "2.4" of "numpy-2.4.0.dist-info": the first two numbers. */
static struct str version_in(const char *path)
{
    const char *name = strrchr(path, '/') + 1, *begin = strchr(name, '-');
    size_t n = begin ? strspn(++begin, "0123456789") : 0;

    if (n && begin[n] == '.')
        n += 1 + strspn(&begin[n + 1], "0123456789");
    return (struct str){begin, n};
}

static bool find_version(const glob_t *folders, const char *package, struct buf *ret)
{
    glob_t found = {.gl_offs = 0};

    for (size_t i = 0; i < folders->gl_pathc && !found.gl_pathc; i++) {
        AUTO_FREE char *pattern = xasprintf("%s/%s-[0-9]*-info", folders->gl_pathv[i], package);
        (void)glob(pattern, GLOB_NOSORT, NULL, &found);
    }
    bool there = found.gl_pathc > 0;
    if (there)
        (void)buf_add_str(ret, version_in(found.gl_pathv[0]));
    globfree(&found);
    return there;
}

void packages_describe(const char *interpreter, struct buf *out)
{
    size_t before = out->n;
    glob_t folders = {.gl_offs = 0};

    find_folders(interpreter, &folders);
    for (size_t i = 0; i < ARRAY_LEN(well_known); i++) {
        AUTO_BUF struct buf version = {0};
        buf_init(&version, 100);
        if (find_version(&folders, well_known[i].folder, &version))
            (void)buf_addf(out, "%s%s%s%s", out->n > before ? ", " : "", well_known[i].name,
                           version.n ? " " : "", version.p);
    }
    globfree(&folders);
}
