/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups that wait for another run. Who waited longest is taken first: its share of processor time
 * is then as fresh as it can be.
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "jail/cgroup_impl.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cgroup *first, **end = &first;
static int room, kept;

static bool same(const struct cgroup_spare_key *a, const struct cgroup_spare_key *b)
{
    return a->controllers == b->controllers && a->memory_bytes == b->memory_bytes &&
           a->pids == b->pids && a->cpu_milli == b->cpu_milli;
}

/* With the lock. */
static struct cgroup *unlink_at(struct cgroup **at)
{
    struct cgroup *c = *at;

    *at = c->next;
    if (end == &c->next)
        end = at;
    c->next = NULL;
    kept--;
    return c;
}

struct cgroup *cgroup_spare_take(const struct cgroup_spare_key *key)
{
    struct cgroup *found = NULL;

    pthread_mutex_lock(&lock);
    for (struct cgroup **at = &first; *at && !found; at = found ? at : &(*at)->next)
        if (same(&(*at)->made_for, key))
            found = unlink_at(at);
    pthread_mutex_unlock(&lock);
    return found;
}

#define RENEW_TRIES    6
#define RENEW_PAUSE_NS 50000

/* The last of its processes may still be on its way out. */
static bool renew(struct cgroup *c)
{
    const struct timespec pause = {.tv_nsec = RENEW_PAUSE_NS};
    size_t done = 0;

    for (int tries = 0; tries < RENEW_TRIES; tries++) {
        while (done < c->part_count && c->parts[done].home->ops->renew(&c->parts[done]))
            done++;
        if (done == c->part_count)
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

static bool may_keep(void)
{
    pthread_mutex_lock(&lock);
    bool may = kept < room;
    pthread_mutex_unlock(&lock);
    return may;
}

/* When there is no room for one more, that which waited longest goes. */
static void remove_beyond(void)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        struct cgroup *c = kept > room ? unlink_at(&first) : NULL;
        pthread_mutex_unlock(&lock);
        if (!c)
            return;
        cgroup_remove(c);
    }
}

bool cgroup_spare_keep(struct cgroup *c)
{
    if (c->once || !c->part_count || !may_keep() || !renew(c))
        return false;
    pthread_mutex_lock(&lock);
    *end = c;
    end = &c->next;
    kept++;
    pthread_mutex_unlock(&lock);
    remove_beyond();
    return true;
}

void cgroup_spare(int more)
{
    pthread_mutex_lock(&lock);
    room += more;
    pthread_mutex_unlock(&lock);
    remove_beyond();
}
