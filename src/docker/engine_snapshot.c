/* SPDX-License-Identifier: Apache-2.0
 *
 * An image of a session: that of its container, with the files of the workspace in a layer more. A
 * workspace is in memory, so the engine's own commit of the container would not have them. The
 * files are in a folder of this snapshot alone, and a link leads to it: what an earlier snapshot in
 * the same image had, and was removed since, does not come back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/image_name.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "docker/build_context.h"
#include "docker/contained.h"
#include "docker/engine_parts.h"
#include "docker/json_stream.h"

enum { SEND_MS = 600000, COMMIT_MS = 600000 };

/* The values of our label: this, or with an owner "snapshot-" and a sum of the owner's name, which
 * may have characters that a label's text has not. */
#define OF_SNAPSHOT "snapshot"
enum { LABEL_MAX = sizeof OF_SNAPSHOT + 1 + SHA256_HEX };

static void label_of(const char *owner, char ret[LABEL_MAX])
{
    char sum[SHA256_HEX];

    snprintf(ret, LABEL_MAX, OF_SNAPSHOT);
    if (!owner)
        return;
    sha256_of(owner, strlen(owner), sum);
    snprintf(ret, LABEL_MAX, OF_SNAPSHOT "-%s", sum);
}

/* The length of the name without its tag. */
static size_t untagged(const char *image)
{
    const char *slash = strrchr(image, '/'), *last = slash ? slash : image;

    return (size_t)(last - image) + strcspn(last, ":");
}

static const char *tag_of(const char *image)
{
    const char *colon = image + untagged(image);

    return *colon ? colon + 1 : "latest";
}

/* One text for all spellings of an image's name. The caller frees. */
static char *plain_name(const char *image)
{
    struct str repository = image_repository(image);

    return xasprintf("%.*s:%s", (int)repository.n, repository.p, tag_of(image));
}

/* What is made from a snapshot inherits its labels, but has another name. */
static bool may_replace(const json_t *labels, const struct engine_snapshot *s)
{
    AUTO_FREE char *name = plain_name(s->image);
    struct str label = json_str(json_object_get(labels, ENGINE_LABEL));
    char own[LABEL_MAX];

    label_of(s->owner, own);
    return (s->owner ? str_is(label, own) : str_starts(label, OF_SNAPSHOT)) &&
           str_is(json_str(json_object_get(labels, ENGINE_NAME_LABEL)), name);
}

/* ---- its name ---- */

/* Others run images by name, and an engine may not have theirs yet. So a client has names of its
 * own, which no registry serves. */
static int check_owner(const char *image, const char *owner, struct err *err)
{
    AUTO_FREE char *own = xasprintf("localhost/%s/", owner);

    /* A token may have the name of a part that engines leave out: library. */
    if (str_starts(str_from(image), own) &&
        str_starts(image_repository(image), own + strlen("localhost/")))
        return 0;
    return err_set(err, ERR_USAGE,
                   "'%.200s': a client saves images as %sNAME or %sNAME:TAG, so that no other "
                   "client runs one by mistake",
                   image, own, own);
}

static int check_name(const char *image, const char *owner, struct err *err)
{
    if (engine_check_name(image, err) < 0 || (owner && check_owner(image, owner, err) < 0))
        return -1;
    if (strchr(image, '@'))
        return err_set(err, ERR_USAGE, "'%.200s': an image is saved as NAME or NAME:TAG", image);
    if (!str_starts(image_repository(image), "glovebox-"))
        return 0;
    return err_set(err, ERR_USAGE,
                   "'%.200s': names with glovebox- are those of Glovebox's own images", image);
}

/* Only a snapshot is replaced, and by its owner: any other image may be one that other runs use.
 * The caller frees the ID of the one that is; NULL for none. */
static int check_free(struct engine *e, const struct engine_snapshot *s, char **ret_old,
                      struct err *err)
{
    AUTO_FREE char *path = xasprintf("/images/%s/json", s->image);
    struct engine_answer answer;

    if (engine_ask(e, &(struct engine_ask){.method = "GET", .path = path}, &answer, err) < 0)
        return -1;
    const json_t *labels = json_object_get(json_object_get(answer.json, "Config"), "Labels");
    int result = answer.status == 404 ? 0 : engine_must(&answer, "look for the image", err);
    if (answer.status == 200 && !may_replace(labels, s))
        result = err_set(err, ERR_USAGE,
                         "there is an image '%.200s' that is not a snapshot of %s: choose another "
                         "name",
                         s->image, s->owner ? "a session of yours" : "a session");
    const char *id = json_string_value(json_object_get(answer.json, "Id"));
    *ret_old = result == 0 && answer.status == 200 && id ? xasprintf("%.100s", id) : NULL;
    engine_answer_done(&answer);
    return result;
}

