/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"

#include <stdio.h>

#include "backends/local.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "far/far.h"
#include "limits/cgroup.h"

static const struct backend jail_backend = {
    .name = "jail",
    .alias = "container",
    .summary = "in a sandbox of this machine's kernel",
    .layers = LAYERS_ALL,
    .can = jail_can,
    .need = jail_need,
    .pool = &local_pool,
    LOCAL_ENTRIES,
};

/* The same processes without the layers of the wall; limits are still enforced, and at the end the
 * whole process tree is still killed. */
static const struct backend host_backend = {
    .name = "host",
    .alias = "local",
    .summary = "on this machine without any wall",
    .unsafe = true,
    .layers = CGROUP_LAYERS | LAYER_BIT(LAYER_RLIMITS),
    .can = host_can,
    .need = host_need,
    LOCAL_ENTRIES,
};

const struct backend *const backends[] = {&jail_backend, &host_backend, &docker_backend,
                                          &e2b_backend, NULL};

/* Names of backends that this build does not have: the error says so, and suggests no other
 * spelling. */
static const struct {
    const char *name, *advice;
} reserved[] = {
    {"inproc", ""},
    {"builtin", "; a model runs its own programs with 'glovebox solve --backend builtin'"}};

static void list_names(char *out, size_t n)
{
    size_t at = 0;

    out[0] = '\0';
    for (unsigned i = 0; backends[i] && at < n; i++)
        at += (size_t)snprintf(out + at, n - at, "%s%s",
                               !i                ? ""
                               : backends[i + 1] ? ", "
                                                 : " and ",
                               backends[i]->name);
}

const struct backend *backend_find(struct str name, struct err *err)
{
    char present[100];

    for (unsigned i = 0; backends[i]; i++)
        if (str_is_nocase(name, backends[i]->name) || str_is_nocase(name, backends[i]->alias))
            return backends[i];
    list_names(present, sizeof present);
    for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
        if (str_is_nocase(name, reserved[i].name)) {
            err_set(err, ERR_UNSUPPORTED, "this build has no backend %s, only %s%s",
                    reserved[i].name, present, reserved[i].advice);
            return NULL;
        }
    struct suggestion near = {.word = name};
    for (unsigned i = 0; backends[i]; i++)
        suggestion_try(&near, backends[i]->name);
    err_set(err, ERR_USAGE, "Unsupported code execution env: %.*s; this build has %s%s%s%s",
            (int)(name.n < 80 ? name.n : 80), name.p, present, near.best ? "; did you mean " : "",
            near.best ? near.best : "", near.best ? "?" : "");
    return NULL;
}

void backend_describe_all(struct buf *b)
{
    for (unsigned i = 0; backends[i]; i++)
        (void)buf_addf(b, "%s%s (%s)",
                       !i                ? ""
                       : backends[i + 1] ? ", "
                                         : " or ",
                       backends[i]->name, backends[i]->summary);
}
