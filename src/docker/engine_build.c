/* SPDX-License-Identifier: Apache-2.0
 *
 * Images that are built for a run: from a Dockerfile of the user's, or from one that adds packages
 * to an image. The sum of what is sent is the image's tag, so each is built once. Two processes
 * that build the same one do no harm: the engine names the image in one step, at the end.
 *
 * Every engine has this way to build (Docker's older builder). It lacks what Docker has in BuildKit
 * alone, RUN --mount for one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/printable.h"
#include "docker/build_context.h"
#include "docker/dockerfile.h"
#include "docker/engine_login.h"
#include "docker/engine_parts.h"
#include "docker/json_stream.h"

enum { BUILD_MS = 1800000, SHOWN_MAX = 2000, LINE_MAX_SHOWN = 200, TAIL_MAX = 240 };

/* ---- what the engine reports ---- */

struct build {
    const struct engine_wish *wish;
    bool is_pip;        /* its steps are ours, and only their output is of use */
    bool has_documents; /* "<<" is in the Dockerfile */
    unsigned shown;
    char step[LINE_MAX_SHOWN];        /* the last one that began */
    char problem[ENGINE_PROBLEM_MAX]; /* why it failed; or "" */
    const char *cause;                /* the same in our words, if they have it; or NULL */
    struct buf line;                  /* output without a line end yet */
    struct buf tail;                  /* the step's last output */
};

static void show(struct build *b, const char *line)
{
    if (b->wish->step && b->shown++ < SHOWN_MAX)
        b->wish->step(b->wish->ctx, line);
}

/* Podman's service ends with the image's ID. */
static bool is_id(struct str line)
{
    return line.n == 64 && strspn(line.p, "0123456789abcdef") >= line.n;
}

/* The engine's own lines between the steps. */
static bool is_noise(struct str line)
{
    return !line.n || str_starts(line, " ---> ") || str_starts(line, "--> ") || is_id(line) ||
           str_starts(line, "Removing intermediate container") ||
           str_starts(line, "Successfully built ") || str_starts(line, "Successfully tagged ") ||
           str_starts(line, "COMMIT ");
}

/* "Step 2/3 : RUN make", and "STEP 2/3: RUN make" of Podman's. */
static bool is_step(struct str line)
{
    return str_starts(line, "Step ") || str_starts(line, "STEP ");
}

static void keep(struct build *b, const char *line)
{
    if (b->tail.n)
        (void)buf_adds(&b->tail, " | ");
    (void)buf_adds(&b->tail, line);
    if (b->tail.n > TAIL_MAX)
        buf_drop(&b->tail, b->tail.n - TAIL_MAX);
}

#define NO_NETWORK "no network: the engine reaches no index of packages"

/* Words of pip's; the first that comes decides: without a network, it finds no package either. */
static const struct {
    const char *words, *cause;
} causes[] = {
    {"No module named pip", "the image has no pip"},
    {"name resolution", NO_NETWORK},
    {"Name or service not known", NO_NETWORK},
    {"NewConnectionError", NO_NETWORK},
    {"ConnectTimeoutError", NO_NETWORK},
    {"No matching distribution found for", "there is no such package, or not for this Python"},
    {"No space left on device", "the engine's disk is full"},
};

static void look_for_cause(struct build *b, const char *line)
{
    for (size_t i = 0; i < ARRAY_LEN(causes) && !b->cause; i++)
        if (strstr(line, causes[i].words))
            b->cause = causes[i].cause;
}

/* "\33[91m", which the engine puts around errors. */
static void drop_colours(struct buf *line)
{
    size_t kept = 0;

    for (size_t i = 0; i < line->n; i++) {
        if (line->p[i] == '\33' && line->p[i + 1] == '[')
            i += 2 + strspn(line->p + i + 2, "0123456789;");
        else
            line->p[kept++] = line->p[i];
    }
    line->n = kept;
    line->p[kept] = '\0';
}

