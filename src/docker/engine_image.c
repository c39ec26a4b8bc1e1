/* SPDX-License-Identifier: Apache-2.0
 *
 * Images with our helper in them. An image of the user's gets one layer more: the helper, a static
 * program. The name of the result is a sum over both, so it is made once and never changes. The
 * engine gives it its name in one step, so a second process that makes it meanwhile does no harm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fd.h"
#include "base/image_name.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "docker/contained.h"
#include "docker/engine_parts.h"
#include "docker/tar.h"

enum {
    HELPER_MAX = 32 << 20,
    IMAGE_NAME_MAX = 255,
    SWEEPS = 4 /* an image has at most two of ours below it */
};

static int ask(struct engine *e, const char *method, const char *path, struct engine_answer *ret,
               struct err *err)
{
    return engine_ask(e, &(struct engine_ask){.method = method, .path = path}, ret, err);
}

static char *encoded(const char *text)
{
    struct buf b;

    buf_init(&b, 4096);
    http_encode_path(&b, str_from(text));
    return buf_take(&b);
}

/* ---- looking ---- */

char *engine_find_image(struct engine *e, const char *name, struct err *err)
{
    AUTO_FREE char *in_path = encoded(name);
    AUTO_FREE char *path = xasprintf("/images/%s/json", in_path);
    struct engine_answer answer;
    char *id = NULL;

    err->kind = ERR_NONE;
    if (ask(e, "GET", path, &answer, err) < 0)
        return NULL;
    const char *found = json_string_value(json_object_get(answer.json, "Id"));
    if (answer.status == 200 && found)
        id = xstrdup(found);
    else if (answer.status != 404)
        (void)engine_must(&answer, "look for the image", err);
    engine_answer_done(&answer);
    return id;
}

