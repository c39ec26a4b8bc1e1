/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups that wait for another run. The group that has waited longest is taken first: its share of
 * processor time has had the most time to recover.
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "limits/cgroup_impl.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cgroup *first, **end = &first;
static int room, kept;

static bool cgroup_spare_same(const struct cgroup_spare_key *a, const struct cgroup_spare_key *b)
{
    return a->controllers == b->controllers && a->memory_bytes == b->memory_bytes &&
           a->pids == b->pids && a->cpu_milli == b->cpu_milli;
}

/* Called with the lock held. */
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

/* Renews all parts. A part may be renewed twice without harm. */
static enum cgroup_renewal renew(struct cgroup *c)
{
    enum cgroup_renewal worst = CGROUP_NEW;

    for (size_t i = 0; i < c->part_count && worst != CGROUP_SPENT; i++) {
        enum cgroup_renewal one = c->parts[i].home->ops->renew(&c->parts[i]);
        worst = one > worst ? one : worst;
    }
    return worst;
}

/* Takes a group that fits out of the list; NULL if there is none. */
static struct cgroup *take(const struct cgroup_spare_key *key)
{
    struct cgroup *found = NULL;

    pthread_mutex_lock(&lock);
    for (struct cgroup **at = &first; *at && !found; at = found ? at : &(*at)->next)
        if (cgroup_spare_same(&(*at)->made_for, key))
            found = unlink_at(at);
    pthread_mutex_unlock(&lock);
    return found;
}

static void cgroup_spare_put(struct cgroup *c)
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
        has = cgroup_spare_same(&c->made_for, key);
    pthread_mutex_unlock(&lock);
    return has;
}

#define TRIES_MAX 4 /* give up after so many spares with dying processes */

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
        cgroup_spare_put(c);
    }
    return NULL;
}

#define RENEW_TRIES    6
#define RENEW_PAUSE_NS 50000

/* The last of its processes may still be exiting, so this tries several times. */
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

/* Removes the oldest spares beyond the limit. */
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
    cgroup_spare_put(c);
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
