/* SPDX-License-Identifier: Apache-2.0 */
#include "server/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "hosting/share.h"

struct lane {
    struct lane *next;
    char owner[TOKEN_NAME];
    struct job *first, **end;
    size_t count, bytes;
    unsigned busy;
    uint64_t served; /* the queue's clock when the lane's latest job began */
};

static struct lane *find_lane(const struct queue *q, const char *owner)
{
    struct lane *lane = q->lanes;

    while (lane && strcmp(lane->owner, owner) != 0)
        lane = lane->next;
    return lane;
}

static struct lane *make_lane(struct queue *q, const char *owner)
{
    struct lane *lane = find_lane(q, owner);

    if (lane)
        return lane;
    lane = xcalloc(1, sizeof *lane);
    snprintf(lane->owner, sizeof lane->owner, "%s", owner);
    lane->end = &lane->first;
    lane->next = q->lanes;
    q->lanes = lane;
    return lane;
}

static void free_lane_if_empty(struct queue *q, struct lane *lane)
{
    struct lane **place = &q->lanes;

    if (lane->count || lane->busy)
        return;
    while (*place != lane)
        place = &(*place)->next;
    *place = lane->next;
    free(lane);
}

void queue_add(struct queue *q, struct job *job)
{
    job->queued = true;
    job->next = NULL;
    q->count++;
    q->bytes += job->body.n;
    if (job->urgent) {
        job->next = q->urgent;
        job->place = &q->urgent;
        if (job->next)
            job->next->place = &job->next;
        q->urgent = job;
        return;
    }
    struct lane *lane = make_lane(q, job->owner);
    job->place = lane->end;
    *lane->end = job;
    lane->end = &job->next;
    lane->count++;
    lane->bytes += job->body.n;
    job->lane = lane;
}

static bool may_have_worker(const struct queue *q, const struct lane *lane)
{
    return lane->first && share_allows(lane->busy, 1, q->busy, q->workers_max, q->owners);
}

static bool goes_before(const struct lane *a, const struct lane *b)
{
    return a->busy != b->busy ? a->busy < b->busy : a->served < b->served;
}

struct job *queue_next(const struct queue *q)
{
    const struct lane *best = NULL;

    if (q->urgent)
        return q->urgent;
    for (const struct lane *lane = q->lanes; lane; lane = lane->next)
        if (may_have_worker(q, lane) && (!best || goes_before(lane, best)))
            best = lane;
    return best ? best->first : NULL;
}

static void unlink_job(struct queue *q, struct job *job)
{
    struct lane *lane = job->lane;

    *job->place = job->next;
    if (job->next)
        job->next->place = job->place;
    else if (lane)
        lane->end = job->place;
    job->next = NULL;
    job->queued = false;
    q->count--;
    q->bytes -= job->body.n;
    if (lane) {
        lane->count--;
        lane->bytes -= job->body.n;
    }
}

void queue_remove(struct queue *q, struct job *job)
{
    unlink_job(q, job);
    if (job->lane)
        free_lane_if_empty(q, job->lane);
    job->lane = NULL;
}

void queue_begin(struct queue *q, struct job *job)
{
    unlink_job(q, job);
    if (!job->lane)
        return;
    job->lane->busy++;
    job->lane->served = ++q->clock;
    q->busy++;
}

void queue_end(struct queue *q, struct job *job)
{
    if (!job->lane)
        return;
    job->lane->busy--;
    q->busy--;
    free_lane_if_empty(q, job->lane);
    job->lane = NULL;
}

size_t queue_of(const struct queue *q, const char *owner, size_t *ret_bytes)
{
    const struct lane *lane = find_lane(q, owner);

    *ret_bytes = lane ? lane->bytes : 0;
    return lane ? lane->count : 0;
}

static void walk_line(struct queue *q, struct job *job,
                      void (*each)(struct queue *q, struct job *job, void *ctx), void *ctx)
{
    for (struct job *next; job; job = next) {
        next = job->next;
        each(q, job, ctx);
    }
}

void queue_walk(struct queue *q, void (*each)(struct queue *q, struct job *job, void *ctx),
                void *ctx)
{
    walk_line(q, q->urgent, each, ctx);
    for (struct lane *lane = q->lanes, *next; lane; lane = next) {
        next = lane->next; /* removing the last job of a lane frees the lane */
        walk_line(q, lane->first, each, ctx);
    }
}
