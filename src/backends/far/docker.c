/* SPDX-License-Identifier: Apache-2.0
 *
 * The backend `docker`: each guest in a container of its own.
 *
 * Theory of runs in containers
 *
 * The container's first process is our helper, which the engine starts from an image made for it.
 * Everything goes over one connection, the container's own streams (far.h). So the image needs
 * nothing but an interpreter, the root stays read-only, and the engine's host has no file of a
 * guest outside of memory. The engine enforces all limits that the helper does not.
 *
 * 1. The user's image gets our helper glovebox-jail, once: the name of the image that we make is
 *    a hash over both.
 * 2. The container's configuration is data (make_config): no capabilities, no-new-privileges, no
 *    network, a read-only root, workspace and /tmp as tmpfs with limits, memory without swap,
 *    processors, processes, the user 65534, no log, AutoRemove.
 * 3. We attach to its streams and start it. The helper (helper/contained.c) reports the layers
 *    that it finds around itself, receives a plan and the files, starts the guest in the jail's
 *    filter, and moves bytes in frames (jail/contained_wire.h).
 * 4. When the guest's first process exits, or at a limit or the deadline, the helper kills
 *    everything in its pid namespace and reports OVER. It stays until the files were fetched:
 *    they come as a stream of records into a private folder of this host, with a stand-in for
 *    each entry that cannot come (a link, a pipe). In a session the helper remembers what it has
 *    sent (contained_known.c) and only names the rest; far_mirror.c brings the copy up to date.
 * 5. A thread takes the turn of a session that is not used, and asks the helper whether any process
 *    in the container has run. If none has, the engine pauses the container (session_pause.c). A
 *    helper that does not answer within 1.5 s was paused by a user, and is continued as well
 *    (far.c).
 * 6. At the end the container is removed, by a thread of the pool where there is one. A sweep
 *    removes the containers that dead processes left: a container's label names its maker. If this
 *    process is killed, the engine closes the container's input, the helper exits, and the engine
 *    removes the container.
 */

#include <stdlib.h>
#include <string.h>

#include "backends/idle.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "far/docker_parts.h"
#include "languages/pythons.h"

static void container_died(struct far_guest *guest)
{
    uint64_t limit = guest->job->limits.memory_bytes;
    struct engine *again = NULL;
    struct err err;

    if (engine_open(&again, &err) < 0)
        guest->out->failure = "the container engine went away in the middle of the run";
    else if (limit && (engine_was_out_of_memory(again, docker_container_of(guest)->id) ||
                       guest->usage.memory_peak >= limit - limit / 16))
        far_hit(guest, LIMIT_MEMORY);
    engine_close(again);
}

static void kill_container(struct far_guest *guest)
{
    const struct docker_container *c = docker_container_of(guest);
    struct err ignored;

    (void)engine_kill(c->engine, c->id, &ignored);
}

static int pause_container(struct far_guest *guest, struct err *err)
{
    const struct docker_container *c = docker_container_of(guest);

    return engine_pause(c->engine, c->id, err);
}

static void resume_container(struct far_guest *guest)
{
    const struct docker_container *c = docker_container_of(guest);
    struct err ignored;

    if (c->engine && c->id)
        (void)engine_resume(c->engine, c->id, &ignored);
}

static const struct far_place container = {.name = "container",
                                           .lacks = "the container engine does not provide it",
                                           .setup_ms = FAR_SETUP_MS,
                                           .optional = DOCKER_OPTIONAL,
                                           .started = docker_started,
                                           .pause = pause_container,
                                           .resume = resume_container,
                                           .kill = kill_container,
                                           .died = container_died};

struct far_guest *docker_guest_new(void)
{
    return far_guest_new(&container, xcalloc(1, sizeof(struct docker_container)));
}

void docker_guest_free(struct far_guest *guest)
{
    struct docker_container *c = docker_container_of(guest);

    free(c->id);
    docker_kind_done(&c->kind);
    free(c);
    far_guest_free(guest);
}

static void docker_close(struct backend_guest *base)
{
    struct far_guest *guest = far_of(base);

    fd_close(&guest->fd);
    docker_pool_remove(guest);
    docker_guest_free(guest);
}

