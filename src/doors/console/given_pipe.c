/* SPDX-License-Identifier: Apache-2.0 */
#include "console/given_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"

/* Returns the number in "/dev/fd/63" if it is a pipe; -1 for any other path. */
static int pipe_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    int64_t number = -1;
    struct stat st;

    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        if (str_starts(str_from(path), folders[i]))
            (void)num_int64(str_from(path + strlen(folders[i])), &number);
    if (number < 0 || number > INT32_MAX)
        return -1;
    return fstat((int)number, &st) == 0 && S_ISFIFO(st.st_mode) ? (int)number : -1;
}

static int given_pipe_copy(int from, int to, const char *path, struct err *err)
{
    AUTO_FREE char *chunk = xmalloc(1 << 16);
    size_t left = (size_t)GIVEN_PIPE_MAX_MIB << 20;

    for (;;) {
        ssize_t n = read(from, chunk, 1 << 16);
        if (n == 0)
            return 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "read --file %s", path);
        if ((size_t)n > left)
            return err_set(err, ERR_USAGE, "--file %s: a pipe has at most %d MiB", path,
                           GIVEN_PIPE_MAX_MIB);
        if (fd_write_all(to, chunk, (size_t)n) < 0)
            return err_sys(err, "store %s in memory", path);
        left -= (size_t)n;
    }
}

static int given_pipe_keep(const char *spec, struct err *err)
{
    const char *colon = strrchr(spec, ':');
    AUTO_FREE char *path = xstrndup(spec, colon ? (size_t)(colon - spec) : strlen(spec));
    int pipe = pipe_of(path);

    if (pipe < 0)
        return 0;
    if (!colon || !colon[1])
        return err_set(err, ERR_USAGE,
                       "--file %s: a pipe has no file name; write SRC:NAME, as in "
                       "--file <(command):data.txt",
                       path);
    AUTO_CLOSE int memory = memfd_create("file", MFD_CLOEXEC);
    if (memory < 0 || fchmod(memory, 0644) < 0)
        return err_sys(err, "store %s in memory", path);
    if (given_pipe_copy(pipe, memory, path, err) < 0)
        return -1;
    return dup3(memory, pipe, O_CLOEXEC) < 0 ? err_sys(err, "store %s in memory", path) : 0;
}

int given_pipes_keep(const struct opt_list *files, struct err *err)
{
    for (size_t i = 0; i < files->n; i++)
        if (given_pipe_keep(files->items[i], err) < 0)
            return -1;
    return 0;
}