static void take_line(struct build *b)
{
    char shown[LINE_MAX_SHOWN];

    if (b->line.n)
        drop_colours(&b->line);
    bool step = is_step(buf_str(&b->line));
    if (is_noise(buf_str(&b->line)) || (step && b->is_pip))
        return;
    engine_show(b->line.p, shown, sizeof shown);
    show(b, shown);
    if (!step) {
        look_for_cause(b, shown);
        keep(b, shown);
        return;
    }
    buf_clear(&b->tail);
    snprintf(b->step, sizeof b->step, "%s", shown);
}

static void take_output(struct build *b, struct str text)
{
    while (text.n) {
        size_t n = 0;
        while (n < text.n && text.p[n] != '\n' && text.p[n] != '\r')
            n++;
        (void)buf_add_str(&b->line, str_slice(text, 0, n));
        if (n == text.n)
            return;
        take_line(b);
        buf_clear(&b->line);
        text = str_slice(text, n + 1, text.n);
    }
}

/* {"stream": output}, {"error": reason}, or a step of a pull: {"status", "id"}. */
static void take_object(void *ctx, const json_t *object)
{
    struct build *b = ctx;
    const json_t *output = json_object_get(object, "stream");
    const char *error = json_string_value(json_object_get(object, "error"));

    if (json_is_string(output))
        take_output(b, (struct str){json_string_value(output), json_string_length(output)});
    if (error && !b->problem[0])
        engine_show(error, b->problem, sizeof b->problem);
}

/* ---- building ---- */

static const char *hint(const struct build *b)
{
    /* RUN --mount, and documents in it, whose lines the classic builder takes for instructions. */
    bool split = b->has_documents && strcasestr(b->problem, "unknown instruction");

    if (split || strcasestr(b->problem, "buildkit") || strcasestr(b->problem, "unknown flag"))
        return "; a Dockerfile that needs BuildKit: 'docker build -t NAME', then --image NAME";
    if (!b->wish->dockerfile && !b->is_pip && strstr(b->step, "COPY"))
        return "; a Dockerfile that was sent can copy only the files that were sent with it";
    return "";
}

static int say_failed(const struct build *b, struct err *err)
{
    if (b->is_pip)
        return err_set(err, ERR_UNSUPPORTED, "%.160s; pip's last output: %.*s",
                       b->cause ? b->cause : b->problem, (int)b->tail.n, b->tail.p);
    return err_set(err, ERR_UNSUPPORTED, "the image was not built%s%.100s: %.160s%s%.*s%s",
                   b->step[0] ? ": " : "", b->step, b->problem,
                   b->tail.n ? "; its last output: " : "", (int)b->tail.n, b->tail.p, hint(b));
}

static char *build_path(const struct engine *e, const struct build_context *context,
                        const char *image)
{
    AUTO_BUF struct buf name = {0};

    buf_init(&name, 3 * 4096);
    http_encode_path(&name, str_from(context->dockerfile));
    return xasprintf("/%s/build?t=%s&dockerfile=%s&rm=1&forcerm=1&labels=%%7B%%22" ENGINE_LABEL
                     "%%22:%%22image%%22%%7D",
                     e->version, image, name.p);
}

/* The header with the logins for the images that the engine has to pull; NULL without any. The
 * caller frees it with engine_wipe. */
static char *find_logins(struct engine *e, const struct build_context *context)
{
    struct dockerfile_images images;
    char *missing[DOCKERFILE_IMAGES_MAX];
    size_t n = 0;

    dockerfile_images(buf_str(&context->text), &images);
    for (size_t i = 0; i < images.n; i++) {
        struct err why = {0};
        AUTO_FREE char *id = engine_check_name(images.names[i], &why) == 0
                                 ? engine_find_image(e, images.names[i], &why)
                                 : NULL;
        if (!id && !why.kind)
            missing[n++] = images.names[i];
    }
    char *logins = engine_logins(missing, n);
    char *header = logins ? xasprintf("X-Registry-Config: %s", logins) : NULL;
    engine_wipe(logins);
    dockerfile_images_done(&images);
    return header;
}

