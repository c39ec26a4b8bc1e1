/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/work_places.h"

#include <string.h>

#include "base/mem.h"

static const char *const places[] = {"sandbox:/mnt/data",
                                     "/mnt/data",
                                     "/home/user",
                                     "/home/sandbox",
                                     "/workspace",
                                     "/box/work",
                                     "/app",
                                     "/code",
                                     "."};

struct str work_place_rest(struct str path)
{
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        size_t n = strlen(places[i]);
        if (str_starts(path, places[i]) && (path.n == n || path.p[n] == '/'))
            return str_slice(path, path.n == n ? n : n + 1, path.n);
    }
    return path;
}
