/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine gets an image from a registry. Its answer is an object for each step of each layer; an
 * error that came later is in the last one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "docker/engine_login.h"
#include "docker/engine_parts.h"
#include "docker/json_stream.h"

enum { PULL_MS = 600000, SHOW_MS = 3000, LAYERS_MAX = 128, ID_MAX = 16 };

struct layer {
    char id[ID_MAX];
    int64_t here, all; /* bytes */
};

struct pull {
    const struct engine_wish *wish;
    struct layer layers[LAYERS_MAX];
    size_t layer_count;
    int64_t shown_ms; /* when the last line was shown */
    char problem[ENGINE_PROBLEM_MAX];
};

/* ---- progress ---- */

static void show(const struct pull *p, const char *does)
{
    int64_t here = 0, all = 0;
    char line[300];

    if (!p->wish->step)
        return;
    for (size_t i = 0; i < p->layer_count; i++) {
        here += p->layers[i].here;
        all += p->layers[i].all;
    }
    int n = snprintf(line, sizeof line, "%s image %.150s", does, p->wish->image);
    if (all)
        snprintf(line + n, sizeof line - (size_t)n, ": %.1f of %.1f MB", (double)here / 1e6,
                 (double)all / 1e6);
    p->wish->step(p->wish->ctx, line);
}

static struct layer *layer_of(struct pull *p, const char *id)
{
    for (size_t i = 0; i < p->layer_count; i++)
        if (strncmp(p->layers[i].id, id, ID_MAX - 1) == 0)
            return &p->layers[i];
    if (p->layer_count == LAYERS_MAX)
        return NULL;
    snprintf(p->layers[p->layer_count].id, ID_MAX, "%s", id);
    return &p->layers[p->layer_count++];
}

/* Only a download has the layer's size; what follows counts other bytes. */
static void count(struct pull *p, const char *id, const char *status, const json_t *detail)
{
    int64_t here = json_integer_value(json_object_get(detail, "current"));
    int64_t all = json_integer_value(json_object_get(detail, "total"));
    bool loads = strcmp(status, "Downloading") == 0;
    struct layer *layer =
        loads || strcmp(status, "Download complete") == 0 ? layer_of(p, id) : NULL;

    if (!layer)
        return;
    if (loads && all > 0 && all < INT64_MAX / LAYERS_MAX)
        layer->all = all;
    layer->here = !loads || here > layer->all ? layer->all : here > 0 ? here : 0;
    if (clock_mono_ms() - p->shown_ms < SHOW_MS)
        return;
    p->shown_ms = clock_mono_ms();
    show(p, "pulling");
}

/* ---- the answer ---- */

static void take_object(void *ctx, const json_t *object)
{
    struct pull *p = ctx;
    const char *error = json_string_value(json_object_get(object, "error"));
    const char *status = json_string_value(json_object_get(object, "status"));
    const char *id = json_string_value(json_object_get(object, "id"));

    if (error && !p->problem[0])
        engine_show(error, p->problem, sizeof p->problem);
    if (status && id)
        count(p, id, status, json_object_get(object, "progressDetail"));
}

int engine_say_missing(const char *image, const char *why, struct err *err)
{
    bool login = strcasestr(why, "unauthorized") || strcasestr(why, "denied") ||
                 strcasestr(why, "no basic auth");

    return err_set(err, ERR_UNSUPPORTED,
                   "there is no image %.150s, and the engine cannot get it: %.180s; %sload one "
                   "(docker load, docker pull), or name another with --image",
                   image, why, login ? "log in (docker login), " : "");
}

/* ---- the request ---- */

static char *pull_path(const struct engine *e, const char *image)
{
    const char *slash = strrchr(image, '/'), *colon = strrchr(image, ':');
    bool tagged = (colon && (!slash || colon > slash)) || strchr(image, '@');
    AUTO_BUF struct buf name = {0};

    buf_init(&name, 4096);
    http_encode_path(&name, str_from(image));
    return xasprintf("/%s/images/create?fromImage=%s%s", e->version, name.p,
                     tagged ? "" : "&tag=latest");
}

static int ask_for(struct engine *e, struct pull *p, const char *header, struct err *err)
{
    AUTO_FREE char *path = pull_path(e, p->wish->image);
    struct json_stream stream = {.object = take_object, .ctx = p};
    const struct http_ask http = {.method = "POST",
                                  .path = path,
                                  .header = header,
                                  .body = {"", 0},
                                  .timeout_ms = PULL_MS,
                                  .cancel_fd = p->wish->cancel_fd,
                                  .piece = engine_take_piece,
                                  .ctx = &stream};

    return engine_ask_stream(e, &http, p->problem, err);
}

int engine_pull(struct engine *e, const struct engine_wish *wish, struct err *err)
{
    struct pull p = {.wish = wish, .shown_ms = clock_mono_ms()};
    char *login = engine_login(wish->image);
    char *header = login ? xasprintf("X-Registry-Auth: %s", login) : NULL;

    show(&p, "pulling");
    int result = ask_for(e, &p, header, err);
    engine_wipe(login);
    engine_wipe(header);
    if (result == 0 && p.problem[0])
        return engine_say_missing(wish->image, p.problem, err);
    if (result == 0)
        show(&p, "pulled");
    return result;
}
