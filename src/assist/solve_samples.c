/* SPDX-License-Identifier: Apache-2.0 */
#include "assist/solve_samples.h"

#include "base/mem.h"

int solve_samples_check(const struct cli_settings *set, struct err *err)
{
    const struct {
        bool given;
        const char *name;
    } shared[] = {{set->events, "events"},
                  {set->common.tools != NULL, "tools"},
                  {set->common.out != NULL, "out"},
                  {set->common.work_dir != NULL, "work-dir"}};

    if (set->samples <= 1)
        return 0;
    if (!set->solve.check)
        return err_set(err, ERR_USAGE,
                       "--samples needs --answer-check, which decides what is a success");
    for (size_t i = 0; i < ARRAY_LEN(shared); i++)
        if (shared[i].given)
            return err_set(err, ERR_USAGE, "--%s is for one conversation; --samples has several",
                           shared[i].name);
    return 0;
}

/* What several models write side by side cannot be read: only the steps are shown. */
static void on_event(void *ctx, const struct agent_event *event)
{
    struct solution *solution = ctx;

    if (event->kind == AGENT_NOTE)
        model_call_event(&solution->call, event);
    if (event->kind != AGENT_STEP || solution->call.set->json)
        return;
    AUTO_FREE char *line = xasprintf("sample %d: step %d is over", event->sample, event->step);
    model_call_say(&solution->call, line);
}

static struct solve_sample *begin(struct solve_samples *s, const struct agent *agent)
{
    pthread_mutex_lock(&s->lock);
    struct solve_sample *sample = &s->at[s->n++];
    pthread_mutex_unlock(&s->lock);
    sample->agent = agent;
    return sample;
}

static int flow(void *ctx, struct agent *agent)
{
    struct solve_samples *s = ctx;
    const struct solution *solution = s->solution;
    struct solve_sample *sample = begin(s, agent);

    return solve(agent, &solution->setup.request, solution->task.p, &sample->result);
}

int solve_samples_run(struct solve_samples *s, struct solution *solution, struct err *err)
{
    struct model_call *call = &solution->call;

    *s = (struct solve_samples){.solution = solution, .lock = PTHREAD_MUTEX_INITIALIZER};
    call->watch.event = on_event;
    call->watch.ctx = solution;
    return model_call_samples(call, flow, s, &s->request, &s->samples, err);
}

const struct solve_result *solve_samples_result(const struct solve_samples *s,
                                                const struct agent *agent)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].agent == agent)
            return &s->at[i].result;
    return &s->none;
}

void solve_samples_done(struct solve_samples *s)
{
    for (int i = 0; i < s->n; i++)
        solve_done(&s->at[i].result);
    samples_done(&s->samples);
    pthread_mutex_destroy(&s->lock);
}
