/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/samples.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/trial.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

struct side_by_side;

struct sample {
    struct side_by_side *all;
    int number;
    bool begun, opened; /* opened: its llm is its own, and not that of the request */
    struct llm *llm;
    struct agent_request request;
    struct agent_watch watch;
    struct agent agent;
};

struct side_by_side {
    struct samples *to;
    pthread_mutex_t lock; /* for the watch, `next` and the winner */
    int next;
    int64_t began_ms;
    /* stop: readable once there is a winner; either: as stop, and when the user cancels */
    int stop, either;
};

/* ---- one sample ---- */

static void samples_on_event(void *ctx, const struct agent_event *event)
{
    const struct sample *sample = ctx;
    struct side_by_side *all = sample->all;
    const struct agent_watch *watch = all->to->request->watch;
    struct agent_event numbered = *event;

    if (!watch->event || event->kind == AGENT_TEXT)
        return;
    numbered.sample = sample->number;
    pthread_mutex_lock(&all->lock);
    watch->event(watch->ctx, &numbered);
    pthread_mutex_unlock(&all->lock);
}

static int64_t share(int64_t bound, int n)
{
    return bound && bound < n ? 1 : bound / n;
}

static void samples_prepare(struct sample *sample)
{
    const struct samples_request *q = sample->all->to->request;
    struct task_bounds *bounds = &sample->request.bounds;
    int64_t used = clock_mono_ms() - sample->all->began_ms;

    sample->request = *q->task;
    sample->request.stream = false; /* several texts at the same time cannot be read */
    bounds->tokens = share(bounds->tokens, q->n);
    bounds->cost_milli = share(bounds->cost_milli, q->n);
    if (bounds->time_ms)
        bounds->time_ms = bounds->time_ms > used ? bounds->time_ms - used : 1;
    sample->watch = (struct agent_watch){
        .event = samples_on_event, .ctx = sample, .cancel_fd = sample->all->either};
}

static int open_llm(struct sample *sample, struct err *err)
{
    const struct samples_request *q = sample->all->to->request;

    sample->llm = q->llm;
    if (sample->number == 1)
        return 0;
    if (llm_open(q->settings, &sample->llm, err) < 0) {
        sample->llm = q->llm; /* only for its name */
        return -1;
    }
    sample->opened = true;
    return 0;
}

static void do_sample(struct sample *sample)
{
    const struct samples_request *q = sample->all->to->request;
    struct err err;

    int opened = open_llm(sample, &err);
    samples_prepare(sample);
    agent_begin(&sample->agent, sample->llm, &sample->request, &sample->watch);
    if (opened < 0)
        (void)agent_finish(&sample->agent, AGENT_FAILED, &err);
    else if (sample->agent.end == AGENT_OPEN)
        (void)q->flow(q->ctx, &sample->agent);
}

/* ---- the threads ---- */

/* Returns the next sample, or NULL: none begins after there is a winner. */
static struct sample *samples_take(struct side_by_side *all)
{
    struct sample *sample = NULL;

    pthread_mutex_lock(&all->lock);
    if (all->next < all->to->n && all->to->winner < 0) {
        sample = &all->to->at[all->next++];
        sample->begun = true;
    }
    pthread_mutex_unlock(&all->lock);
    return sample;
}

static void samples_finish(struct side_by_side *all, const struct sample *sample)
{
    const uint64_t one = 1;

    pthread_mutex_lock(&all->lock);
    if (sample->agent.end == AGENT_DONE && all->to->winner < 0) {
        all->to->winner = sample->number - 1;
        (void)!write(all->stop, &one, sizeof one);
    }
    pthread_mutex_unlock(&all->lock);
}

static void *samples_work(void *ctx)
{
    struct side_by_side *all = ctx;
    struct sample *sample;

    while ((sample = samples_take(all))) {
        do_sample(sample);
        samples_finish(all, sample);
    }
    return NULL;
}

static int samples_start(struct side_by_side *all, struct err *err)
{
    const struct samples_request *q = all->to->request;
    pthread_t threads[SAMPLES_MAX];
    int n = 0, jobs = q->jobs < q->n ? q->jobs : q->n, failed = 0;

    while (n < jobs && !(failed = pthread_create(&threads[n], NULL, samples_work, all)))
        n++;
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return n ? 0 : err_set(err, ERR_SYSTEM, "cannot start a thread: error %d", failed);
}

