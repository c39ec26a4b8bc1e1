/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to the engine, and the version of the API that both sides speak.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "engine/engine_parts.h"
#include "engine/tar.h"
#include "formats/printable.h"

enum { ANSWER_MS = 60000, FIRST_MS = 15000, SILENT_MS = 3000, ANSWER_MAX = 8 << 20 };

/* Older engines lack limits that a container needs; we use no additions of newer ones. */
#define API_OLDEST 40
#define API_NEWEST 51

void engine_show_str(struct str text, char *out, size_t n)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, n);
    printable_add_word(&b, text, n - 4);
    snprintf(out, n, "%s", b.p);
}

void engine_show(const char *text, char *out, size_t n)
{
    engine_show_str(str_from(text), out, n);
}

/* ---- one request ---- */

static int engine_reconnect(struct engine *e, struct err *err)
{
    if (e->client.fd >= 0)
        return 0;
    int fd = engine_connect(e, err);
    if (fd < 0)
        return -1;
    http_client_done(&e->client);
    http_client_init(&e->client, fd, NULL);
    e->client.peer = ENGINE_PEER;
    return 0;
}

/* Reads the error message: both engines have it in "message". */
static void read_said(struct engine_answer *answer, const struct buf *body)
{
    const char *message = json_string_value(json_object_get(answer->json, "message"));

    if (answer->status < 400)
        return;
    engine_show(message ? message : body->p, answer->said, sizeof answer->said);
    if (!answer->said[0])
        snprintf(answer->said, sizeof answer->said, "status %d", answer->status);
}

/* The time to wait for an answer: short if the engine was silent once, so that each further step
 * does not take a minute. */
static int64_t patience(const struct engine *e, int64_t wanted_ms)
{
    int64_t most = wanted_ms ? wanted_ms : ANSWER_MS;

    return e->silent && most > SILENT_MS ? SILENT_MS : most;
}

/* Completes the error of a failed connection with other known facts. */
static void engine_explain(struct engine *e, bool cancelled, struct err *err)
{
    if (err->kind == ERR_GUEST)
        err->kind = ERR_UNSUPPORTED;
    else if (err->kind == ERR_SYSTEM)
        (void)engine_dial_explain(e, err);
    else if (err->kind == ERR_TIMEOUT)
        e->silent |= !cancelled;
}

int engine_ask(struct engine *e, const struct engine_ask *ask, struct engine_answer *ret,
               struct err *err)
{
    struct http_reply reply = {0};
    AUTO_FREE char *path = xasprintf("%s%s%s", *e->version ? "/" : "", e->version, ask->path);
    AUTO_FREE char *text = ask->json ? mem_must(json_dumps(ask->json, JSON_COMPACT)) : NULL;
    struct http_ask http = {.method = ask->method,
                            .path = path,
                            .type = ask->type,
                            .body = text ? str_from(text) : ask->body,
                            .has_file = ask->file,
                            .body_fd = ask->file ? ask->file->fd : -1,
                            .body_size = ask->file ? ask->file->size : 0,
                            .timeout_ms = patience(e, ask->timeout_ms),
                            .cancel_fd = ask->cancel_fd > 0 ? ask->cancel_fd : -1,
                            .body_max = ANSWER_MAX};

    *ret = (struct engine_answer){0};
    if (engine_reconnect(e, err) < 0)
        return -1;
    int result = http_client_ask(&e->client, &http, &reply, err);
    if (result == 0) {
        ret->status = reply.status;
        ret->json = json_loadb(reply.body.p, reply.body.n, 0, NULL);
        read_said(ret, &reply.body);
        e->silent = false;
    } else {
        engine_explain(e, reply.cancelled, err);
    }
    http_reply_done(&reply);
    return result;
}

void engine_answer_done(struct engine_answer *answer)
{
    json_decref(answer->json);
    answer->json = NULL;
}

