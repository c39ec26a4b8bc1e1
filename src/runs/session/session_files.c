/* SPDX-License-Identifier: Apache-2.0
 *
 * The workspace from outside, between cells.
 */
#include <string.h>

#include "backends/idle.h"
#include "base/mem.h"
#include "engine/image_name.h"
#include "languages/language.h"
#include "session/session_impl.h"

static int take_turn(struct session *s, struct err *err)
{
    if (turn_take(s, err) < 0)
        return -1;
    if (backend_has_files(s->guest->handle))
        return 0;
    turn_give(s);
    return err_set(err, ERR_UNSUPPORTED, "this session no longer has a workspace");
}

int session_files(struct session *s, struct workspace_file **ret, size_t *ret_count,
                  struct err *err)
{
    if (take_turn(s, err) < 0)
        return -1;
    int result = backend_list(s->guest->handle, ret, ret_count, err);
    turn_give(s);
    return result;
}

int session_file_open(struct session *s, const char *path, uint64_t *ret_size, struct err *err)
{
    if (take_turn(s, err) < 0)
        return -1;
    int fd = backend_read(s->guest->handle, path, ret_size, err);
    turn_give(s);
    return fd;
}

/* Records the current state of the path: the next cell does not report a change from outside. */
static void session_files_forget(struct session *s, const char *path)
{
    int work = s->guest->changes ? guest_work(s) : -1;

    if (work >= 0)
        changes_forget(s->guest->changes, work, path);
}

int session_file_put(struct session *s, const char *path, int fd, uint64_t max, struct err *err)
{
    if (take_turn(s, err) < 0)
        return -1;
    int result = guard_upload(s, path, fd, err) < 0
                     ? -1
                     : backend_write(s->guest->handle, path, fd, max, err);
    if (result == 0)
        session_files_forget(s, path);
    turn_give(s);
    return result;
}

int session_file_remove(struct session *s, const char *path, struct err *err)
{
    AUTO_FREE char *bare = xstrdup(path);
    size_t n = strlen(bare);

    if (n > 1 && bare[n - 1] == '/')
        bare[n - 1] = '\0';
    if (take_turn(s, err) < 0)
        return -1;
    int result = backend_remove(s->guest->handle, bare, err);
    if (result == 0)
        session_files_forget(s, bare);
    turn_give(s);
    return result;
}

/* ---- an image ---- */

struct claim {
    const char *image;
    const struct language *language; /* its programs start in images of that name; or NULL */
};

static void look_for_claim(void *ctx, const struct language *language)
{
    struct claim *c = ctx;

    if (!c->language && language->image &&
        str_eq(image_repository(c->image), image_repository(language->image)))
        c->language = language;
}

/* Refuses the name of an image that a language uses: if the engine does not have that image yet,
 * all later programs would start in this one. */
static int check_unclaimed(const struct session *s, const char *image, struct err *err)
{
    struct claim c = {.image = image};

    language_each(s->shared->request.run.program.languages, look_for_claim, &c);
    if (!c.language)
        return 0;
    return err_set(err, ERR_USAGE,
                   "'%.200s': programs in %.60s start in images of that name: choose another name, "
                   "such as team/NAME",
                   image, c.language->name);
}

int session_commit(struct session *s, const char *image, const char *owner, struct err *err)
{
    if (check_unclaimed(s, image, err) < 0 || take_turn(s, err) < 0)
        return -1;
    int result = guest_check(s, err);
    if (result == 0)
        result = backend_commit(s->guest->handle, image, owner, err);
    turn_give(s);
    return result;
}
