/* SPDX-License-Identifier: Apache-2.0
 *
 * The backend `docker`: each guest in a container of its own.
 *
 * The container's first process is our helper, which the engine starts from an image made for it.
 * Everything goes over one connection, the container's own streams (far.h). So the image needs
 * nothing but an interpreter, the root stays read-only, and the engine's host has no file of a
 * guest outside of memory. The engine enforces all limits that the helper does not.
 */
#include "backends/registry.h"

#include <stdlib.h>
#include <string.h>

#include "backends/idle.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "far/docker_parts.h"
#include "languages/pythons.h"

static void container_died(struct far_guest *d)
{
    uint64_t limit = d->job->limits.memory_bytes;
    struct engine *again = NULL;
    struct err err;

    if (engine_open(&again, &err) < 0)
        d->out->failure = "the container engine went away in the middle of the run";
    else if (limit && (engine_was_out_of_memory(again, docker_container_of(d)->id) ||
                       d->usage.memory_peak >= limit - limit / 16))
        far_hit(d, LIMIT_MEMORY);
    engine_close(again);
}

static void kill_container(struct far_guest *d)
{
    struct err ignored;

    (void)engine_kill(docker_container_of(d)->engine, docker_container_of(d)->id, &ignored);
}

static int pause_container(struct far_guest *d, struct err *err)
{
    return engine_pause(docker_container_of(d)->engine, docker_container_of(d)->id, err);
}

static void resume_container(struct far_guest *d)
{
    const struct docker_container *c = docker_container_of(d);
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

void docker_guest_free(struct far_guest *d)
{
    free(docker_container_of(d)->id);
    buf_done(&docker_container_of(d)->kind);
    free(d->own);
    far_guest_free(d);
}

static void docker_close(struct backend_guest *guest)
{
    struct far_guest *d = far_of(guest);

    fd_close(&d->fd);
    docker_pool_remove(d);
    docker_guest_free(d);
}

static int start(struct far_guest *d, struct err *err)
{
    if (far_wait_start(d, docker_start(d, err) == 0, err) == 0)
        return 0;
    return d->failed && err->kind == ERR_UNSUPPORTED
               ? err_wrap(err, "image %s", docker_image(d->job))
               : -1;
}

static int docker_open(const struct backend_job *job, const struct backend_sink *sink,
                       struct backend_outcome *ret, struct backend_guest **ret_guest,
                       struct err *err)
{
    struct far_guest *d = docker_guest_new();

    far_lend(d, job, sink, ret);
    docker_container_of(d)->pool = docker_pool_of(job);
    ret->wanted = job->layers & DOCKER_LAYERS & ~(job->net_host ? LAYER_BIT(LAYER_NETNS) : 0);
    ret->cancelled = far_is_stopped(sink);
    if (!ret->cancelled && start(d, err) == 0)
        return far_opened(d, ret_guest);
    ret->started = false;
    docker_close(&d->base);
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

/* "docker.io/library/python:3.12-slim" has 3.12; 0 for an image that does not say. */
static unsigned minor_of_image(const char *image)
{
    const char *slash = strrchr(image, '/'), *name = slash ? slash + 1 : image;

    int64_t minor;

    if (strncmp(name, "python:3.", 9) != 0)
        return 0;
    struct str digits = {name + 9, strspn(name + 9, "0123456789")};
    return num_int64(digits, &minor) && minor <= PYTHONS_MINOR_MOST ? (unsigned)minor : 0;
}

/* --python 3.12 chooses an image; a path is one inside. */
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

static int docker_commit(struct backend_guest *guest, const char *image, const char *owner,
                         struct err *err)
{
    struct far_guest *d = far_of(guest);
    const struct docker_container *c = docker_container_of(d);
    int folder = far_files.copy(guest, err);

    if (folder < 0)
        return -1;
    const struct engine_snapshot snapshot = {
        .image = image, .owner = owner, .folder = folder, .program = d->job->exec_path};
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