int engine_must(const struct engine_answer *answer, const char *what, struct err *err)
{
    if (answer->status < 400)
        return 0;
    if (strstr(answer->said, "no space left on device"))
        return err_set(err, ERR_UNSUPPORTED,
                       ENGINE_PEER " cannot %s: the disk of its host is full; docker system prune "
                                   "removes what is not used (%.200s)",
                       what, answer->said);
    /* The image existed just now: another process has removed it. The next attempt makes it. */
    bool gone = answer->status == 404 && strcasestr(answer->said, "no such image");
    return err_set(err, answer->status < 500 && !gone ? ERR_UNSUPPORTED : ERR_SYSTEM,
                   ENGINE_PEER " cannot %s: %s", what, answer->said);
}

/* ---- the version ---- */

/* "1.41" as 41; 0 for other strings. */
static int read_minor(const char *text)
{
    int64_t minor;

    return text && strncmp(text, "1.", 2) == 0 && num_int64(str_from(text + 2), &minor) &&
                   minor > 0 && minor < 1000
               ? (int)minor
               : 0;
}

static int choose_version(struct engine *e, const json_t *versions, struct err *err)
{
    int newest = read_minor(json_string_value(json_object_get(versions, "ApiVersion")));
    int oldest = read_minor(json_string_value(json_object_get(versions, "MinAPIVersion")));

    if (newest < API_OLDEST)
        return err_set(err, ERR_UNSUPPORTED,
                       "the container engine at %.200s speaks version 1.%d of its API, and 1.%d "
                       "is needed (Docker 19.03, or Podman 3.0): update it",
                       e->place.name, newest, API_OLDEST);
    int version = newest > API_NEWEST ? API_NEWEST : newest;
    snprintf(e->version, sizeof e->version, "v1.%d", version < oldest ? oldest : version);
    return 0;
}

static void describe(struct engine *e, const json_t *versions)
{
    const char *version = json_string_value(json_object_get(versions, "Version"));
    const json_t *first = json_array_get(json_object_get(versions, "Components"), 0);
    const char *name = json_string_value(json_object_get(first, "Name"));
    char shown[60];

    e->podman = name && strncmp(name, "Podman", 6) == 0;
    engine_show(version ? version : "of an unknown version", shown, sizeof shown);
    e->described = xasprintf("%s %s at %s", e->podman ? "Podman" : "Docker", shown, e->place.name);
}

static int say_needs_tls(const struct engine *e, struct err *err)
{
    return err_set(err, ERR_UNSUPPORTED,
                   "the container engine at %.200s needs TLS: set DOCKER_TLS_VERIFY=1, and "
                   "DOCKER_CERT_PATH to the folder of ca.pem, cert.pem and key.pem",
                   e->place.name);
}

/* Fails if the engine did not report its version. The server at this address may be a TLS server,
 * or no engine. */
static int need_version(const struct engine *e, const struct engine_answer *answer, struct err *err)
{
    if (strstr(answer->said, "HTTPS server"))
        return say_needs_tls(e, err);
    return engine_must(answer, "report its version", err) < 0 ? err_wrap(err, "%s", e->place.name)
                                                              : 0;
}

static int agree(struct engine *e, struct err *err)
{
    struct engine_answer answer;

    const struct engine_ask ask = {.method = "GET", .path = "/version", .timeout_ms = FIRST_MS};

    if (engine_ask(e, &ask, &answer, err) < 0)
        return -1;
    int result = need_version(e, &answer, err);
    if (result == 0)
        result = choose_version(e, answer.json, err);
    if (result == 0)
        describe(e, answer.json);
    engine_answer_done(&answer);
    return result;
}

int engine_open(struct engine **ret, struct err *err)
{
    struct engine *e = xcalloc(1, sizeof *e);

    http_client_init(&e->client, -1, NULL);
    if (engine_place_find(&e->place, err) < 0 || agree(e, err) < 0) {
        engine_close(e);
        return -1;
    }
    *ret = e;
    return 0;
}

void engine_close(struct engine *e)
{
    if (!e)
        return;
    http_client_done(&e->client);
    engine_dialed_close(e);
    engine_place_done(&e->place);
    free(e->described);
    free(e);
}

bool engine_is_podman(const struct engine *e)
{
    return e->podman;
}

const char *engine_describe(const struct engine *e)
{
    return e->described;
}
