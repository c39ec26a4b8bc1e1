/* SPDX-License-Identifier: Apache-2.0
 *
 * A container engine that speaks the Docker Engine API: Docker, or Podman's service. Requests about
 * containers go over its socket, one after the other. The engine's own command (engine_command.h)
 * builds and pulls images, and connects to an engine that has no socket on this host.
 *
 *     engine_open(&engine, &err);
 *     engine_ask(engine, &(struct engine_ask){.method = "GET", .path = "/info"}, &answer, &err);
 *     json_decref(answer.json);
 *     engine_close(engine);
 *
 * For one thread. All failures are ours or the engine's, and each message names a remedy:
 * ERR_SYSTEM if trying again may help, ERR_UNSUPPORTED if the engine is missing or too old, or if
 * we may not use it.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct engine;
struct tar;

/* Connects to the first engine of these: that in $DOCKER_HOST (unix:///PATH, tcp://HOST:PORT,
 * ssh://HOST); that of the current Docker context; that in $CONTAINER_HOST or
 * $CONTAINER_CONNECTION; the first socket that exists: /var/run/docker.sock, those of a rootless
 * Docker and of Podman. Agrees on a version of the API. */
int engine_open(struct engine **ret, struct err *err);
void engine_close(struct engine *engine); /* NULL is fine */
/* "Docker 27.3.1 at /var/run/docker.sock". */
const char *engine_describe(const struct engine *engine);
/* True for Podman's service, which refuses some fields of the configuration. */
bool engine_is_podman(const struct engine *engine);

/* Facts about it for a person: *ret is an object of strings, and the array "runtimes"; the caller
 * owns it. */
int engine_about(struct engine *engine, json_t **ret, struct err *err);
/* Returns -1 with ERR_UNSUPPORTED and the list of the engine's runtimes if it lacks this runtime.
 */
int engine_need_runtime(struct engine *engine, const char *name, struct err *err);

struct engine_ask {
    const char *method;
    const char *path;   /* after the version: "/containers/json", encoded, with the query */
    const json_t *json; /* the body; or NULL, for the next */
    struct str body;
    const struct tar *file; /* or this archive; or NULL */
    const char *type;       /* of `body` or `file` */
    int64_t timeout_ms;     /* the maximum time without a byte from the engine; 0: 60 s */
    int cancel_fd;          /* when readable, gives up; 0 and -1 for none */
};
struct engine_answer {
    int status;
    json_t *json;   /* a complete JSON body, or NULL; the caller's */
    char said[400]; /* for a status of 400 or more: the engine's message, safe to print; or "" */
};
/* Returns 0 with any status: the caller checks it. Returns -1, with *ret empty, if there is no
 * answer. */
int engine_ask(struct engine *engine, const struct engine_ask *ask, struct engine_answer *ret,
               struct err *err);
void engine_answer_done(struct engine_answer *answer);
/* Returns -1, with the engine's message, unless the status is below 400. `what` names the attempt:
 * "start the container". */
int engine_must(const struct engine_answer *answer, const char *what, struct err *err);

/* ---- images ---- */

/* The image that a container needs. All members are lent. */
struct engine_wish {
    const char *image; /* a name; pulled if the engine does not have it */
    const char
        *dockerfile; /* a Dockerfile, or a folder with one, to build instead of `image`; or NULL */
    struct str dockerfile_text;      /* or its text; .p is NULL if there is none */
    const struct named_bytes *files; /* files that the text can copy */
    size_t file_count;
    char *const *packages; /* for pip to install, NULL-terminated; or NULL */
    const char *python;    /* with packages: the interpreter that gets them */
    const char *helper;    /* the path of our helper's program */
    int cancel_fd;         /* when readable, gives up; -1 for none */
    /* Receives a line about work that takes long: "Step 2/3 : RUN make". Safe to print. May be
     * NULL. */
    void (*step)(void *ctx, const char *line);
    void *ctx;
};

/* Returns the name of an image that fulfils the wish and has our helper in it. New images are kept,
 * and used again for the same wish. The caller frees the name. NULL with *err: ERR_UNSUPPORTED if
 * there is no such image, or if a build or an installation failed. */
char *engine_image(struct engine *engine, const struct engine_wish *wish, struct err *err);

/* ---- containers ---- */

/* Labels of our containers and images: the owner or purpose, and the name of a snapshot. An image
 * that others make from ours inherits them, so a label alone does not prove that an image is ours.
 */
#define ENGINE_LABEL      "io.glovebox.owner"
#define ENGINE_NAME_LABEL "io.glovebox.name"

/* Creates a container with this configuration, a name and our label. *ret_id is the caller's to
 * free. */
int engine_create(struct engine *engine, const json_t *config, char **ret_id, struct err *err);
/* Opens a separate connection to the container's streams: bytes written to it go to the input, and
 * output is read from it in pieces (net/stream_piece.h). The caller closes it, before it closes the
 * engine. `first` gets bytes that were read already. */
int engine_attach(struct engine *engine, const char *id, struct buf *first, struct err *err);
int engine_start(struct engine *engine, const char *id, struct err *err);
/* Limits the processes of a running container from now on. */
int engine_limit_pids(struct engine *engine, const char *id, uint64_t most, struct err *err);
int engine_kill(struct engine *engine, const char *id, struct err *err);
/* Stop all its processes, and let them continue. */
int engine_pause(struct engine *engine, const char *id, struct err *err);
int engine_resume(struct engine *engine, const char *id, struct err *err);
/* True if the engine reports that the kernel killed a process for lack of memory. False also if the
 * container is gone. */
bool engine_was_out_of_memory(struct engine *engine, const char *id);
/* Makes an image from the container's image and these files: a new workspace in it starts with
 * these files. */
struct engine_snapshot {
    const char *image; /* its name, with an optional tag; new, or that of another snapshot */
    const char *owner; /* a client, which may only use names localhost/OWNER/...; NULL: any name */
    int folder;        /* the folder of the files; links in it are left out */
    const char *program; /* the program that `docker run` starts */
};
int engine_snapshot(struct engine *engine, const char *id, const struct engine_snapshot *snapshot,
                    struct err *err);
/* Kills the container, and waits until it is removed. */
int engine_remove(struct engine *engine, const char *id, struct err *err);
/* Makes an image of ours from a container in its current state. */
struct engine_image_of {
    struct str repository;
    const char *tag, *label; /* the label's value is the purpose */
    const char *name;        /* value of ENGINE_NAME_LABEL; or NULL */
    int timeout_ms;          /* 0: as for other requests */
};
int engine_commit(struct engine *engine, const char *id, const struct engine_image_of *image,
                  struct err *err);
/* Removes the containers of dead owners. An owner is a process of this host; it was killed between
 * creating a container and starting it. *ret_count is the number of removed containers. */
int engine_sweep(struct engine *engine, unsigned *ret_count, struct err *err);
/* Removes the names that engine_image gave to images, and our images without any name, unless they
 * are in use. An image with another name stays. *ret_count is the number of removed names and
 * images. */
int engine_sweep_images(struct engine *engine, unsigned *ret_count, struct err *err);

#endif
