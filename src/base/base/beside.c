/* SPDX-License-Identifier: Apache-2.0 */
#include "base/beside.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* The folder of the shared library that holds this code, or else of the program; the caller frees.
 */
static char *our_folder(void)
{
    Dl_info info;
    char self[4096];
    const char *path = self;

    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    /* dladdr knows the main program only by argv[0] */
    if (dladdr((const void *)(uintptr_t)&beside_find, &info) && info.dli_fname &&
        strstr(info.dli_fname, ".so"))
        path = info.dli_fname;
    const char *slash = strrchr(path, '/');
    return slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
}

/* Relative to our folder: a build has its programs in the same one; `make install` puts them where
 * the other two lead, from bin and from lib. */
static const char *const places[] = {"", "/../lib/glovebox", "/glovebox"};

static char *beside_program(const char *name)
{
    AUTO_FREE char *folder = our_folder();

    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        char *path = xasprintf("%s%s/%s", folder, places[i], name);
        if (access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return xasprintf("%s/%s", GLOVEBOX_LIBEXEC, name);
}

int beside_find(const char *name, const char *variable, char **ret, struct err *err)
{
    const char *named = getenv(variable);
    AUTO_FREE char *path = named ? xstrdup(named) : beside_program(name);

    if (access(path, X_OK) < 0)
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: the helper program is missing; reinstall glovebox or set %s", path,
                       variable);
    *ret = mem_take(&path);
    return 0;
}