static int start(struct far_guest *guest, struct err *err)
{
    if (far_wait_start(guest, docker_start(guest, err) == 0, err) == 0)
        return 0;
    return guest->failed && err->kind == ERR_UNSUPPORTED
               ? err_wrap(err, "image %s", docker_image(guest->job))
               : -1;
}

static int docker_open(const struct backend_job *job, const struct backend_sink *sink,
                       struct backend_outcome *ret, struct backend_guest **ret_guest,
                       struct err *err)
{
    struct far_guest *guest = docker_guest_new();

    far_lend(guest, job, sink, ret);
    docker_container_of(guest)->pool = docker_pool_of(job);
    ret->wanted = job->layers & DOCKER_LAYERS & ~(job->net_host ? LAYER_BIT(LAYER_NETNS) : 0);
    ret->cancelled = far_is_stopped(sink);
    if (!ret->cancelled && start(guest, err) == 0)
        return far_opened(guest, ret_guest);
    ret->started = false;
    docker_close(&guest->base);
    return -1;
}

static int docker_clean(char **ret_said, struct err *err)
{
    struct engine *engine = NULL;
    unsigned containers, images;

    if (engine_open(&engine, err) < 0)
        return -1;
    far_sweep_files();
    int result = engine_sweep(engine, &containers, err);
    if (result == 0)
        result = engine_sweep_images(engine, &images, err);
    if (result == 0)
        *ret_said = xasprintf("removed %u containers and %u images of %s", containers, images,
                              engine_describe(engine));
    engine_close(engine);
    return result;
}

/* 12 for "docker.io/library/python:3.12-slim"; 0 if the image's name has no version. */
static unsigned minor_of_image(const char *image)
{
    const char *name = str_after_last(image, '/');

    int64_t minor;

    if (strncmp(name, "python:3.", 9) != 0)
        return 0;
    struct str digits = {name + 9, strspn(name + 9, "0123456789")};
    return num_int64(digits, &minor) && minor <= PYTHONS_MINOR_MOST ? (unsigned)minor : 0;
}

/* --python 3.12 chooses an image; a path is a path inside the container. */
static int docker_interpreter(const struct language *language, const char *choice,
                              const char *image, struct interpreter *ret, struct err *err)
{
    unsigned minor = 0;
    bool version = choice && python_is_version(str_from(choice), &minor);

    *ret = (struct interpreter){0};
    if (!image && !language->image && !version)
        return err_set(err, ERR_UNSUPPORTED,
                       "backend docker knows no image with %s: name one with --image, or as "
                       "`image` in [language.%s] of your config file",
                       language->name, language->name);
    ret->path = xstrdup(choice && !version ? choice : language->programs[0]);
    ret->image = image              ? xstrdup(image)
                 : version && minor ? xasprintf("python:3.%u-slim", minor)
                                    : xstrdup(language->image);
    ret->minor = minor_of_image(ret->image);
    return 0;
}

static int docker_commit(struct backend_guest *base, const char *image, const char *owner,
                         struct err *err)
{
    struct far_guest *guest = far_of(base);
    const struct docker_container *c = docker_container_of(guest);
    int folder = far_files.copy(base, err);

    if (folder < 0)
        return -1;
    const struct engine_snapshot snapshot = {
        .image = image, .owner = owner, .folder = folder, .program = guest->job->exec_path};
    return engine_snapshot(c->engine, c->id, &snapshot, err);
}

static const struct backend_idle docker_idle = {
    .pause = far_pause, .resume = far_resume, .observe = far_observe, .commit = docker_commit};

const struct backend docker_backend = {
    .name = "docker",
    .alias = "podman",
    .summary = "in a container of Docker or Podman",
    .layers = DOCKER_LAYERS,
    .has_runtimes = true,
    .starts_slowly = true,
    .can = docker_can,
    .about = docker_about,
    .need = docker_need,
    .interpreter = docker_interpreter,
    .open = docker_open,
    .close = docker_close,
    .idle = &docker_idle,
    .clean = docker_clean,
    .pool = &docker_pool,
    FAR_ENTRIES,
};
