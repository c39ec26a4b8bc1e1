/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "jail/spec.h"

/* Places that the jail makes itself: no view can replace them, nor lie below those of the
 * kernel. */
static bool is_ours(const char *dst)
{
    static const char *const places[] = {"/proc", "/dev", "/sys", "/tmp", SPEC_BOX, SPEC_WORK};
    struct str path = str_from(dst);

    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (str_is(path, places[i]))
            return true;
    return str_starts(path, "/proc/") || str_starts(path, "/dev/") || str_starts(path, "/sys/");
}

static void add(struct views *views, const char *src, const char *dst, bool is_link)
{
    views->at = xrealloc_array(views->at, views->n + 1, sizeof *views->at);
    views->at[views->n++] = (struct host_view){xstrdup(src), xstrdup(dst), is_link};
}

/* --ro SRC[:DST] */
static int add_view(struct views *views, const char *spec, struct err *err)
{
    const char *colon = strrchr(spec, ':');
    AUTO_FREE char *src = colon ? xstrndup(spec, (size_t)(colon - spec)) : xstrdup(spec);
    AUTO_FREE char *real = realpath(src, NULL);

    if (!real)
        return err_set(err, ERR_USAGE, "--ro %s: %s", spec, strerror(errno));
    AUTO_FREE char *dst = xstrdup(colon ? colon + 1 : real);
    if (!spec_path_ok(dst) || strcmp(dst, "/") == 0)
        return err_set(err, ERR_USAGE, "--ro %s: inside, it needs an absolute path such as /data",
                       spec);
    if (is_ours(dst))
        return err_set(err, ERR_USAGE,
                       "--ro %s: inside, %s is taken; name another place, such as %s:/data", spec,
                       dst, src);
    add(views, real, dst, false);
    views->named |= strcmp(real, dst) != 0;
    return 0;
}

int views_make(const struct interpreter *interpreter, char *const *ro, struct views *ret,
               struct err *err)
{
    *ret = (struct views){0};
    for (size_t i = 0; i < interpreter->view_count; i++)
        add(ret, interpreter->views[i].src, interpreter->views[i].dst,
            interpreter->views[i].is_link);
    for (; ro && *ro; ro++)
        if (add_view(ret, *ro, err) < 0)
            return -1;
    return 0;
}

void views_done(struct views *views)
{
    for (size_t i = 0; i < views->n; i++) {
        free(views->at[i].src);
        free(views->at[i].dst);
    }
    free(views->at);
    *views = (struct views){0};
}
