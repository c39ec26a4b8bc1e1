/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/elsewhere.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "languages/pythons.h"
#include "python/python.h"

/* True if the folder has the module: as a package, a file, or compiled. */
static bool has_module(const char *folder, struct str module)
{
    static const char *const forms[] = {"/__init__.py", ".py", ".*.so"};
    bool found = false;

    for (size_t i = 0; i < ARRAY_LEN(forms) && !found; i++) {
        glob_t g = {.gl_offs = 0};
        AUTO_FREE char *pattern = xasprintf("%s/%.*s%s", folder, (int)module.n, module.p, forms[i]);
        found = glob(pattern, GLOB_NOSORT, NULL, &g) == 0;
        globfree(&g);
    }
    return found;
}

static bool has_environment(const char *prefix, struct str module)
{
    AUTO_FREE char *folder = xasprintf("%s/lib*/python3*/site-packages", prefix);

    return has_module(folder, module);
}

struct search {
    struct str module;
    char *found;
};

static void try_python(void *ctx, unsigned minor, const char *path)
{
    struct search *s = ctx;
    const char *bin = strstr(path, "/bin/");

    if (s->found || !bin)
        return;
    AUTO_FREE char *folder =
        xasprintf("%.*s/lib*/python3.%u/site-packages", (int)(bin - path), path, minor);
    if (has_module(folder, s->module))
        s->found = xasprintf("3.%u", minor);
}

char *python_elsewhere(struct str module)
{
    const char *const folders[] = {getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX"), ".venv", "venv",
                                   "env"};
    struct search s = {.module = module};

    if (!python_is_variable(module))
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        if (folders[i] && *folders[i] && has_environment(folders[i], module))
            return xstrdup(folders[i]);
    pythons_each(try_python, &s);
    return s.found;
}
