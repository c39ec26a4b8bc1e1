/* SPDX-License-Identifier: Apache-2.0
 *
 * Containers: made with a name and a label of ours, so that those of dead owners can be found.
 *
 * A running container ends with its owner: the engine closes its input, the helper in it exits, and
 * the engine removes it (AutoRemove). Only a container that was created and never started can be
 * left, if its owner was killed between these two steps. Its label names that process.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/owner.h"
#include "engine/engine_parts.h"
#include "formats/json_get.h"

enum { START_MS = 60000, PAUSE_MS = 5000, KILL_MS = 10000, REMOVE_MS = 15000, ID_MAX = 100 };

/* ---- one container ---- */

/* A request without a body. Any status below 400 is a success, and so is `also`. */
struct act {
    const char *method, *path, *what;
    int also, timeout_ms;
};

static int act(struct engine *e, const struct act *a, struct err *err)
{
    const struct engine_ask ask = {.method = a->method,
                                   .path = a->path,
                                   .body = str_is(str_from(a->method), "POST") ? STR("")
                                                                               : (struct str){0},
                                   .timeout_ms = a->timeout_ms};
    struct engine_answer answer;

    if (engine_ask(e, &ask, &answer, err) < 0)
        return -1;
    int result = answer.status == a->also ? 0 : engine_must(&answer, a->what, err);
    engine_answer_done(&answer);
    return result;
}

int engine_create(struct engine *e, const json_t *config, char **ret_id, struct err *err)
{
    unsigned char random[8];
    char label[OWNER_MAX];
    struct engine_answer answer;

    owner_name(label);
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return err_sys(err, "choose a name for a container");
    unsigned long long number;
    memcpy(&number, random, sizeof number);
    AUTO_FREE char *path =
        xasprintf("/containers/create?name=glovebox-%d-%016llx", (int)getpid(), number);
    json_t *labelled = json_copy((json_t *)config);
    json_object_set_new(labelled, "Labels", json_pack("{s:s}", ENGINE_LABEL, label));
    const struct engine_ask ask = {.method = "POST", .path = path, .json = labelled};
    int result = engine_ask(e, &ask, &answer, err);
    json_decref(labelled);
    if (result < 0)
        return -1;
    const char *id = json_string_value(json_object_get(answer.json, "Id"));
    result = engine_must(&answer, "create a container", err);
    if (result == 0 && (!id || strlen(id) > ID_MAX))
        result = err_set(err, ERR_SYSTEM, ENGINE_PEER " did not name the new container");
    if (result == 0)
        *ret_id = xstrdup(id);
    engine_answer_done(&answer);
    return result;
}

int engine_start(struct engine *e, const char *id, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/containers/%s/start", id);

    return act(e, &(struct act){"POST", path, "start the container", 0, START_MS}, err);
}

int engine_limit_pids(struct engine *e, const char *id, uint64_t most, struct err *err)
{
    bool podman = engine_is_podman(e); /* Podman has this only in its own API */
    AUTO_FREE char *path = xasprintf("%s/containers/%s/update", podman ? "/libpod" : "", id);
    json_t *limits = podman ? json_pack("{s:{s:I}}", "pids", "limit", (json_int_t)most)
                            : json_pack("{s:I}", "PidsLimit", (json_int_t)most);
    struct engine_answer answer;
    int result = engine_ask(e, &(struct engine_ask){.method = "POST", .path = path, .json = limits},
                            &answer, err);

    json_decref(limits);
    if (result == 0) {
        result = engine_must(&answer, "limit the processes of the container", err);
        engine_answer_done(&answer);
    }
    return result;
}

int engine_kill(struct engine *e, const char *id, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/containers/%s/kill", id);

    return act(e, &(struct act){"POST", path, "kill the container", 404, KILL_MS}, err);
}

int engine_pause(struct engine *e, const char *id, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/containers/%s/pause", id);

    return act(e, &(struct act){"POST", path, "pause the container", 0, PAUSE_MS}, err);
}

int engine_resume(struct engine *e, const char *id, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/containers/%s/unpause", id);

    return act(e, &(struct act){"POST", path, "unpause the container", 0, PAUSE_MS}, err);
}

/* True if the container is gone. Podman answers 500 if it is removed meanwhile. */
static bool engine_container_is_gone(const struct engine_answer *answer)
{
    return answer->status == 404 ||
           (answer->status == 500 && strstr(answer->said, "no such container"));
}

int engine_inspect(struct engine *e, const char *id, json_t **ret, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/containers/%s/json", id);
    struct engine_answer answer;

    *ret = NULL;
    if (engine_ask(e, &(struct engine_ask){.method = "GET", .path = path}, &answer, err) < 0)
        return -1;
    int result =
        engine_container_is_gone(&answer) ? 0 : engine_must(&answer, "inspect the container", err);
    if (answer.status == 200)
        *ret = json_incref(answer.json);
    engine_answer_done(&answer);
    return result;
}

bool engine_was_out_of_memory(struct engine *e, const char *id)
{
    json_t *found;
    struct err err;

    if (engine_inspect(e, id, &found, &err) < 0)
        return false;
    bool out = json_is_true(json_object_get(json_object_get(found, "State"), "OOMKilled"));
    json_decref(found);
    return out;
}

