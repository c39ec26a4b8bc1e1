/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the docker*.c files, and included by no others.
 */
#ifndef FAR_DOCKER_PARTS_H
#define FAR_DOCKER_PARTS_H

#include "engine/engine.h"
#include "far/far.h"

#define DOCKER_IMAGE  "python:3.11-slim" /* for a job that names none */
#define DOCKER_LAYERS (LAYERS_ALL & ~LAYER_BIT(LAYER_LANDLOCK))

/* Layers that depend on the engine's setup: without them, no layer of the run counts as lost. */
#define DOCKER_OPTIONAL (LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_CGROUPNS))

/* The common properties of interchangeable waiting containers. */
struct docker_kind {
    json_t *config;    /* the container's configuration, never changed; NULL: no kind */
    struct buf plan;   /* the plan of the program that is started in them; empty for none */
    struct buf frames; /* frames that this program receives before its job is known */
};

/* A guest's place. */
struct docker_container {
    struct engine *engine;
    struct docker_pool *pool; /* NULL: no containers are kept ready */
    char *id;
    struct docker_kind
        kind; /* when this guest ends, one of this kind must be kept ready; or none */
};

#define docker_container_of(guest) ((struct docker_container *)(guest)->own)

/* docker.c */
struct far_guest *docker_guest_new(void);
void docker_guest_free(struct far_guest *guest);

/* docker_can.c */
struct backend_can docker_can(enum backend_ability ability);
struct backend_need docker_need(enum backend_ability ability);
json_t *docker_about(void);

/* docker_start.c: the name of the job's image, or the path of its Dockerfile. */
const char *docker_image(const struct backend_job *job);
/* Gets a container, sends it the plan and the files. After -1, the caller frees the guest as after
 * a success. */
int docker_start(struct far_guest *guest, struct err *err);
/* Called when the program runs: sets the final limit of processes. */
void docker_started(struct far_guest *guest);
/* Makes and starts a container with this configuration. */
int docker_make(struct far_guest *guest, const json_t *config, struct err *err);

/* docker_early.c: containers that are made before their job is known. Makes the kind of the guest's
 * container, and takes ownership of the configuration. */
struct docker_kind docker_kind_make(const struct far_guest *guest, json_t *config);
struct docker_kind docker_kind_copy(const struct docker_kind *kind);
bool docker_kind_is(const struct docker_kind *a, const struct docker_kind *b);
void docker_kind_done(struct docker_kind *kind); /* after {0}, too */
int docker_make_ready(struct far_guest *guest, const struct docker_kind *kind, struct err *err);
/* Moves the container of `waiting` to this guest, and frees `waiting`. */
void docker_adopt(struct far_guest *guest, struct far_guest *waiting);

/* docker_pool.c: containers that wait for a guest. */
extern const struct backend_pool_entries docker_pool;
struct docker_pool *docker_pool_of(const struct backend_job *job); /* NULL if there is none */
/* Gives the guest a waiting container of this kind. Returns false if there is none. */
bool docker_pool_take(struct far_guest *guest, const struct docker_kind *kind);
/* Call it after docker_pool_take returned false: more of this kind will be kept ready. */
void docker_pool_teach(struct far_guest *guest, const struct docker_kind *kind);
/* Gets a connection to the engine; if pool is NULL, a new one. docker_pool_disconnect keeps it for
 * later, or closes it. */
int docker_pool_connect(struct docker_pool *pool, struct engine **ret, struct err *err);
void docker_pool_disconnect(struct docker_pool *pool, struct engine *engine);
/* Removes the container of a guest that has ended: in a thread of the pool, or at once without a
 * pool. */
void docker_pool_remove(struct far_guest *guest);

#endif
