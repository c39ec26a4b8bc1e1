/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups that wait for another run. The group that waited longest is taken first: its share of
 * processor time is then as fresh as it can be.
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

/* All parts: those that are renewed twice are none the worse for it. */
static enum cgroup_renewal renew(struct cgroup *c)
{
    enum cgroup_renewal worst = CGROUP_NEW;

    for (size_t i = 0; i < c->part_count && worst != CGROUP_SPENT; i++) {
        enum cgroup_renewal one = c->parts[i].home->ops->renew(&c->parts[i]);
        worst = one > worst ? one : worst;
    }
    return worst;
}

/* One that may do; it is out of the list then. */
static struct cgroup *take(const struct cgroup_spare_key *key)
{
    struct cgroup *found = NULL;

    pthread_mutex_lock(&lock);
    for (struct cgroup **at = &first; *at && !found; at = found ? at : &(*at)->next)
        if (same(&(*at)->made_for, key))
            found = unlink_at(at);
    pthread_mutex_unlock(&lock);
    return found;
}

static void put(struct cgroup *c)
{
    pthread_mutex_lock(&lock);
    *end = c;
    end = &c->next;
    kept++;
    pthread_mutex_unlock(&lock);
}

bool cgroup_spare_has(const struct cgroup_spare_key *key)
{
    bool has = false;

    pthread_mutex_lock(&lock);
    for (struct cgroup *c = first; c && !has; c = c->next)
        has = same(&c->made_for, key);
    pthread_mutex_unlock(&lock);
    return has;
}

#define TRIES_MAX 4 /* after so many spares with dying processes, give up */

struct cgroup *cgroup_spare_take(const struct cgroup_spare_key *key)
{
    struct cgroup *c;

    for (int tries = 0; tries < TRIES_MAX && (c = take(key)); tries++) {
        enum cgroup_renewal state = c->dying ? renew(c) : CGROUP_NEW;
        c->dying = false;
        if (state == CGROUP_NEW)
            return c;
        if (state == CGROUP_SPENT) {
            cgroup_remove(c);
            continue;
        }
        c->dying = true;
        put(c);
    }
    return NULL;
}

#define RENEW_TRIES    6
#define RENEW_PAUSE_NS 50000

/* The last of its processes may still be on its way out. */
static enum cgroup_renewal renew_patiently(struct cgroup *c)
{
    const struct timespec pause = {.tv_nsec = RENEW_PAUSE_NS};
    enum cgroup_renewal state = renew(c);

    for (int tries = 1; tries < RENEW_TRIES && state == CGROUP_BUSY; tries++) {
        (void)nanosleep(&pause, NULL);
        state = renew(c);
    }
    return state;
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

void cgroup_spare_add(struct cgroup *c)
{
    put(c);
    remove_beyond();
}

bool cgroup_spare_keep(struct cgroup *c, bool dying)
{
    if (c->once || !c->part_count || !may_keep())
        return false;
    enum cgroup_renewal state = dying ? renew(c) : renew_patiently(c);
    c->dying = dying && state == CGROUP_BUSY;
    if (state != CGROUP_NEW && !c->dying)
        return false;
    cgroup_spare_add(c);
    return true;
}

void cgroup_spare(int more)
{
    pthread_mutex_lock(&lock);
    room += more;
    pthread_mutex_unlock(&lock);
    remove_beyond();
}
