/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of `glovebox serve --allow`, and the patterns of --images.
 */
#include <fnmatch.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "request/setting.h"

static const struct {
    enum permit permit;
    const char *name;
} permits[] = {
    {PERMIT_HOST_FILES, "host-files"}, {PERMIT_HOST_BACKEND, "host-backend"},
    {PERMIT_NET_HOST, "net-host"},     {PERMIT_WITHOUT, "without"},
    {PERMIT_COMMIT, "commit"},         {PERMIT_PACKAGES, "packages"},
    {PERMIT_DOCKERFILE, "dockerfile"}, {PERMIT_PACKAGES, "pip"}, /* its earlier name */
};

const char *permit_name(enum permit permit)
{
    for (size_t i = 0; i < ARRAY_LEN(permits); i++)
        if (permits[i].permit == permit)
            return permits[i].name;
    return "nothing";
}

static int read_permit(struct str name, unsigned *ret, struct err *err)
{
    struct suggestion near = {.word = name};

    for (size_t i = 0; i < ARRAY_LEN(permits); i++) {
        if (str_is(name, permits[i].name)) {
            *ret |= permits[i].permit;
            return 0;
        }
        suggestion_try(&near, permits[i].name);
    }
    return err_set(err, ERR_USAGE, "--allow %.*s: %s%s%s", (int)(name.n < 60 ? name.n : 60), name.p,
                   near.best ? "did you mean '"
                             : "is not host-files, host-backend, net-host, without, commit, ",
                   near.best ? near.best : "packages or dockerfile", near.best ? "'?" : "");
}

int permit_check(const struct request_rules *rules, enum permit permit, const char *what,
                 struct err *err)
{
    if (rules->permits & permit)
        return 0;
    return err_set(err, ERR_POLICY,
                   "%s is not allowed here: only the operator of this daemon can allow it, with "
                   "--allow %s",
                   what, permit_name(permit));
}

int permits_read(const struct opt_list *list, unsigned *ret, struct err *err)
{
    for (size_t i = 0; i < list->n; i++) {
        struct str rest = str_from(list->items[i]), name;
        while (str_next(&rest, ',', &name))
            if (read_permit(str_trim(name), ret, err) < 0)
                return -1;
    }
    return 0;
}

static bool permit_matches(const struct opt_list *patterns, const char *image)
{
    for (size_t i = 0; patterns && i < patterns->n; i++) {
        struct str rest = str_from(patterns->items[i]), word;
        while (str_next(&rest, ',', &word)) {
            AUTO_FREE char *pattern = xstrndup(str_trim(word).p, str_trim(word).n);
            if (fnmatch(pattern, image, FNM_PATHNAME | FNM_NOESCAPE) == 0)
                return true;
        }
    }
    return false;
}

int image_check(const struct request_rules *rules, const char *image, struct err *err)
{
    if (rules->any_image || permit_matches(rules->images, image))
        return 0;
    return err_set(err, ERR_POLICY,
                   "'image': '%.100s' is not allowed here: only the operator of this daemon can "
                   "allow it, with --images",
                   image);
}
