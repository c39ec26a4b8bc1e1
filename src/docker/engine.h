/* SPDX-License-Identifier: Apache-2.0
 *
 * A container engine that speaks the Docker Engine API: Docker, or Podman's service. No program of
 * the engine's is needed; requests go over its socket, one after the other.
 *
 *     engine_open(&engine, &err);
 *     engine_ask(engine, &(struct engine_ask){.method = "GET", .path = "/info"}, &answer, &err);
 *     json_decref(answer.json);
 *     engine_close(engine);
 *
 * For one thread. All failures are ours or the engine's, in words that name what to do: ERR_SYSTEM
 * where trying again may help, ERR_UNSUPPORTED where the engine is missing or too old, or may not
 * be used.
 */
#ifndef DOCKER_ENGINE_H
#define DOCKER_ENGINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct engine;

/* Connects to the engine in $DOCKER_HOST (unix:///PATH, tcp://HOST:PORT, ssh://HOST; with TLS where
 * $DOCKER_TLS_VERIFY is set), else to that of the current Docker context, else to the first socket
 * that exists: /var/run/docker.sock, those of a rootless Docker and of Podman. Agrees on a version
 * of the API. */
int engine_open(struct engine **ret, struct err *err);
void engine_close(struct engine *engine); /* NULL is fine */
/* "Docker 27.3.1 at /var/run/docker.sock". */
const char *engine_describe(const struct engine *engine);
/* Podman's service refuses a few words of the configuration. */
bool engine_is_podman(const struct engine *engine);

/* Facts about it for a person: an object of texts, and the array "runtimes"; the caller's. */
int engine_about(struct engine *engine, json_t **ret, struct err *err);
/* -1 with ERR_UNSUPPORTED, and the runtimes that it has, unless it has this one. */
int engine_need_runtime(struct engine *engine, const char *name, struct err *err);

struct engine_ask {
    const char *method;
    const char *path;   /* behind the version: "/containers/json", encoded, with the query */
    const json_t *json; /* the body, or: */
    struct str body;
    const char *type;   /* of `body` */
    int64_t timeout_ms; /* without any byte from the engine; 0: 60 s */
    int cancel_fd;      /* readable: gives up; 0 and -1 for none */
};
struct engine_answer {
    int status;
    json_t *json;   /* of a complete JSON body, else NULL; the caller's */
    char said[400]; /* the engine's message with a status from 400 on, safe to print; or "" */
};
/* 0 with any status: the caller knows which are good. -1 when there is no answer, and *ret is
 * empty. */
int engine_ask(struct engine *engine, const struct engine_ask *ask, struct engine_answer *ret,
               struct err *err);
void engine_answer_done(struct engine_answer *answer);
/* -1 with what the engine said, unless the status is below 400. `what` is what was tried: "start
 * the container". */
int engine_must(const struct engine_answer *answer, const char *what, struct err *err);

/* ---- images ---- */

/* Which image a container is to have. All is lent. */
struct engine_wish {
    const char *image;          /* a name; one that the engine does not have is pulled */
    const char *dockerfile;     /* built, in place of `image` (docker/build_context.h); or NULL */
    struct str dockerfile_text; /* or its text; .p NULL for none */
    const struct named_bytes *files; /* that the text can copy */
    size_t file_count;
    char *const *packages; /* for pip to install, NULL-terminated; or NULL */
    const char *python;    /* with packages: the program whose they are to be */
    const char *helper;    /* the path of our helper's program */
    int cancel_fd;         /* readable: gives up; -1 for none */
    /* Receives a line about work that lasts: "Step 2/3 : RUN make". Safe to print. May be NULL. */
    void (*step)(void *ctx, const char *line);
    void *ctx;
};

/* The name of an image that is as wished and has our helper in it. Whatever is made for that is
 * kept, and used again for the same wish. The caller frees. NULL with *err: ERR_UNSUPPORTED when
 * there is no such image, and when a build or an installation failed. */
char *engine_image(struct engine *engine, const struct engine_wish *wish, struct err *err);

/* ---- containers ---- */

/* Labels of what we make: whose or what it is, and the name that a snapshot was given. An image
 * that others make from ours inherits them, so a label alone makes nothing ours. */
#define ENGINE_LABEL      "io.glovebox.owner"
#define ENGINE_NAME_LABEL "io.glovebox.name"

/* Creates a container with this configuration, to which a name and our label are added. *ret_id is
 * the caller's to free. */
int engine_create(struct engine *engine, json_t *config, char **ret_id, struct err *err);
/* A connection of its own to the container's streams: what is written goes to its input; what is
 * read are pieces of output (base/stream_piece.h). The caller closes, before it closes the engine.
 * `first` gets bytes that were read already. */
int engine_attach(struct engine *engine, const char *id, struct buf *first, struct err *err);
int engine_start(struct engine *engine, const char *id, struct err *err);
/* From now on, of a container that runs. */
int engine_limit_pids(struct engine *engine, const char *id, uint64_t most, struct err *err);
int engine_kill(struct engine *engine, const char *id, struct err *err);
/* Stops all its processes, and lets them continue. */
int engine_pause(struct engine *engine, const char *id, struct err *err);
int engine_resume(struct engine *engine, const char *id, struct err *err);
/* Whether the engine counted an end for want of memory. False also when the container is gone. */
bool engine_was_out_of_memory(struct engine *engine, const char *id);
/* Makes an image of the container's image and these files, in which a new workspace begins with
 * them. */
struct engine_snapshot {
    const char *image;   /* its name, with a tag if you like; of another snapshot, or new */
    const char *owner;   /* a client, which has the names localhost/OWNER/...; NULL: any name */
    int folder;          /* of the files; links in it are left out */
    const char *program; /* what `docker run` starts */
};
int engine_snapshot(struct engine *engine, const char *id, const struct engine_snapshot *snapshot,
                    struct err *err);
/* Kills it, and waits until nothing is left of it. */
int engine_remove(struct engine *engine, const char *id, struct err *err);
/* Makes an image of ours from a container, as it is. */
struct engine_image_of {
    struct str repository;
    const char *tag, *label; /* the label's value says what it is for */
    const char *name;        /* value of ENGINE_NAME_LABEL; or NULL */
    int timeout_ms;          /* 0: as for other requests */
};
int engine_commit(struct engine *engine, const char *id, const struct engine_image_of *image,
                  struct err *err);
/* Removes the containers of dead owners. An owner is a process of this host; it was killed between
 * creating a container and starting it. *ret_count is the number of removed containers. */
int engine_sweep(struct engine *engine, unsigned *ret_count, struct err *err);
/* The names of images that engine_image gave, and images of ours without any name, unless they are
 * in use. An image with another name stays under that. *ret_count is the number of both. */
int engine_sweep_images(struct engine *engine, unsigned *ret_count, struct err *err);

#endif
