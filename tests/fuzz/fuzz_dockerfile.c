/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a Dockerfile, and as a .dockerignore with a path to match, split at the first NUL.
 * Images are named once and are words; a path below one that is left out is left out as well.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "docker/build_context.h"
#include "docker/dockerfile.h"
#include "docker/ignore.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_images(struct str text)
{
    struct dockerfile_images images;

    dockerfile_images(text, &images);
    assert(images.n <= DOCKERFILE_IMAGES_MAX);
    for (size_t i = 0; i < images.n; i++) {
        assert(images.names[i][0] && !strpbrk(images.names[i], " \t\n"));
        for (size_t k = 0; k < i; k++)
            assert(strcmp(images.names[i], images.names[k]) != 0);
    }
    dockerfile_images_done(&images);
}

static void read_ignore(struct str text, struct str path)
{
    struct ignore ignore = {0};
    struct err err;

    bool plain = path.n && path.n < 200 && !memchr(path.p, '\0', path.n) &&
                 !str_starts(path, "/") && !str_ends(path, "/");

    if (ignore_read(&ignore, text, &err) == 0 && plain) {
        bool left_out = ignore_matches(&ignore, path);
        AUTO_FREE char *below = xasprintf("%.*s/below", (int)path.n, path.p);
        if (left_out && !ignore.takes_in)
            assert(ignore_matches(&ignore, str_from(below)));
    }
    ignore_done(&ignore);
}

/* The same text twice has one sum, and that of another differs. */
static void make_context(struct str text)
{
    struct build_context once = {.fd = -1}, twice = {.fd = -1};
    const struct named_bytes file = {STR("a/b"), text};
    struct err err;

    if (build_context_of(text, &file, 1, &once, &err) == 0) {
        assert(build_context_of(text, &file, 1, &twice, &err) == 0);
        assert(strcmp(once.sum, twice.sum) == 0 && once.size == twice.size);
    }
    build_context_done(&once);
    build_context_done(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str all = {n ? (const char *)data : "", n};
    const char *nul = n ? memchr(data, '\0', n) : NULL;
    size_t cut = nul ? (size_t)(nul - (const char *)data) : n;

    read_images(all);
    read_ignore(str_slice(all, 0, cut), str_slice(all, nul ? cut + 1 : n, n));
    make_context(all);
    return 0;
}
