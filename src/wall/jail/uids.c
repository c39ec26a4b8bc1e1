/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/uids.h"

#include <pthread.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"
#include "base/str.h"
#include "jail/caps.h"
#include "jail/spec.h"

/* Above the uids that systemd gives to containers, which end at 0x6fffffff. There are 64 ranges for
 * each process number modulo 16384. */
#define UIDS_FIRST 0x70000000u
enum { RANGES = 64, NUMBERS = 16384 };

/* Cuts the next number off the line; returns 0 if there is none. */
static uint64_t next_number(struct str *line)
{
    struct str word;
    int64_t n = 0;

    while (str_next(line, ' ', &word)) {
        if (!word.n)
            continue;
        (void)num_int64(word, &n);
        break;
    }
    return (uint64_t)n;
}

bool uids_exist(const char *map_file, uint32_t first, uint32_t count, uint32_t *ret_last)
{
    char text[4096];
    struct str rest, line;
    uint32_t last = 0;

    if (fd_read_file_at(-1, map_file, text, sizeof text) < 0)
        return true;
    rest = str_from(text);
    while (str_next_line(&rest, &line)) {
        uint64_t from = next_number(&line);
        (void)next_number(&line); /* skip the id outside */
        uint64_t n = next_number(&line);
        if (first >= from && first - from + count <= n)
            return true;
        if (n)
            last = (uint32_t)(from + n - 1);
    }
    if (ret_last)
        *ret_last = last;
    return false;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool taken[RANGES];
static unsigned turn; /* the next range to try; a returned range is used again last */

static uint32_t range(unsigned at)
{
    uint32_t number = (uint32_t)getpid() % NUMBERS;

    return UIDS_FIRST + (number * RANGES + at) * SPEC_JAILS_MAX;
}

uint32_t uids_take(void)
{
    uint32_t first = 0;

    if (!caps_may_set_ids() ||
        !uids_exist("/proc/self/uid_map", range(0), RANGES * SPEC_JAILS_MAX, NULL))
        return 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < RANGES && !first; i++) {
        unsigned at = turn++ % RANGES;
        if (taken[at])
            continue;
        taken[at] = true;
        first = range(at);
    }
    pthread_mutex_unlock(&lock);
    return first;
}

void uids_give_back(uint32_t first)
{
    if (!first)
        return;
    pthread_mutex_lock(&lock);
    taken[(first - UIDS_FIRST) / SPEC_JAILS_MAX % RANGES] = false;
    pthread_mutex_unlock(&lock);
}