/* ---- making it ---- */

static int send_files(struct engine *e, const char *container, const struct build_context *files,
                      struct err *err)
{
    AUTO_FREE char *path = xasprintf("/%s/containers/%s/archive?path=/", e->version, container);
    char problem[ENGINE_PROBLEM_MAX] = "";
    struct json_stream stream = {0};
    const struct http_ask http = {.method = "PUT",
                                  .path = path,
                                  .type = "application/x-tar",
                                  .has_file = true,
                                  .body_fd = files->fd,
                                  .body_size = files->size,
                                  .timeout_ms = SEND_MS,
                                  .cancel_fd = -1,
                                  .piece = engine_take_piece,
                                  .ctx = &stream};

    if (engine_ask_stream(e, &http, problem, err) < 0)
        return -1;
    struct engine_answer answer = {.status = problem[0] ? 500 : 200};
    snprintf(answer.said, sizeof answer.said, "%s", problem);
    return engine_must(&answer, "save the files", err);
}

static int commit(struct engine *e, const char *container, const struct engine_snapshot *s,
                  struct err *err)
{
    AUTO_FREE char *name = plain_name(s->image);
    char label[LABEL_MAX];
    label_of(s->owner, label);
    const struct engine_image_of of = {.repository = {s->image, untagged(s->image)},
                                       .tag = tag_of(s->image),
                                       .label = label,
                                       .name = name,
                                       .timeout_ms = COMMIT_MS};

    return engine_commit(e, container, &of, err);
}

static int make(struct engine *e, const char *base, const struct engine_snapshot *s,
                const struct build_context *files, struct err *err)
{
    json_t *config = json_pack("{s:s, s:[s], s:[], s:s}", "Image", base, "Cmd", s->program,
                               "Entrypoint", "WorkingDir", CONTAINED_SNAPSHOT);
    AUTO_FREE char *container = NULL;
    struct err ignored;

    int result = engine_create(e, config, &container, err);
    json_decref(config);
    if (result < 0)
        return -1;
    if (send_files(e, container, files, err) < 0 || commit(e, container, s, err) < 0)
        result = -1;
    (void)engine_remove(e, container, &ignored);
    return result;
}

static bool has_names(struct engine *e, const char *path)
{
    AUTO_FREE char *look = xasprintf("%s/json", path);
    struct engine_answer answer;
    struct err ignored;

    if (engine_ask(e, &(struct engine_ask){.method = "GET", .path = look}, &answer, &ignored) < 0)
        return true;
    bool named = answer.status != 200 || json_array_size(json_object_get(answer.json, "RepoTags"));
    engine_answer_done(&answer);
    return named;
}

/* It has lost this name, and goes unless its user gave it another one. One that runs, or that
 * another image was made of, stays. */
static void remove_old(struct engine *e, const char *id)
{
    AUTO_FREE char *path = xasprintf("/images/%s", id);
    const struct engine_ask wish = {.method = "DELETE", .path = path};
    struct engine_answer answer;
    struct err ignored;

    if (!has_names(e, path) && engine_ask(e, &wish, &answer, &ignored) == 0)
        engine_answer_done(&answer);
}

static int base_of(struct engine *e, const char *id, char **ret, struct err *err)
{
    json_t *found;

    if (engine_inspect(e, id, &found, err) < 0)
        return -1;
    const char *base = json_string_value(json_object_get(found, "Image"));
    *ret = base ? xstrdup(base) : NULL;
    json_decref(found);
    return base ? 0 : err_set(err, ERR_SYSTEM, "the session's container is gone");
}

int engine_snapshot(struct engine *e, const char *id, const struct engine_snapshot *s,
                    struct err *err)
{
    AUTO_FREE char *base = NULL, *old = NULL;
    struct build_context files = {.fd = -1};
    unsigned long long number;

    if (check_name(s->image, s->owner, err) < 0 || check_free(e, s, &old, err) < 0 ||
        base_of(e, id, &base, err) < 0)
        return -1;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return err_sys(err, "name the files");
    AUTO_FREE char *name = xasprintf(".glovebox-files-%016llx", number);
    int result = build_context_tree(s->folder, name, &CONTAINED_SNAPSHOT[1], &files, err);
    if (result < 0)
        (void)err_wrap(err, "the workspace");
    else
        result = make(e, base, s, &files, err);
    if (result == 0 && old)
        remove_old(e, old);
    build_context_done(&files);
    return result;
}
