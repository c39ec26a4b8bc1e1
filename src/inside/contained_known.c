/* SPDX-License-Identifier: Apache-2.0
 *
 * What was sent of the workspace, so that it is not sent again after each cell. A file is known by
 * a sum over its path, and is as it was if inode, size, mode and times are (as in
 * workspace/workspace_changes.h). The sums depend on a number that the guest does not know. The
 * table has a ceiling; files beyond it are sent each time.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/mem.h"
#include "inside/contained.h"

enum { PLACES_MIN = 256, PLACES_MAX = 1 << 16 };

struct known {
    uint64_t path, look; /* 0: a free place */
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

static uint64_t look_at(const struct stat *st)
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

/* Its place, or a free one; NULL without a table. */
static struct known *find(const struct table *t, uint64_t path)
{
    size_t i = path >> 8;

    if (!t->size)
        return NULL;
    while (t->places[i & (t->size - 1)].path && t->places[i & (t->size - 1)].path != path)
        i++;
    return &t->places[i & (t->size - 1)];
}

static void grow(struct table *t)
{
    struct table larger = {.size = t->size ? t->size * 2 : PLACES_MIN, .used = t->used};

    larger.places = xcalloc(larger.size, sizeof *larger.places);
    for (size_t i = 0; i < t->size; i++)
        if (t->places[i].path)
            *find(&larger, t->places[i].path) = t->places[i];
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

/* A change soon after another one can leave the time as it is: clocks of files are coarse. */
static bool is_settled(const struct stat *st)
{
    return time(NULL) - st->st_ctim.tv_sec > 1;
}

bool contained_known(const char *path, const struct stat *st)
{
    const struct known this = {sum_of(path), look_at(st)};
    const struct known *old = find(&before, this.path);

    if (!is_settled(st))
        return false;
    if (2 * (now.used + 1) > now.size && now.size < PLACES_MAX)
        grow(&now);
    if (2 * (now.used + 1) <= now.size) {
        *find(&now, this.path) = this;
        now.used++;
    }
    return old && old->path == this.path && old->look == this.look;
}
