/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a guest in a sandbox of E2B: a virtual machine, made for it and killed after it.
 *
 * Our helper runs in the machine as a process, with the frames of a container's (docker/
 * contained.h) on its input and output, so a guest is what it is in a container: programs with
 * arguments, input and exit status, and sessions with values, tools and interrupts. What differs is
 * the way there: E2B's RPC instead of an engine's connection, and a wall that the helper builds.
 */
#include "backends/registry.h"

#include <stdlib.h>

#include "backends/idle.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "far/e2b_parts.h"
#include "languages/pythons.h"

enum { REVIVE_MS = 60000, REVIVE_TRY_MS = 3000 };

/* ---- what differs from a container ---- */

_Static_assert(E2B_PROCESS_POLLS == FAR_POLLS, "a sandbox fills in all of them");

static void polls(struct far_guest *d, struct pollfd ret[FAR_POLLS])
{
    if (e2b_place_of(d)->process)
        e2b_process_polls(e2b_place_of(d)->process, ret);
    else
        for (int i = 0; i < FAR_POLLS; i++)
            ret[i] = (struct pollfd){.fd = -1};
}

/* The service kills it after a time without this. */
static void keep(struct e2b_place *place)
{
    struct err ignored;

    if (clock_mono_ms() < place->refresh_ms)
        return;
    place->refresh_ms = clock_mono_ms() + E2B_REFRESH_MS;
    (void)e2b_set_timeout(place->e2b, place->kept_ms, &ignored);
}

/* The service has paused an idle session's sandbox, and the connections to it ended. Each call is
 * one short try, which ends early when the session has something to do: between tries, the loop
 * checks the limits. False after the last try. */
static bool revive(struct far_guest *d)
{
    struct e2b_place *place = e2b_place_of(d);
    int64_t now = clock_mono_ms();
    struct err ignored;

    if (!place->settled || (place->revive_until_ms && now > place->revive_until_ms))
        return false;
    if (!place->revive_until_ms)
        place->revive_until_ms = now + REVIVE_MS;
    if (e2b_resume(place->e2b, place->kept_ms, REVIVE_TRY_MS, d->sink->channel_fd, &ignored) < 0)
        return ignored.kind == ERR_SYSTEM || ignored.kind == ERR_TIMEOUT;
    uint64_t sent = place->settled;
    place->settled = 0;
    place->revive_until_ms = 0;
    place->refresh_ms = clock_mono_ms() + E2B_REFRESH_MS;
    return e2b_process_connect(place->process, sent, &ignored) == 0;
}

static void move(struct far_guest *d)
{
    struct e2b_place *place = e2b_place_of(d);
    struct err why;

    if (!place->process)
        return;
    e2b_process_move(place->process);
    if (!e2b_process_over(place->process, &why))
        keep(place);
    else if (!why.kind || !place->pauses || !revive(d))
        e2b_process_hang_up(place->process);
}

static void started(struct far_guest *d)
{
    e2b_process_number(e2b_place_of(d)->process);
}

/* Until more input has arrived, nothing can be lost. */
static void settled(struct far_guest *d)
{
    e2b_place_of(d)->settled = e2b_process_sent(e2b_place_of(d)->process);
}

static void kill_sandbox(struct far_guest *d)
{
    struct err ignored;

    (void)e2b_kill(e2b_place_of(d)->e2b, &ignored);
}

static void sandbox_died(struct far_guest *d)
{
    struct err why = {0};

    (void)e2b_process_over(e2b_place_of(d)->process, &why);
    d->out->failure = why.kind ? "the connection to the sandbox broke in the middle of the run"
                               : "the sandbox's helper ended in the middle of the run";
}

static const struct far_place sandbox = {.name = "sandbox",
                                         .lacks = "the sandbox does not provide it",
                                         .setup_ms = FAR_SETUP_MS,
                                         .polls = polls,
                                         .move = move,
                                         .started = started,
                                         .settled = settled,
                                         .kill = kill_sandbox,
                                         .died = sandbox_died};

/* ---- the table's entries ---- */

static void e2b_guest_close(struct backend_guest *guest)
{
    struct far_guest *d = far_of(guest);
    struct e2b_place *place = e2b_place_of(d);

    fd_close(&d->fd);
    e2b_process_close(place->process);
    if (place->e2b)
        kill_sandbox(d);
    e2b_close(place->e2b);
    free(place);
    far_guest_free(d);
}

static void advise(struct err *err)
{
    struct err why = *err;

    (void)err_set(err, why.kind, "%.400s; --backend=e2b-interpreter needs no program of ours there",
                  why.msg);
}

/* What broke the start: the connection says more than its end. */
static int say_why(struct far_guest *d, struct err *err)
{
    struct e2b_process *process = e2b_place_of(d)->process;
    struct err why = {0};

    if (d->failed && err->kind == ERR_UNSUPPORTED)
        return err_wrap(err, "template %s", d->job->image ? d->job->image : E2B_TEMPLATE);
    if (!process || d->failed || d->out->cancelled)
        return -1;
    if (e2b_process_over(process, &why) && why.kind)
        *err = why;
    else if (d->words.n) /* another processor, a folder that permits no programs, ... */
        advise(err);
    return -1;
}

static int start(struct far_guest *d, struct err *err)
{
    if (far_wait_start(d, e2b_start(d, err) == 0, err) == 0)
        return 0;
    return say_why(d, err);
}

static int e2b_guest_open(const struct backend_job *job, const struct backend_sink *sink,
                          struct backend_outcome *ret, struct backend_guest **ret_guest,
                          struct err *err)
{
    struct far_guest *d = far_guest_new(&sandbox, xcalloc(1, sizeof(struct e2b_place)));

    far_lend(d, job, sink, ret);
    ret->wanted = job->layers & E2B_LAYERS & ~(job->net_host ? LAYER_BIT(LAYER_NETNS) : 0);
    ret->cancelled = far_is_stopped(sink);
    if (!ret->cancelled && start(d, err) == 0)
        return far_opened(d, ret_guest);
    ret->started = false;
    e2b_guest_close(&d->base);
    return -1;
}

/* --python 3.12 is looked for in the sandbox's $PATH; a path is one inside. */
int e2b_find_interpreter(const struct language *language, const char *choice, const char *image,
                         struct interpreter *ret, struct err *err)
{
    unsigned minor = 0;
    bool version = choice && python_is_version(str_from(choice), &minor);

    (void)err;
    *ret = (struct interpreter){0};
    ret->path = version && minor ? xasprintf("python3.%u", minor)
                                 : xstrdup(choice && !version ? choice : language->programs[0]);
    ret->image = image ? xstrdup(image) : NULL;
    ret->minor = version ? minor : 0;
    return 0;
}

static const struct backend_idle e2b_idle = {.observe = far_observe};

const struct backend e2b_backend = {
    .name = "e2b",
    .alias = "code-interpreter",
    .summary = "in a virtual machine of E2B's cloud",
    .layers = E2B_LAYERS,
    .can = e2b_can,
    .need = e2b_need,
    .interpreter = e2b_find_interpreter,
    .open = e2b_guest_open,
    .close = e2b_guest_close,
    .clean = e2b_clean,
    .idle = &e2b_idle,
    FAR_ENTRIES,
};
