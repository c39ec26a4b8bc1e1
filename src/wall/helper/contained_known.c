/* SPDX-License-Identifier: Apache-2.0
 *
 * Remembers which files of the workspace were sent, so that they are not sent again after each
 * cell. A file is found by a hash of its path, and is unchanged if a hash of its inode, size, mode
 * and times is (as in workspace/workspace_changes.h). The hashes depend on a number that the guest
 * does not know. The table has a ceiling; files beyond it are sent each time.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/mem.h"
#include "helper/contained.h"

enum { PLACES_MIN = 256, PLACES_MAX = 1 << 16 };

struct known {
    uint64_t path, look; /* hashes; path 0: a free slot */
};

struct table {
    struct known *places;
    size_t size, used;
};

static struct table before, now;

static uint64_t salt(void)
{
    static uint64_t number;

    while (!number)
        (void)!getrandom(&number, sizeof number, 0);
    return number;
}

static uint64_t mix(uint64_t sum, uint64_t more)
{
    sum = (sum ^ more) * (salt() | 1);
    return sum ^ sum >> 29;
}

static uint64_t sum_of(const char *path)
{
    uint64_t sum = salt();

    for (; *path; path++)
        sum = mix(sum, (unsigned char)*path);
    return sum | 1;
}

static uint64_t contained_known_look_at(const struct stat *st)
{
    const uint64_t parts[] = {st->st_ino,
                              (uint64_t)st->st_size,
                              st->st_mode,
                              (uint64_t)st->st_mtim.tv_sec,
                              (uint64_t)st->st_mtim.tv_nsec,
                              (uint64_t)st->st_ctim.tv_sec,
                              (uint64_t)st->st_ctim.tv_nsec};
    uint64_t sum = salt();

    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        sum = mix(sum, parts[i]);
    return sum;
}

/* The path's slot, or a free one; NULL if the table is empty. */
static struct known *contained_known_find(const struct table *t, uint64_t path)
{
    size_t i = path >> 8;

    if (!t->size)
        return NULL;
    while (t->places[i & (t->size - 1)].path && t->places[i & (t->size - 1)].path != path)
        i++;
    return &t->places[i & (t->size - 1)];
}

static void contained_known_grow(struct table *t)
{
    struct table larger = {.size = t->size ? t->size * 2 : PLACES_MIN, .used = t->used};

    larger.places = xcalloc(larger.size, sizeof *larger.places);
    for (size_t i = 0; i < t->size; i++)
        if (t->places[i].path)
            *contained_known_find(&larger, t->places[i].path) = t->places[i];
    free(t->places);
    *t = larger;
}

void contained_known_begin(bool since)
{
    free(before.places);
    before = since ? now : (struct table){0};
    if (!since)
        free(now.places);
    now = (struct table){0};
}

/* False if the file changed within the last second or two: as file times are coarse, another change
 * could leave them equal. */
static bool is_settled(const struct stat *st)
{
    return time(NULL) - st->st_ctim.tv_sec > 1;
}

bool contained_known(const char *path, const struct stat *st)
{
    const struct known this = {sum_of(path), contained_known_look_at(st)};
    const struct known *old = contained_known_find(&before, this.path);

    if (!is_settled(st))
        return false;
    if (2 * (now.used + 1) > now.size && now.size < PLACES_MAX)
        contained_known_grow(&now);
    if (2 * (now.used + 1) <= now.size) {
        *contained_known_find(&now, this.path) = this;
        now.used++;
    }
    return old && old->path == this.path && old->look == this.look;
}
