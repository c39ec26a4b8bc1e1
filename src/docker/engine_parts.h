/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of this folder, and used by no others.
 */
#ifndef DOCKER_ENGINE_PARTS_H
#define DOCKER_ENGINE_PARTS_H

#include "docker/engine.h"
#include "docker/engine_place.h"
#include "net/http_client.h"

#define ENGINE_PEER "the container engine"

enum { ENGINE_PROBLEM_MAX = 400 };

struct engine_tunnel;

struct engine {
    struct http_client client;
    struct engine_place place;
    struct engine_tunnel *tunnels; /* programs that carry connections */
    char *described;
    char version[16]; /* "v1.41" */
    bool podman;
    bool silent; /* an answer did not come in time: the next ones are waited for shortly */
};

/* engine_resolve.c: the addresses of a place behind TCP; freeaddrinfo is the caller's. -1 after
 * `until_ms` (of the monotonic clock), too, whatever the resolver does. */
struct addrinfo;
int engine_resolve(const struct engine_place *place, int64_t until_ms, struct addrinfo **ret,
                   struct err *err);

/* engine_connect.c: a connected non-blocking socket. */
int engine_connect(struct engine *e, struct err *err);
/* -1 with the words for this errno of a connection. */
int engine_unreachable(const struct engine_place *place, int why, struct err *err);

/* engine_tunnel.c: a socket whose other end is a program that relays to the engine, with TLS or
 * over ssh. The program ends with the socket, at the latest with the engine. */
int engine_tunnel_open(struct engine *e, struct err *err);
void engine_tunnels_close(struct engine *e);
/* After a connection that broke: -1, and *err is the reason that its program gave, if any. */
int engine_tunnel_explain(const struct engine *e, struct err *err);

/* A new connection for requests, if the last answer closed the previous one. */
int engine_reconnect(struct engine *e, struct err *err);

/* engine_stream.c: a request whose answer is a stream of objects. `ask` has engine_take_piece, and
 * a struct json_stream as its ctx, which is ended. The reason of a refusal goes into `problem`. */
int engine_ask_stream(struct engine *e, const struct http_ask *ask,
                      char problem[ENGINE_PROBLEM_MAX], struct err *err);
int engine_take_piece(void *stream, struct str bytes, struct err *err);

/* The repositories of what is made for runs: with the helper, and built before that. */
#define ENGINE_IMAGES_RUN   "glovebox-run"
#define ENGINE_IMAGES_BUILT "glovebox-build"

/* engine_image.c: its ID, the caller's; NULL without *err set when there is no such image. */
char *engine_find_image(struct engine *e, const char *name, struct err *err);

/* ERR_USAGE for anything but letters, digits and what stands between them in a name, a tag and a
 * digest. */
int engine_check_name(const char *image, struct err *err);

/* engine_container.c: its description, a new reference; NULL when it is gone. */
int engine_inspect(struct engine *e, const char *id, json_t **ret, struct err *err);

/* engine_pull.c: has the engine get wish->image from a registry, with the user's login there.
 * ERR_UNSUPPORTED when it cannot. */
int engine_pull(struct engine *e, const struct engine_wish *wish, struct err *err);
/* -1 with the engine's reason for an image that is missing, and what to do. */
int engine_say_missing(const char *image, const char *why, struct err *err);

/* engine_build.c: the ID of an image made of wish->dockerfile, or of `base` with wish->packages.
 * The caller frees. NULL with *err. */
char *engine_build(struct engine *e, const struct engine_wish *wish, struct err *err);
char *engine_add_packages(struct engine *e, const char *base, const struct engine_wish *wish,
                          struct err *err);

/* A text of the engine's, cut and made safe for a terminal. */
void engine_show(const char *text, char *out, size_t n);

#endif
