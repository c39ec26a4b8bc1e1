/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of this room, and used by no other files.
 */
#ifndef ENGINE_ENGINE_PARTS_H
#define ENGINE_ENGINE_PARTS_H

#include "engine/engine.h"
#include "engine/engine_place.h"
#include "net/http_client.h"

#define ENGINE_PEER "the container engine"

enum { ENGINE_PROBLEM_MAX = 400 };

struct engine_dialed;

struct engine {
    struct http_client client;
    struct engine_place place;
    struct engine_dialed *dialed; /* processes that carry connections */
    char *described;
    char version[16]; /* "v1.41" */
    bool podman;
    bool silent; /* an answer did not come in time: wait only shortly for the next ones */
};

/* engine_connect.c: a connected non-blocking socket. */
int engine_connect(struct engine *e, struct err *err);
/* engine_dial.c: returns a socket whose other end is the engine's command, which relays to an
 * engine elsewhere. That process ends with the socket, or at the latest at engine_close. */
int engine_dial(struct engine *e, struct err *err);
void engine_dialed_close(struct engine *e);
/* Call it after a connection broke. Returns -1; *err becomes the reason that its process printed,
 * if any. */
int engine_dial_explain(const struct engine *e, struct err *err);

/* The repositories of images that are made for runs: with the helper, and those built before it is
 * added. */
#define ENGINE_IMAGES_RUN   "glovebox-run"
#define ENGINE_IMAGES_BUILT "glovebox-build"

/* engine_image.c: returns the image's ID, which the caller frees; NULL without an *err if there is
 * no such image. */
char *engine_find_image(struct engine *e, const char *name, struct err *err);

/* ERR_USAGE for any character but letters, digits and the separators of a name, a tag and a digest.
 */
int engine_check_name(const char *image, struct err *err);

/* Puts these files into a container that was not started. `what` is for engine_must. */
struct tar;
int engine_put_files(struct engine *e, const char *container, const struct tar *files,
                     const char *what, struct err *err);

/* engine_container.c: its description, a new reference; NULL if it is gone. */
int engine_inspect(struct engine *e, const char *id, json_t **ret, struct err *err);

/* engine_pull.c: has the engine get wish->image from a registry, with the user's login there.
 * ERR_UNSUPPORTED when it cannot. */
int engine_pull(struct engine *e, const struct engine_wish *wish, struct err *err);
/* Sets the error for a missing image, with the engine's reason and a remedy. Returns -1. */
int engine_say_missing(const char *image, const char *why, struct err *err);

/* engine_build.c: the ID of an image made from wish->dockerfile, or from `base` with
 * wish->packages. The caller frees it. NULL with *err. */
char *engine_build(struct engine *e, const struct engine_wish *wish, struct err *err);
char *engine_add_packages(struct engine *e, const char *base, const struct engine_wish *wish,
                          struct err *err);

/* Writes a string of the engine to `out`, cut and made safe for a terminal. */
void engine_show(const char *text, char *out, size_t n);
void engine_show_str(struct str text, char *out, size_t n);

#endif