static int ask_for_build(struct engine *e, const struct build_context *context, const char *image,
                         struct build *b, struct err *err)
{
    AUTO_FREE char *path = build_path(e, context, image);
    char *logins = find_logins(e, context);
    struct json_stream stream = {.object = take_object, .ctx = b};
    const struct http_ask http = {.method = "POST",
                                  .path = path,
                                  .type = "application/x-tar",
                                  .header = logins,
                                  .has_file = true,
                                  .body_fd = context->fd,
                                  .body_size = context->size,
                                  .timeout_ms = BUILD_MS,
                                  .cancel_fd = b->wish->cancel_fd,
                                  .piece = engine_take_piece,
                                  .ctx = &stream};

    int result = engine_ask_stream(e, &http, b->problem, err);
    engine_wipe(logins);
    return result;
}

static int build(struct engine *e, const struct build_context *context, const char *image,
                 struct build *b, struct err *err)
{
    buf_init(&b->line, 4096);
    buf_init(&b->tail, TAIL_MAX + 2 * LINE_MAX_SHOWN);
    b->has_documents = context->text.n && memmem(context->text.p, context->text.n, "<<", 2);
    int result = ask_for_build(e, context, image, b, err);
    if (result == 0 && b->problem[0])
        result = say_failed(b, err);
    buf_done(&b->line);
    buf_done(&b->tail);
    return result;
}

static char *need_built(struct engine *e, const struct build_context *context, struct build *b,
                        struct err *err)
{
    AUTO_FREE char *image = xasprintf(ENGINE_IMAGES_BUILT ":%.32s", context->sum);
    char *id = engine_find_image(e, image, err);

    if (id || err->kind || build(e, context, image, b, err) < 0)
        return id;
    id = engine_find_image(e, image, err);
    if (!id && !err->kind)
        (void)err_set(err, ERR_SYSTEM, "the engine built an image, and it is not there");
    return id;
}

char *engine_build(struct engine *e, const struct engine_wish *wish, struct err *err)
{
    struct build_context context = {.fd = -1};
    struct build b = {.wish = wish};
    char *id = NULL;

    int made = wish->dockerfile ? build_context_make(wish->dockerfile, &context, err)
                                : build_context_of(wish->dockerfile_text, wish->files,
                                                   wish->file_count, &context, err);
    if (made == 0)
        id = need_built(e, &context, &b, err);
    if (!id && wish->dockerfile)
        (void)err_wrap(err, "--dockerfile %.100s", wish->dockerfile);
    else if (!id)
        (void)err_wrap(err, "--dockerfile");
    build_context_done(&context);
    return id;
}

/* ---- packages ---- */

/* ARG values are variables of the steps alone. The last one lets pip install where a distribution
 * keeps its own packages. */
#define PIP_SETTINGS                                                                               \
    "ARG PIP_NO_INPUT=1\nARG PIP_NO_CACHE_DIR=1\nARG PIP_DISABLE_PIP_VERSION_CHECK=1\n"            \
    "ARG PIP_PROGRESS_BAR=off\nARG PIP_ROOT_USER_ACTION=ignore\nARG PIP_BREAK_SYSTEM_PACKAGES=1\n"

/* The words of the command are a JSON array: no shell reads them. */
static char *packages_dockerfile(const char *base, const struct engine_wish *wish)
{
    json_t *words = json_pack("[s, s, s, s]", wish->python, "-m", "pip", "install");
    const char *colon = strchr(base, ':');

    for (char *const *p = wish->packages; *p; p++)
        json_array_append_new(words, json_string(*p));
    AUTO_FREE char *command = mem_must(json_dumps(words, JSON_COMPACT | JSON_ENSURE_ASCII));
    json_decref(words);
    return xasprintf("FROM %s\nUSER 0\n" PIP_SETTINGS "RUN %s\n", colon ? colon + 1 : base,
                     command);
}

char *engine_add_packages(struct engine *e, const char *base, const struct engine_wish *wish,
                          struct err *err)
{
    AUTO_FREE char *dockerfile = packages_dockerfile(base, wish);
    struct build_context context = {.fd = -1};
    struct build b = {.wish = wish, .is_pip = true};
    char *id = NULL;

    if (build_context_of(str_from(dockerfile), NULL, 0, &context, err) == 0)
        id = need_built(e, &context, &b, err);
    if (!id)
        (void)err_wrap(err, "--pip");
    build_context_done(&context);
    return id;
}
