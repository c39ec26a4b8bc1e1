/* SPDX-License-Identifier: Apache-2.0
 *
 * An image of a session: its container's image, with the files of the workspace in one more layer.
 * A workspace is in memory, so the engine's own commit of the container would not contain them. The
 * files are in a folder that is used by this snapshot only, and a link leads to it. So a file of an
 * earlier snapshot in the same image that was removed since does not come back.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "engine/engine_parts.h"
#include "engine/folder.h"
#include "engine/image_name.h"
#include "engine/tar.h"
#include "formats/json_get.h"
#include "jail/contained_wire.h"

enum { COMMIT_MS = 600000 };

/* The values of our label: "snapshot", or "snapshot-HASH" with a hash of the owner's name, which
 * may have characters that a label cannot have. */
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

/* Returns the same string for all spellings of an image's name. The caller frees it. */
static char *plain_name(const char *image)
{
    struct str repository = image_repository(image);

    return xasprintf("%.*s:%s", (int)repository.n, repository.p, tag_of(image));
}

/* True if the image is a snapshot that may be replaced. An image that is made from a snapshot
 * inherits its labels, but has another name. */
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

/* Other clients run images by name, and the engine may not have those images yet. So each client
 * may only use names of its own, which no registry serves. */
static int check_owner(const char *image, const char *owner, struct err *err)
{
    AUTO_FREE char *own = xasprintf("localhost/%s/", owner);

    /* A token's name may be a part that engines leave out, such as "library". */
    if (str_starts(str_from(image), own) &&
        str_starts(image_repository(image), own + strlen("localhost/")))
        return 0;
    return err_set(err, ERR_USAGE,
                   "'%.200s': a client saves images as %sNAME or %sNAME:TAG, so that no other "
                   "client runs one by mistake",
                   image, own, own);
}

static int engine_snapshot_check_name(const char *image, const char *owner, struct err *err)
{
    if (engine_check_name(image, err) < 0 || (owner && check_owner(image, owner, err) < 0))
        return -1;
    if (strchr(image, '@'))
        return err_set(err, ERR_USAGE, "'%.200s': an image is saved as NAME or NAME:TAG", image);
    if (!str_starts(image_repository(image), "glovebox-"))
        return 0;
    return err_set(
        err, ERR_USAGE,
        "'%.200s': names that begin with glovebox- are reserved for Glovebox's own images", image);
}

/* Only a snapshot is replaced, and only by its owner: other runs may use any other image. *ret_old
 * is the ID of the snapshot to replace, which the caller frees; NULL if there is none. */
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

/* ---- its files ---- */

struct saving {
    struct tar files;
    const char *name; /* the name of the folder for the files in the image */
};

/* Saves files and folders: a link could lead anywhere in the image, and a pipe has no content. */
static int save_entry(void *ctx, const struct folder_entry *entry, struct err *err)
{
    struct saving *saving = ctx;
    bool folder = S_ISDIR(entry->st->st_mode), file = S_ISREG(entry->st->st_mode);
    AUTO_FREE char *name = xasprintf("%s/%s", saving->name, entry->path);
    struct tar_entry saved = {.name = name,
                              .kind = folder ? TAR_FOLDER : TAR_FILE,
                              .mode = folder || entry->st->st_mode & 0100 ? 0755 : 0644,
                              .size = file ? (uint64_t)entry->st->st_size : 0};

    if (folder)
        return tar_add(&saving->files, &saved, STR(""), err);
    if (!file)
        return 0;
    AUTO_CLOSE int fd =
        openat(entry->dirfd, entry->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 ? err_sys(err, "read '%.200s'", entry->path)
                  : tar_add_file(&saving->files, &saved, fd, err);
}

static int save_all(struct saving *saving, int folder, struct err *err)
{
    const struct tar_entry entries[] = {
        {.name = saving->name, .kind = TAR_FOLDER, .mode = 0755},
        {.name = &CONTAINED_SNAPSHOT[1], .target = saving->name, .kind = TAR_LINK, .mode = 0777},
    };

    if (tar_open(&saving->files, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(entries); i++)
        if (tar_add(&saving->files, &entries[i], STR(""), err) < 0)
            return -1;
    return folder_walk(folder, save_entry, saving, err) < 0 ? -1 : tar_end(&saving->files, err);
}

/* ---- making it ---- */

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

static int engine_snapshot_make(struct engine *e, const char *base, const struct engine_snapshot *s,
                                const struct tar *files, struct err *err)
{
    json_t *config = json_pack("{s:s, s:[s], s:[], s:s}", "Image", base, "Cmd", s->program,
                               "Entrypoint", "WorkingDir", CONTAINED_SNAPSHOT);
    AUTO_FREE char *container = NULL;
    struct err ignored;

    int result = engine_create(e, config, &container, err);
    json_decref(config);
    if (result < 0)
        return -1;
    if (engine_put_files(e, container, files, "save the files", err) < 0 ||
        commit(e, container, s, err) < 0)
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

/* Removes the replaced image, which has lost this name, unless its user gave it another one. The
 * engine keeps an image that is in use, or that another image was made from. */
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
    struct saving saving = {.files = {.fd = -1}};
    unsigned long long number;

    if (engine_snapshot_check_name(s->image, s->owner, err) < 0 ||
        check_free(e, s, &old, err) < 0 || base_of(e, id, &base, err) < 0)
        return -1;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return err_sys(err, "choose a name for the files");
    AUTO_FREE char *name = xasprintf(".glovebox-files-%016llx", number);
    saving.name = name;
    int result = save_all(&saving, s->folder, err);
    if (result < 0)
        (void)err_wrap(err, "the workspace");
    else
        result = engine_snapshot_make(e, base, s, &saving.files, err);
    if (result == 0 && old)
        remove_old(e, old);
    tar_done(&saving.files);
    return result;
}
