/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks of a guest (live.h), and what keeps their jails one below the other alive.
 */
#include <stdlib.h>

#include "backends/live_parts.h"
#include "base/clock.h"
#include "base/mem.h"

#define FORKED_MS 10000 /* from the jail's being ready until the fork is in it */

/* ---- the family ---- */

struct family *family_new(struct pool *pool, struct pool_nest *nest, struct jail *root)
{
    struct family *f = xcalloc(1, sizeof *f);

    *f = (struct family){.pool = pool, .nest = nest, .root = root, .alive = 1};
    pthread_mutex_init(&f->lock, NULL);
    pthread_mutex_init(&f->members, NULL);
    return f;
}

static void family_free(struct family *f)
{
    /* Those below first: the end of a jail ends what is below it. */
    while (f->kept_count) {
        struct kept *k = &f->kept[--f->kept_count];
        jail_free(k->jail);
        cgroup_close(k->group);
    }
    pthread_mutex_destroy(&f->lock);
    pthread_mutex_destroy(&f->members);
    free(f->kept);
    free(f);
}

bool family_has_others(struct family *f)
{
    if (!f)
        return false;
    pthread_mutex_lock(&f->members);
    bool others = f->alive > 1;
    pthread_mutex_unlock(&f->members);
    return others;
}

static void keep(struct family *f, struct jail *jail, struct cgroup *group)
{
    if (f->kept_count == f->kept_size) {
        f->kept_size = f->kept_size ? f->kept_size * 2 : 4;
        f->kept = xrealloc_array(f->kept, f->kept_size, sizeof *f->kept);
    }
    f->kept[f->kept_count++] = (struct kept){jail, group};
}

void family_leave(struct live *l)
{
    struct family *f = mem_take(&l->family);

    if (!f)
        return;
    pthread_mutex_lock(&f->members);
    bool last = --f->alive == 0;
    if (!last)
        keep(f, mem_take(&l->out->jail), mem_take(&l->out->group));
    pthread_mutex_unlock(&f->members);
    pool_release(f->pool, f->nest);
    if (last)
        family_free(f);
}

/* ---- forking ---- */

static int fork_jail(struct live *l, struct live *origin, struct err *err)
{
    struct family *f = origin->family;
    struct jail_origin from = {.jail = origin->jail, .root = f->root};
    struct pool_jail made;

    if (pool_fork(f->pool, f->nest, &l->job->limits, l->job->layers, l->job->channel, &from, &made,
                  err) < 0)
        return -1;
    pthread_mutex_lock(&f->members);
    f->alive++;
    pthread_mutex_unlock(&f->members);
    l->family = f;
    live_adopt(l, &made);
    return 0;
}

int live_fork(struct live *origin, const struct backend_job *job, const struct backend_sink *sink,
              struct backend_outcome *ret, struct live **ret_live, struct err *err)
{
    if (!origin->family)
        return err_set(err, ERR_UNSUPPORTED, "%s",
                       origin->out->no_fork[0] ? origin->out->no_fork
                                               : "this guest was not started to be forked");
    if (origin->over)
        return err_set(err, ERR_GUEST, "the guest has ended");
    struct live *l = live_new(job, sink, ret);
    pthread_mutex_lock(&origin->family->lock);
    l->forking = origin->family; /* its lock is kept until live_forked, or the end */
    int result = fork_jail(l, origin, err);
    if (result < 0)
        live_done(l);
    else
        *ret_live = l;
    return result;
}

void family_let_fork(struct live *l)
{
    if (l->forking)
        pthread_mutex_unlock(&l->forking->lock);
    l->forking = NULL;
}

int live_forked(struct live *l, struct err *err)
{
    int64_t until = clock_mono_ms() + FORKED_MS;

    while (!l->over && !l->out->started && !l->error.kind && clock_mono_ms() < until)
        live_step(l, 1000);
    family_let_fork(l);
    if (l->out->started)
        return 0;
    if (l->error.kind)
        *err = l->error;
    else
        err_set(err, ERR_GUEST, "the fork did not come");
    return -1;
}