/* The engine may be removing it already, because its process is gone: it answers 409 then. */
int engine_remove(struct engine *e, const char *id, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/containers/%s?force=1&v=1", id);
    int64_t until = clock_mono_ms() + REMOVE_MS;
    json_t *left;

    for (;;) {
        if (act(e, &(struct act){"DELETE", path, "remove the container", 404, REMOVE_MS}, err) <
                0 &&
            e->client.fd < 0)
            return -1;
        if (engine_inspect(e, id, &left, err) < 0)
            return -1;
        if (!left)
            return 0;
        json_decref(left);
        if (clock_mono_ms() > until)
            return err_set(err, ERR_SYSTEM, "the container %s is not removed after %d s", id,
                           REMOVE_MS / 1000);
        (void)nanosleep(&(const struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

/* ---- its streams ---- */

static int say_refused(const struct http_reply *reply, struct err *err)
{
    char said[300];

    json_t *json = json_loadb(reply->body.p, reply->body.n, 0, NULL);
    const char *message = json_string_value(json_object_get(json, "message"));
    engine_show(message ? message : reply->body.p, said, sizeof said);
    json_decref(json);
    return err_set(err, ERR_SYSTEM, ENGINE_PEER " does not attach to the container: %s", said);
}

int engine_attach(struct engine *e, const char *id, struct buf *first, struct err *err)
{
    AUTO_FREE char *path =
        xasprintf("/%s/containers/%s/attach?stream=1&stdin=1&stdout=1&stderr=1", e->version, id);
    const struct http_ask ask = {.method = "POST",
                                 .path = path,
                                 .body = {"", 0},
                                 .upgrade = "tcp",
                                 .timeout_ms = START_MS,
                                 .cancel_fd = -1};
    struct http_client client;
    struct http_reply reply;
    int fd = engine_connect(e, err);

    if (fd < 0)
        return -1;
    http_client_init(&client, fd, NULL);
    client.peer = ENGINE_PEER;
    int result = http_client_ask(&client, &ask, &reply, err);
    if (result < 0 && err->kind == ERR_SYSTEM)
        (void)engine_dial_explain(e, err);
    if (result == 0 && reply.status >= 300)
        result = say_refused(&reply, err);
    if (result == 0)
        (void)buf_add_str(first, http_client_unread(&client));
    fd = result == 0 ? fd_take(&client.fd) : -1;
    http_reply_done(&reply);
    http_client_done(&client);
    return fd;
}

int engine_commit(struct engine *e, const char *id, const struct engine_image_of *image,
                  struct err *err)
{
    /* The labels are given twice: Podman ignores the configuration, and reads one label from each
     * line. */
    AUTO_FREE char *named =
        image->name ? xasprintf("&changes=LABEL%%20" ENGINE_NAME_LABEL "%%3D%s", image->name)
                    : xstrdup("");
    AUTO_FREE char *path = xasprintf(
        "/commit?container=%s&repo=%.*s&tag=%s&changes=LABEL%%20" ENGINE_LABEL "%%3D%s%s", id,
        (int)image->repository.n, image->repository.p, image->tag, image->label, named);
    json_t *config = json_pack("{s:{s:s, s:s*}}", "Labels", ENGINE_LABEL, image->label,
                               ENGINE_NAME_LABEL, image->name);
    const struct engine_ask post = {
        .method = "POST", .path = path, .json = config, .timeout_ms = image->timeout_ms};
    struct engine_answer answer;

    int result = engine_ask(e, &post, &answer, err);
    json_decref(config);
    if (result == 0)
        result = engine_must(&answer, "save the image", err);
    engine_answer_done(&answer);
    return result;
}

/* ---- leftovers ---- */

/* A container inherits its image's labels, so a user's container may have our label. */
static bool is_left(const json_t *found)
{
    const char *label =
        json_string_value(json_object_get(json_object_get(found, "Labels"), ENGINE_LABEL));
    struct str name = json_str(json_array_get(json_object_get(found, "Names"), 0));
    AUTO_FREE char *ours =
        xasprintf("/glovebox-%.*s-", (int)strcspn(label ? label : "", " "), label ? label : "");

    return label && owner_is_dead(label) && str_starts(name, ours);
}

int engine_sweep(struct engine *e, unsigned *ret_count, struct err *err)
{
    static const char path[] =
        "/containers/json?all=1&filters=%7B%22label%22:%5B%22" ENGINE_LABEL "%22%5D%7D";
    struct engine_answer answer;
    size_t i;
    json_t *found;

    *ret_count = 0;
    if (engine_ask(e, &(struct engine_ask){.method = "GET", .path = path}, &answer, err) < 0)
        return -1;
    json_array_foreach(answer.json, i, found)
    {
        const char *id = json_string_value(json_object_get(found, "Id"));
        struct err ignored;
        if (id && strlen(id) <= ID_MAX && is_left(found))
            *ret_count += engine_remove(e, id, &ignored) == 0;
    }
    engine_answer_done(&answer);
    return 0;
}