int engine_check_name(const char *image, struct err *err)
{
    size_t n =
        strspn(image, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@");

    if (*image && !image[n] && n <= IMAGE_NAME_MAX && image[0] != '/' && !strstr(image, ".."))
        return 0;
    return err_set(err, ERR_USAGE,
                   "'%.200s' is not the name of an image; write NAME, NAME:TAG or "
                   "NAME@DIGEST",
                   image);
}

static char *need_image(struct engine *e, const struct engine_wish *wish, struct err *err)
{
    char *id =
        engine_check_name(wish->image, err) < 0 ? NULL : engine_find_image(e, wish->image, err);

    if (id || err->kind)
        return id;
    if (engine_pull(e, wish, err) < 0)
        return NULL;
    id = engine_find_image(e, wish->image, err);
    if (!id && !err->kind)
        (void)engine_say_missing(wish->image, "it did not arrive", err);
    return id;
}

/* ---- making one ---- */

static int put_helper(struct engine *e, const char *container, struct str helper, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/containers/%s/archive?path=/", container);
    AUTO_BUF struct buf tar = {0};
    struct engine_answer answer;

    buf_init(&tar, helper.n + 8 * TAR_BLOCK);
    tar_add_head(&tar,
                 &(struct tar_entry){.name = &CONTAINED_PATH[1], .mode = 0755, .size = helper.n});
    (void)buf_add_str(&tar, helper);
    tar_add_padding(&tar, helper.n);
    tar_add_end(&tar);
    const struct engine_ask put = {
        .method = "PUT", .path = path, .body = buf_str(&tar), .type = "application/x-tar"};
    if (engine_ask(e, &put, &answer, err) < 0)
        return -1;
    int result = engine_must(&answer, "add the helper to the image", err);
    engine_answer_done(&answer);
    return result;
}

static int make_image(struct engine *e, const char *base, const char *tag, struct str helper,
                      struct err *err)
{
    json_t *config = json_pack("{s:s, s:[s]}", "Image", base, "Cmd", CONTAINED_PATH);
    AUTO_FREE char *container = NULL;
    struct err ignored;

    int result = engine_create(e, config, &container, err);
    json_decref(config);
    if (result < 0)
        return -1;
    const struct engine_image_of image = {
        .repository = STR(ENGINE_IMAGES_RUN), .tag = tag, .label = "image"};
    if (put_helper(e, container, helper, err) < 0 || engine_commit(e, container, &image, err) < 0)
        result = -1;
    (void)engine_remove(e, container, &ignored);
    return result;
}

static void make_tag(const char *base, struct str helper, char tag[33])
{
    struct sha256 sum;
    char hex[SHA256_HEX];

    sha256_init(&sum);
    sha256_add(&sum, base, strlen(base) + 1);
    sha256_add(&sum, helper.p, helper.n);
    sha256_hex(&sum, hex);
    snprintf(tag, 33, "%.32s", hex);
}

static char *add_helper(struct engine *e, const char *base, const char *helper, struct err *err)
{
    AUTO_BUF struct buf program = {0};
    char tag[33];

    buf_init(&program, HELPER_MAX);
    if (fd_read_file(helper, &program, err) < 0)
        return NULL;
    make_tag(base, buf_str(&program), tag);
    AUTO_FREE char *name = xasprintf(ENGINE_IMAGES_RUN ":%s", tag);
    AUTO_FREE char *there = engine_find_image(e, name, err);
    if (!there && (err->kind || make_image(e, base, tag, buf_str(&program), err) < 0))
        return NULL;
    return mem_take(&name);
}

char *engine_image(struct engine *e, const struct engine_wish *wish, struct err *err)
{
    AUTO_FREE char *base = wish->dockerfile || wish->dockerfile_text.p ? engine_build(e, wish, err)
                                                                       : need_image(e, wish, err);
    if (!base)
        return NULL;
    AUTO_FREE char *full = wish->packages && *wish->packages
                               ? engine_add_packages(e, base, wish, err)
                               : mem_take(&base);
    return full ? add_helper(e, full, wish->helper, err) : NULL;
}

static bool is_ours(const char *name)
{
    struct str repository = image_repository(name);

    return str_is(repository, ENGINE_IMAGES_RUN) || str_is(repository, ENGINE_IMAGES_BUILT);
}

static bool remove_image(struct engine *e, const char *name)
{
    AUTO_FREE char *in_path = encoded(name);
    AUTO_FREE char *path = xasprintf("/images/%s", in_path);
    struct engine_answer answer;
    struct err ignored;

    if (ask(e, "DELETE", path, &answer, &ignored) < 0)
        return false;
    bool removed = answer.status == 200;
    engine_answer_done(&answer);
    return removed;
}

/* Engines write "<none>:<none>" and "<none>@<none>", or nothing. */
static bool is_name(const json_t *name)
{
    return json_str(name).n && !str_starts(json_str(name), "<none>");
}

/* Of two processes that make the same image at once, one gets its name. */
static bool has_name(const json_t *image)
{
    static const char *const lists[] = {"RepoTags", "RepoDigests"};
    size_t k;
    json_t *name;

    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        json_array_foreach(json_object_get(image, lists[i]), k, name)
        {
            if (is_name(name))
                return true;
        }
    return false;
}

static unsigned remove_ours(struct engine *e, const json_t *image)
{
    const char *id = json_string_value(json_object_get(image, "Id"));
    unsigned count = 0;
    size_t k;
    json_t *name;

    if (!has_name(image))
        return id && remove_image(e, id);
    json_array_foreach(json_object_get(image, "RepoTags"), k, name)
    {
        count += is_name(name) && is_ours(json_string_value(name)) &&
                 remove_image(e, json_string_value(name));
    }
    return count;
}

/* Removes what can be removed now; an image that another one was made of has to wait for that. */
static int sweep_once(struct engine *e, unsigned *ret_count, struct err *err)
{
    struct engine_answer answer;
    size_t i;
    json_t *image;

    *ret_count = 0;
    if (ask(e, "GET", "/images/json?filters=%7B%22label%22:%5B%22" ENGINE_LABEL "=image%22%5D%7D",
            &answer, err) < 0)
        return -1;
    json_array_foreach(answer.json, i, image)
    {
        *ret_count += remove_ours(e, image);
    }
    engine_answer_done(&answer);
    return 0;
}

int engine_sweep_images(struct engine *e, unsigned *ret_count, struct err *err)
{
    unsigned now = 1;

    *ret_count = 0;
    for (int depth = 0; depth < SWEEPS && now; depth++) {
        if (sweep_once(e, &now, err) < 0)
            return -1;
        *ret_count += now;
    }
    return 0;
}
