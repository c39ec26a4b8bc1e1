/* SPDX-License-Identifier: Apache-2.0
 *
 * Containers that are made before their job is known. In some, the job's description (warm.h) also
 * names a program to start: a server of cells, or an interpreter that waits for its program. A
 * zygote does not fork, because a container serves one guest: it becomes the guest itself, and
 * receives its words over descriptor CONTAINED_WORDS (guests/zygote_python.py).
 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "far/docker_parts.h"

enum { EARLY_MS = 60000 };

static bool starts_early(const struct backend_job *job)
{
    return job->warm && job->warm->early != EARLY_PLACE && !job->forks;
}

static struct contained_plan plan_early(const struct far_guest *guest)
{
    const struct backend_job *job = guest->job;
    const struct backend_warm *warm = job->warm;
    struct contained_plan plan = far_plan(guest);

    plan.waits = true;
    plan.has_words = far_is_zygote(job);
    plan.argv = far_is_zygote(job) ? warm->argv : job->argv;
    plan.env = warm->env;
    plan.wait_file = warm->waits_for ? warm->waits_for : "";
    return plan;
}

struct docker_kind docker_kind_make(const struct far_guest *guest, json_t *config)
{
    struct docker_kind kind = {.config = config};

    if (!starts_early(guest->job))
        return kind;
    const struct contained_plan plan = plan_early(guest);
    buf_init(&kind.plan, CONTAINED_PLAN_MAX);
    contained_plan_put(&kind.plan, &plan);
    buf_init(&kind.frames, guest->job->warm->frames_sent.n);
    (void)buf_add_str(&kind.frames, guest->job->warm->frames_sent);
    return kind;
}

static void copy_bytes(struct buf *ret, const struct buf *bytes)
{
    if (!bytes->n)
        return;
    buf_init(ret, bytes->n);
    (void)buf_add_str(ret, buf_str(bytes));
}

struct docker_kind docker_kind_copy(const struct docker_kind *kind)
{
    struct docker_kind copy = {.config = json_incref(kind->config)};

    copy_bytes(&copy.plan, &kind->plan);
    copy_bytes(&copy.frames, &kind->frames);
    return copy;
}

bool docker_kind_is(const struct docker_kind *a, const struct docker_kind *b)
{
    return str_eq(buf_str(&a->plan), buf_str(&b->plan)) &&
           str_eq(buf_str(&a->frames), buf_str(&b->frames)) && json_equal(a->config, b->config);
}

void docker_kind_done(struct docker_kind *kind)
{
    json_decref(kind->config);
    buf_done(&kind->plan);
    buf_done(&kind->frames);
    *kind = (struct docker_kind){0};
}

/* ---- making one ---- */

static bool has_all(const struct far_guest *guest, struct str text)
{
    return guest->waits && !text.n &&
           guest->sources[CONTAINED_TO_CHANNEL].window == CONTAINED_WINDOW;
}

static void send_some(struct far_guest *guest, struct str *text)
{
    struct far_source *source = &guest->sources[CONTAINED_TO_CHANNEL];
    size_t n = text->n < source->window ? text->n : source->window;

    if (!n)
        return;
    far_put(guest, CONTAINED_CHANNEL_IN, str_slice(*text, 0, n));
    source->window -= n;
    *text = str_slice(*text, n, text->n);
}

static int start_program(struct far_guest *guest, struct str plan, struct str text, struct err *err)
{
    int64_t until = clock_mono_ms() + EARLY_MS;

    far_put(guest, CONTAINED_PLAN, plan);
    while (guest->fd >= 0 && !guest->failed && !has_all(guest, text) && clock_mono_ms() < until) {
        send_some(guest, &text);
        far_move(guest, 1000);
    }
    if (has_all(guest, text))
        return 0;
    if (guest->failed)
        *err = guest->error;
    else
        err_set(err, ERR_SYSTEM, "a program in a container was not ready in time");
    return -1;
}

int docker_make_ready(struct far_guest *guest, const struct docker_kind *kind, struct err *err)
{
    if (docker_make(guest, kind->config, err) < 0)
        return -1;
    return kind->plan.n ? start_program(guest, buf_str(&kind->plan), buf_str(&kind->frames), err)
                        : 0;
}

/* ---- using it ---- */

void docker_adopt(struct far_guest *guest, struct far_guest *waiting)
{
    docker_container_of(guest)->id = mem_take(&docker_container_of(waiting)->id);
    guest->fd = waiting->fd;
    guest->waits = waiting->waits;
    guest->held = waiting->held;
    waiting->fd = -1;
    docker_guest_free(waiting);
    outcome_phase(guest->out, "take");
}
