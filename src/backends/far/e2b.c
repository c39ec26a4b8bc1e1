/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a guest in a sandbox of E2B: a virtual machine, made for it and killed after it.
 *
 * Our helper runs in the machine as a process, with the frames of a container's
 * (jail/contained_wire.h) on its input and output, so guests work as in a container: programs with
 * arguments, input and exit status, and sessions with values, tools and interrupts. The
 * differences: E2B's RPC instead of an engine's connection, and a wall that the helper builds.
 *
 * The service kills the machine after the time limit and 15 s, whatever becomes of this process.
 * The helper is uploaded and started as root (e2b_api/process.c); its output is one stream of
 * messages, its input goes out in requests on a second connection. Both end in a socket, which the
 * loop of all far guests takes for the connection to a container. In the machine, the helper builds
 * namespaces, read-only folders, a workspace with limits, a user of the guest's own and the jail's
 * filter (helper/contained_apart.c); memory and processor time are counted process by process
 * (contained_watch.c). A session that waits too long is paused by the service, and its connections
 * end. The next call resumes it, but only if no input has arrived since the last cell: otherwise
 * output could be lost.
 */

#include <stdlib.h>

#include "backends/idle.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "far/e2b_parts.h"
#include "languages/pythons.h"

enum { REVIVE_MS = 60000, REVIVE_TRY_MS = 3000 };

/* ---- differences from a container ---- */

_Static_assert(E2B_PROCESS_POLLS == FAR_POLLS, "a sandbox fills in all of them");

static void polls(struct far_guest *guest, struct pollfd ret[FAR_POLLS])
{
    if (e2b_place_of(guest)->process)
        e2b_process_polls(e2b_place_of(guest)->process, ret);
    else
        for (int i = 0; i < FAR_POLLS; i++)
            ret[i] = (struct pollfd){.fd = -1};
}

/* Extends the sandbox's life: without this, the service kills or pauses it. */
static void e2b_keep(struct e2b_place *place)
{
    struct err ignored;

    if (clock_mono_ms() < place->refresh_ms)
        return;
    place->refresh_ms = clock_mono_ms() + E2B_REFRESH_MS;
    (void)e2b_set_timeout(place->e2b, place->kept_ms, &ignored);
}

/* Resumes the sandbox of an idle session, which the service has paused; its connections have ended.
 * Each call is one short try, which ends early if the session has data to read: between tries, the
 * loop checks the limits. Returns false after the last try. */
static bool revive(struct far_guest *guest)
{
    struct e2b_place *place = e2b_place_of(guest);
    int64_t now = clock_mono_ms();
    struct err ignored;

    if (!place->settled || (place->revive_until_ms && now > place->revive_until_ms))
        return false;
    if (!place->revive_until_ms)
        place->revive_until_ms = now + REVIVE_MS;
    if (e2b_resume(place->e2b, place->kept_ms, REVIVE_TRY_MS, guest->sink->channel_fd, &ignored) <
        0)
        return ignored.kind == ERR_SYSTEM || ignored.kind == ERR_TIMEOUT;
    uint64_t sent = place->settled;
    place->settled = 0;
    place->revive_until_ms = 0;
    place->refresh_ms = clock_mono_ms() + E2B_REFRESH_MS;
    return e2b_process_connect(place->process, sent, &ignored) == 0;
}

static void move(struct far_guest *guest)
{
    struct e2b_place *place = e2b_place_of(guest);
    struct err why;

    if (!place->process)
        return;
    e2b_process_move(place->process);
    if (!e2b_process_over(place->process, &why))
        e2b_keep(place);
    else if (!why.kind || !place->pauses || !revive(guest))
        e2b_process_hang_up(place->process);
}

static void started(struct far_guest *guest)
{
    e2b_process_number(e2b_place_of(guest)->process);
}

/* Notes the number of requests so far: until more input has arrived, no output can be lost. */
static void settled(struct far_guest *guest)
{
    e2b_place_of(guest)->settled = e2b_process_sent(e2b_place_of(guest)->process);
}

static void kill_sandbox(struct far_guest *guest)
{
    struct err ignored;

    (void)e2b_kill(e2b_place_of(guest)->e2b, &ignored);
}

static void sandbox_died(struct far_guest *guest)
{
    struct err why = {0};

    (void)e2b_process_over(e2b_place_of(guest)->process, &why);
    guest->out->failure = why.kind ? "the connection to the sandbox broke in the middle of the run"
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

static void e2b_guest_close(struct backend_guest *base)
{
    struct far_guest *guest = far_of(base);
    struct e2b_place *place = e2b_place_of(guest);

    fd_close(&guest->fd);
    e2b_process_close(place->process);
    if (place->e2b)
        kill_sandbox(guest);
    e2b_close(place->e2b);
    free(place);
    far_guest_free(guest);
}

static void e2b_advise(struct err *err)
{
    struct err why = *err;

    (void)err_set(err, why.kind,
                  "%.400s; choose a template with this machine's processor "
                  "architecture (--e2b-template)",
                  why.msg);
}

/* Completes the error of a failed start: the connection's own error says more than its end. */
static int say_why(struct far_guest *guest, struct err *err)
{
    struct e2b_process *process = e2b_place_of(guest)->process;
    struct err why = {0};

    if (guest->failed && err->kind == ERR_UNSUPPORTED)
        return err_wrap(err, "template %s", guest->job->image ? guest->job->image : E2B_TEMPLATE);
    if (!process || guest->failed || guest->out->cancelled)
        return -1;
    if (e2b_process_over(process, &why) && why.kind)
        *err = why;
    else if (guest->words.n) /* another processor, a folder that permits no programs, ... */
        e2b_advise(err);
    return -1;
}

static int start(struct far_guest *guest, struct err *err)
{
    if (far_wait_start(guest, e2b_start(guest, err) == 0, err) == 0)
        return 0;
    return say_why(guest, err);
}

static int e2b_guest_open(const struct backend_job *job, const struct backend_sink *sink,
                          struct backend_outcome *ret, struct backend_guest **ret_guest,
                          struct err *err)
{
    struct far_guest *guest = far_guest_new(&sandbox, xcalloc(1, sizeof(struct e2b_place)));

    far_lend(guest, job, sink, ret);
    ret->wanted = job->layers & E2B_LAYERS & ~(job->net_host ? LAYER_BIT(LAYER_NETNS) : 0);
    ret->cancelled = far_is_stopped(sink);
    if (!ret->cancelled && start(guest, err) == 0)
        return far_opened(guest, ret_guest);
    ret->started = false;
    e2b_guest_close(&guest->base);
    return -1;
}

/* --python 3.12 is searched in the sandbox's $PATH; a path is a path inside the sandbox. */
static int e2b_interpreter(const struct language *language, const char *choice, const char *image,
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
    .interpreter = e2b_interpreter,
    .open = e2b_guest_open,
    .close = e2b_guest_close,
    .clean = e2b_clean,
    .idle = &e2b_idle,
    FAR_ENTRIES,
};