static int run_all(struct side_by_side *all, struct err *err)
{
    AUTO_CLOSE int stop = eventfd(0, EFD_CLOEXEC), either = -1;

    if (stop < 0)
        return err_sys(err, "watch the samples");
    either = fd_either(stop, all->to->request->watch->cancel_fd, err);
    if (either < 0)
        return -1;
    all->stop = stop;
    all->either = either;
    pthread_mutex_init(&all->lock, NULL);
    int status = samples_start(all, err);
    pthread_mutex_destroy(&all->lock);
    return status;
}

/* Counts the usage of all and closes their connections. The agents are kept until samples_done. */
static void close_all(struct samples *samples)
{
    struct llm *llm = samples->request->llm;

    for (int i = 0; i < samples->n; i++) {
        struct sample *sample = &samples->at[i];
        if (sample->opened) {
            llm_usage_take(llm, sample->llm);
            llm_close(sample->llm);
        }
        sample->llm = sample->agent.llm = llm;
    }
}

static void run_one(struct samples *samples)
{
    const struct samples_request *q = samples->request;
    struct agent *agent = &samples->at[0].agent;

    samples->at[0].begun = true;
    agent_begin(agent, q->llm, q->task, q->watch);
    if (agent->end == AGENT_OPEN && q->flow(q->ctx, agent) == 0)
        samples->winner = 0;
}

int samples_run(const struct samples_request *request, struct samples *ret, struct err *err)
{
    struct side_by_side all = {.to = ret, .began_ms = clock_mono_ms()};

    *ret = (struct samples){.request = request, .n = request->n, .winner = -1};
    ret->at = xcalloc((size_t)request->n, sizeof *ret->at);
    for (int i = 0; i < ret->n; i++) {
        ret->at[i].all = &all;
        ret->at[i].number = i + 1;
    }
    if (request->n == 1) {
        run_one(ret);
        return 0;
    }
    int status = run_all(&all, err);
    close_all(ret);
    return status;
}

struct agent *samples_agent(const struct samples *samples, int i)
{
    return &samples->at[i].agent;
}

void samples_done(struct samples *samples)
{
    for (int i = 0; i < samples->n; i++)
        if (samples->at[i].begun)
            agent_done(&samples->at[i].agent);
    free(samples->at);
    *samples = (struct samples){0};
}

/* ---- the result ---- */

static bool is_better(const struct agent *agent, const struct agent *other)
{
    bool failed = agent->end == AGENT_FAILED, other_failed = other->end == AGENT_FAILED;

    if (failed != other_failed)
        return other_failed;
    return trial_last_score(agent) > trial_last_score(other);
}

struct agent *samples_best(const struct samples *samples)
{
    struct agent *best = &samples->at[samples->winner < 0 ? 0 : samples->winner].agent;

    for (int i = 1; samples->winner < 0 && i < samples->n; i++)
        if (samples->at[i].begun && is_better(&samples->at[i].agent, best))
            best = &samples->at[i].agent;
    return best;
}

static const char *end_of(const struct samples *samples, const struct sample *sample)
{
    if (!sample->begun)
        return "not begun";
    if (samples->winner >= 0 && sample->agent.end == AGENT_CANCELLED)
        return "lost";
    return agent_end_name(sample->agent.end);
}

/* Adds the usage of all reviews; all other usage is counted by the request's connection. */
static void add_reviews(const struct samples *samples, json_t *document)
{
    struct llm_usage_table reviews = {0};

    for (int i = 0; i < samples->n; i++)
        llm_usage_count_table(&reviews, &samples->at[i].agent.reviews);
    json_object_update_new(json_object_get(document, "usage"), llm_usage_table_json(&reviews));
    llm_usage_table_done(&reviews);
}

void samples_add_json(const struct samples *samples, json_t *document)
{
    json_t *list = json_array();

    for (int i = 0; samples->n > 1 && i < samples->n; i++) {
        const struct sample *sample = &samples->at[i];
        json_array_append_new(
            list, json_pack("{s:i, s:s, s:i, s:f, s:b}", "sample", i + 1, "stopped",
                            end_of(samples, sample), "attempts", sample->agent.step, "score",
                            trial_last_score(&sample->agent), "won", i == samples->winner));
    }
    json_object_set_new(document, "samples", list);
    add_reviews(samples, document);
}
