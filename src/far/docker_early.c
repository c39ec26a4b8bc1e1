/* SPDX-License-Identifier: Apache-2.0
 *
 * Containers that are made before their job is known. In some, the job's description (warm.h) names
 * a program that can be started as well: a server of cells, or an interpreter that waits for its
 * program. A zygote becomes the guest itself, since a container serves one guest: no fork of it is
 * needed, and its words come over descriptor CONTAINED_WORDS (guests/zygote_python.py).
 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "far/docker_parts.h"

enum { EARLY_MS = 60000, KIND_MAX = 2 * CONTAINED_PLAN_MAX };

static bool starts_early(const struct backend_job *job)
{
    return job->warm && job->warm->early != EARLY_PLACE && !job->forks;
}

static struct contained_plan plan_early(const struct far_guest *d)
{
    const struct backend_job *job = d->job;
    const struct backend_warm *warm = job->warm;
    struct contained_plan plan = far_plan(d);

    plan.waits = true;
    plan.has_words = far_is_zygote(job);
    plan.argv = far_is_zygote(job) ? warm->argv : job->argv;
    plan.env = warm->env;
    plan.wait_file = warm->waits_for ? warm->waits_for : "";
    return plan;
}

void docker_kind(const struct far_guest *d, const char *config, struct buf *ret)
{
    AUTO_BUF struct buf record = {0};

    buf_init(&record, CONTAINED_PLAN_MAX);
    buf_init(ret, KIND_MAX);
    if (starts_early(d->job)) {
        const struct contained_plan plan = plan_early(d);
        contained_plan_put(&record, &plan);
    }
    wire_put_cstr(ret, config);
    wire_put_str(ret, buf_str(&record));
    wire_put_str(ret, record.n ? d->job->warm->frames_sent : STR(""));
}

/* ---- making one ---- */

static bool has_all(const struct far_guest *d, struct str text)
{
    return d->waits && !text.n && d->sources[CONTAINED_TO_CHANNEL].window == CONTAINED_WINDOW;
}

static void send_some(struct far_guest *d, struct str *text)
{
    struct far_source *source = &d->sources[CONTAINED_TO_CHANNEL];
    size_t n = text->n < source->window ? text->n : source->window;

    if (!n)
        return;
    far_put(d, CONTAINED_CHANNEL_IN, str_slice(*text, 0, n));
    source->window -= n;
    *text = str_slice(*text, n, text->n);
}

static int start_program(struct far_guest *d, struct str plan, struct str text, struct err *err)
{
    int64_t until = clock_mono_ms() + EARLY_MS;

    far_put(d, CONTAINED_PLAN, plan);
    while (d->fd >= 0 && !d->failed && !has_all(d, text) && clock_mono_ms() < until) {
        send_some(d, &text);
        far_move(d, 1000);
    }
    if (has_all(d, text))
        return 0;
    if (d->failed)
        *err = d->error;
    else
        err_set(err, ERR_SYSTEM, "a program in a container did not come to wait");
    return -1;
}

int docker_make_ready(struct far_guest *d, struct str kind, struct err *err)
{
    struct wire w = {.rest = kind};
    AUTO_FREE char *config = wire_cstr(&w);
    struct str plan = wire_str(&w), text = wire_str(&w);

    if (docker_make(d, config, err) < 0)
        return -1;
    return plan.n ? start_program(d, plan, text, err) : 0;
}

/* ---- using it ---- */

void docker_adopt(struct far_guest *d, struct far_guest *waiting)
{
    docker_container_of(d)->id = mem_take(&docker_container_of(waiting)->id);
    d->fd = waiting->fd;
    d->waits = waiting->waits;
    d->held = waiting->held;
    waiting->fd = -1;
    docker_guest_free(waiting);
    outcome_phase(d->out, "take");
}
