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

#define KNOWN_MS    10000
#define KNOWN_COUNT 4

/* The prefix "/a" of "/a/bin/python3"; the caller frees. NULL for another form of path. */
static char *prefix_of(const char *program)
{
    struct str path = str_from(program);

    for (int names = 2; names && path.n; path.n--)
        names -= path.p[path.n - 1] == '/';
    return path.n ? xstrndup(path.p, path.n) : NULL;
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

/* Whether it is a virtual environment without the packages of the Python that it was made from. */
static bool is_apart(const char *prefix)
{
    char text[2048];
    AUTO_FREE char *path = xasprintf("%s/pyvenv.cfg", prefix);

    return fd_read_file_at(AT_FDCWD, path, text, sizeof text) >= 0 &&
           !strstr(text, "include-system-site-packages = true");
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

static unsigned look(const char *interpreter, const char *const *names, size_t count)
{
    AUTO_FREE char *real = realpath(interpreter, NULL);
    AUTO_FREE char *prefix = prefix_of(interpreter);
    AUTO_FREE char *real_prefix = real ? prefix_of(real) : NULL;
    unsigned have = 0;
    glob_t folders = {.gl_offs = 0};

    if (prefix)
        add_folders(prefix, &folders);
    bool other = real_prefix && (!prefix || strcmp(prefix, real_prefix) != 0);
    if (other && !(prefix && is_apart(prefix)))
        add_folders(real_prefix, &folders);
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
    have = look(interpreter, names, count);
    pthread_mutex_lock(&known_lock);
    remember(interpreter, have);
    pthread_mutex_unlock(&known_lock);
    return have;
}
