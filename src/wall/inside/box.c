/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest's disk where there can be no private root: three folders in a folder of the host's.
 */
#include "inside/inside.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/mem.h"

int host_box_make(struct inside *in, struct err *err)
{
    static const char *const places[] = {"work", "tmp", "shm"};
    const char *path = in->spec.box_host;

    if (mkdir(path, 0700) < 0)
        return err_sys(err, "make %s for the program's files (TMPDIR chooses another folder)",
                       path);
    in->box_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (in->box_fd < 0)
        return err_sys(err, "open %s", path);
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (mkdirat(in->box_fd, places[i], 0700) < 0)
            return err_sys(err, "make %s/%s", path, places[i]);
    return 0;
}
