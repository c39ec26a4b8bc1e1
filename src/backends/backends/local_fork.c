/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks of a guest (backend.h), and the tree that keeps their nested jails alive.
 */
#include <stdlib.h>

#include "backends/local_parts.h"
#include "base/clock.h"
#include "base/mem.h"

#define FORKED_MS 10000 /* from the report that the jail is ready until the fork is in it */

/* ---- the tree of forks ---- */

struct fork_tree *fork_tree_new(struct pool *pool, struct pool_nest *nest, struct jail *root)
{
    struct fork_tree *f = xcalloc(1, sizeof *f);
    struct watch_tree first;

    *f = (struct fork_tree){.pool = pool, .nest = nest, .root = root, .alive = 1};
    f->first = xcalloc(1, sizeof *f->first);
    if (jail_tree(root, &first))
        f->family = (struct watch_family){first.root, first.beside, first.pid_space};
    pthread_mutex_init(&f->lock, NULL);
    pthread_mutex_init(&f->members, NULL);
    return f;
}

struct watch_family fork_tree_family(const struct local_guest *l)
{
    return l->tree ? l->tree->family : (struct watch_family){0};
}

static void fork_tree_free(struct fork_tree *f)
{
    pthread_mutex_destroy(&f->lock);
    pthread_mutex_destroy(&f->members);
    free(f);
}

static struct fork_member *member_of(const struct local_guest *l)
{
    return l->member ? l->member : l->tree->first;
}

bool fork_tree_has_below(struct local_guest *l)
{
    if (!l->tree)
        return false;
    pthread_mutex_lock(&l->tree->members);
    bool below = member_of(l)->below > 0;
    pthread_mutex_unlock(&l->tree->members);
    return below;
}

/* Call it with the lock. Takes an ended member that has no members below it out of the tree, then
 * its parent if the same is true of it, and so on. Returns the list of those members, lowest first.
 */
static struct fork_member *local_fork_take_out(struct fork_member *m)
{
    struct fork_member *list = NULL, **end = &list;

    while (m && m->ended && !m->below) {
        struct fork_member *parent = m->parent;
        *end = m;
        end = &m->parent;
        *end = NULL;
        if (parent)
            parent->below--;
        m = parent;
    }
    return list;
}

static void free_members(struct fork_member *list)
{
    while (list) {
        struct fork_member *next = list->parent;
        guests_memory_leave(&list->counted);
        jail_free(list->jail);
        cgroup_close(list->group);
        free(list);
        list = next;
    }
}

void fork_tree_leave(struct local_guest *l)
{
    struct fork_tree *f = mem_take(&l->tree);

    if (!f)
        return;
    struct pool *pool = f->pool; /* without the lock, f may be freed by the last member */
    struct pool_nest *nest = f->nest;
    pthread_mutex_lock(&f->members);
    struct fork_member *m = l->member ? mem_take(&l->member) : f->first;
    m->ended = true;
    if (m->below) {
        m->jail = mem_take(&l->jail);
        guests_memory_keep(&l->counted, &m->counted);
        m->group = mem_take(&l->group);
    }
    struct fork_member *list = local_fork_take_out(m);
    bool last = --f->alive == 0;
    pthread_mutex_unlock(&f->members);
    if (last)
        fork_tree_free(f);
    free_members(list);
    pool_release(pool, nest);
}

/* ---- forking ---- */

static struct jail_limits limits_of_fork(const struct local_guest *l)
{
    struct jail_limits limits = l->job->limits;

    limits.count_cpu = true; /* no process of ours can wait() for it */
    return limits;
}

static int fork_jail(struct local_guest *l, struct local_guest *origin, struct err *err)
{
    struct fork_tree *f = origin->tree;
    struct jail_origin from = {.jail = origin->jail, .root = f->root};
    struct jail_limits limits = limits_of_fork(l);
    struct pool_jail made;

    struct pool_order order = {
        .limits = &limits, .layers = l->job->layers, .channel = l->job->channel, .origin = &from};
    if (pool_fork(f->pool, f->nest, &order, &made, err) < 0)
        return -1;
    l->member = xcalloc(1, sizeof *l->member);
    pthread_mutex_lock(&f->members);
    f->alive++;
    l->member->parent = member_of(origin);
    l->member->parent->below++;
    pthread_mutex_unlock(&f->members);
    l->tree = f;
    local_adopt(l, &made);
    return 0;
}

int local_fork(struct backend_guest *from, const struct backend_job *job,
               const struct backend_sink *sink, struct backend_outcome *ret,
               struct backend_guest **ret_guest, struct err *err)
{
    struct local_guest *origin = local_of(from);

    if (!origin->tree)
        return err_set(err, ERR_UNSUPPORTED, "%s",
                       origin->out->no_fork[0] ? origin->out->no_fork
                                               : "this guest was not started to be forked");
    while (local_pending(from))
        local_step(from, 0);
    if (local_state(from) != BACKEND_RUNS)
        return err_set(err, ERR_GUEST, "the guest has ended");
    struct local_guest *l = local_new(job, sink, ret);
    pthread_mutex_lock(&origin->tree->lock);
    l->origin = origin;
    l->forking = origin->tree; /* stays locked until local_forked, or the end */
    int result = fork_jail(l, origin, err);
    if (result == 0) {
        *ret_guest = &l->base;
        return 0;
    }
    local_leave(l);
    local_close(&l->base);
    return -1;
}

void fork_tree_let_fork(struct local_guest *l)
{
    if (l->forking)
        pthread_mutex_unlock(&l->forking->lock);
    l->forking = NULL;
}

int local_forked(struct backend_guest *guest, struct err *err)
{
    struct local_guest *l = local_of(guest);
    int64_t until = clock_mono_ms() + FORKED_MS;

    while (!l->over && !l->out->started && !l->error.kind && clock_mono_ms() < until)
        local_step(guest, 1000);
    fork_tree_let_fork(l);
    if (l->out->started) {
        struct jail_limits limits = limits_of_fork(l);
        pool_forked(l->tree->pool, &limits, l->job->layers);
        return 0;
    }
    if (l->error.kind)
        *err = l->error;
    else
        err_set(err, ERR_GUEST, "the fork did not start");
    return -1;
}
