/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the docker*.c files, and included by no others.
 */
#ifndef FAR_DOCKER_PARTS_H
#define FAR_DOCKER_PARTS_H

#include "backends/registry.h"
#include "docker/engine.h"
#include "far/far.h"

#define DOCKER_IMAGE  "python:3.11-slim" /* for a job that names none */
#define DOCKER_LAYERS (LAYERS_ALL & ~LAYER_BIT(LAYER_LANDLOCK))

/* The engine's setup decides whether a container has them: a run without them has lost nothing. */
#define DOCKER_OPTIONAL (LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_CGROUPNS))

/* A guest's place. */
struct docker_container {
    struct engine *engine;
    struct docker_pool *pool; /* NULL: no container waits, and none is kept ready */
    char *id;
    struct buf kind; /* when this guest ends, one of this kind is to be kept ready; or empty */
};

#define docker_container_of(d) ((struct docker_container *)(d)->own)

/* docker.c */
struct far_guest *docker_guest_new(void);
void docker_guest_free(struct far_guest *d);

/* docker_can.c */
struct backend_can docker_can(enum backend_ability ability);
struct backend_need docker_need(enum backend_ability ability);
json_t *docker_about(void);

/* docker_start.c: the name of the job's image, or the path of its Dockerfile. */
const char *docker_image(const struct backend_job *job);
/* Gets a container, sends it the plan and the files. After -1, the caller frees the guest as after
 * a success. */
int docker_start(struct far_guest *d, struct err *err);
/* The program runs: its limits as they have to be. */
void docker_started(struct far_guest *d);
/* Has the engine make and start a container with this configuration (JSON). */
int docker_make(struct far_guest *d, const char *config, struct err *err);

/* docker_early.c: containers that are made before their job is known. Their kind has all that they
 * have in common: the configuration, and the program that is started in them, if one is. */
void docker_kind(const struct far_guest *d, const char *config, struct buf *ret);
int docker_make_ready(struct far_guest *d, struct str kind, struct err *err);
/* The container of `waiting`, which is freed, becomes this guest's. */
void docker_adopt(struct far_guest *d, struct far_guest *waiting);

/* docker_pool.c: containers that wait for a guest. */
extern const struct backend_pool_entries docker_pool;
struct docker_pool *docker_pool_of(const struct backend_job *job); /* NULL when there is none */
/* One of this kind becomes the guest's. False when none waits. */
bool docker_pool_take(struct far_guest *d, struct str kind);
/* After false: more of this kind are to be kept ready. */
void docker_pool_teach(struct far_guest *d, struct str kind);
/* A connection to the engine, from NULL a new one; and what becomes of it. */
int docker_pool_connect(struct docker_pool *pool, struct engine **ret, struct err *err);
void docker_pool_disconnect(struct docker_pool *pool, struct engine *engine);
/* The guest has ended. Removes its container: in a thread of the pool, or at once without one. */
void docker_pool_remove(struct far_guest *d);

#endif
