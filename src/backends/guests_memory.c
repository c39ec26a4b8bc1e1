/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/guests_memory.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "jail/cgroup.h"

#define MIB ((uint64_t)1 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over all below */
static struct counted_guest *first;
static uint64_t most, sum;
static atomic_bool counts;

void guests_memory_limit(uint64_t bytes)
{
    bool held = cgroup_ceiling(bytes);

    pthread_mutex_lock(&lock);
    most = bytes;
    pthread_mutex_unlock(&lock);
    atomic_store(&counts, bytes && !held);
}

uint64_t guests_memory_usual(void)
{
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t around = cgroup_memory_around();

    return (around < machine ? around : machine) / 2 & ~(MIB - 1);
}

bool guests_memory_is_counted(void)
{
    return atomic_load(&counts);
}

static uint64_t owner_has(const struct counted_guest *guest)
{
    uint64_t bytes = 0;

    for (const struct counted_guest *g = first; g; g = g->next)
        bytes += g->owner == guest->owner ? g->bytes : 0;
    return bytes;
}

/* An owner that has most is above its share when all together have too much. */
static struct counted_guest *find_largest(void)
{
    struct counted_guest *found = NULL;
    uint64_t found_has = 0;

    for (struct counted_guest *g = first; g; g = g->next) {
        uint64_t has = owner_has(g);
        if (!found || has > found_has || (has == found_has && g->bytes > found->bytes)) {
            found = g;
            found_has = has;
        }
    }
    return found;
}

static void set_bytes(struct counted_guest *guest, uint64_t bytes)
{
    sum = sum - guest->bytes + bytes;
    guest->bytes = bytes;
}

/* What was killed is not counted any more: its memory is about to be free. */
static void kill_until_it_fits(void)
{
    while (first && most && sum > most) {
        struct counted_guest *g = find_largest();
        atomic_store(&g->killed, true);
        set_bytes(g, 0);
        if (g->init_pidfd >= 0)
            (void)pidfd_send_signal(g->init_pidfd, SIGKILL, NULL, 0);
    }
}

void guests_memory_count(struct counted_guest *guest, uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    if (!guest->counted) {
        guest->next = first;
        first = guest;
        guest->counted = true;
    }
    if (!atomic_load(&guest->killed))
        set_bytes(guest, bytes);
    kill_until_it_fits();
    pthread_mutex_unlock(&lock);
}

void guests_memory_leave(struct counted_guest *guest)
{
    if (!guest->counted)
        return;
    pthread_mutex_lock(&lock);
    struct counted_guest **at = &first;
    while (*at != guest)
        at = &(*at)->next;
    *at = guest->next;
    set_bytes(guest, 0);
    guest->counted = false;
    pthread_mutex_unlock(&lock);
}
