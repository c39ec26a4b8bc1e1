/* SPDX-License-Identifier: Apache-2.0
 *
 * Images with our helper in them. A user's image gets one more layer: the helper, a static program.
 * The name of the result is a hash of both, so it is made once and never changes. The engine sets
 * the name in one step, so a second process may make the same image meanwhile.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "engine/engine_parts.h"
#include "engine/image_name.h"
#include "engine/tar.h"
#include "formats/json_get.h"
#include "jail/contained_wire.h"

enum {
    HELPER_MAX = 32 << 20,
    SEND_MS = 600000,
    IMAGE_NAME_MAX = 255,
    SWEEPS = 4 /* an image has at most two of our images below it */
};

static int engine_image_ask(struct engine *e, const char *method, const char *path,
                            struct engine_answer *ret, struct err *err)
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

/* ---- finding an image ---- */

char *engine_find_image(struct engine *e, const char *name, struct err *err)
{
    AUTO_FREE char *in_path = encoded(name);
    AUTO_FREE char *path = xasprintf("/images/%s/json", in_path);
    struct engine_answer answer;
    char *id = NULL;

    err->kind = ERR_NONE;
    if (engine_image_ask(e, "GET", path, &answer, err) < 0)
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

int engine_put_files(struct engine *e, const char *container, const struct tar *files,
                     const char *what, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/containers/%s/archive?path=/", container);
    const struct engine_ask put = {.method = "PUT",
                                   .path = path,
                                   .file = files,
                                   .type = "application/x-tar",
                                   .timeout_ms = SEND_MS};
    struct engine_answer answer;

    if (engine_ask(e, &put, &answer, err) < 0)
        return -1;
    int result = engine_must(&answer, what, err);
    engine_answer_done(&answer);
    return result;
}

static int put_helper(struct engine *e, const char *container, struct str helper, struct err *err)
{
    const struct tar_entry entry = {.name = &CONTAINED_PATH[1], .mode = 0755, .size = helper.n};
    struct tar t;
    int result = -1;

    if (tar_open(&t, err) == 0 && tar_add(&t, &entry, helper, err) == 0 && tar_end(&t, err) == 0)
        result = engine_put_files(e, container, &t, "add the helper to the image", err);
    tar_done(&t);
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

static bool engine_image_is_ours(const char *name)
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

    if (engine_image_ask(e, "DELETE", path, &answer, &ignored) < 0)
        return false;
    bool removed = answer.status == 200;
    engine_answer_done(&answer);
    return removed;
}

/* False if the image has no name: engines write "<none>:<none>" and "<none>@<none>", or nothing. */
static bool engine_image_is_name(const json_t *name)
{
    return json_str(name).n && !str_starts(json_str(name), "<none>");
}

/* True if the image has a name. If two processes make the same image at once, one of the two images
 * gets it. */
static bool has_name(const json_t *image)
{
    static const char *const lists[] = {"RepoTags", "RepoDigests"};
    size_t k;
    json_t *name;

    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        json_array_foreach(json_object_get(image, lists[i]), k, name)
        {
            if (engine_image_is_name(name))
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
        count += engine_image_is_name(name) && engine_image_is_ours(json_string_value(name)) &&
                 remove_image(e, json_string_value(name));
    }
    return count;
}

/* Removes the images that can be removed now. One that another image was made from must wait until
 * that is removed. */
static int sweep_once(struct engine *e, unsigned *ret_count, struct err *err)
{
    struct engine_answer answer;
    size_t i;
    json_t *image;

    *ret_count = 0;
    if (engine_image_ask(
            e, "GET", "/images/json?filters=%7B%22label%22:%5B%22" ENGINE_LABEL "=image%22%5D%7D",
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
