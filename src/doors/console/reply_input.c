/* SPDX-License-Identifier: Apache-2.0 */
#include "console/reply_input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

static int too_large(const char *name, struct err *err)
{
    return err_set(err, ERR_USAGE, "%s: is larger than %zu MiB", name, REPLY_INPUT_MAX >> 20);
}

static int reply_input_read_file(const char *path, struct buf *ret, struct err *err)
{
    if (fd_read_file(path, ret, err) == 0)
        return 0;
    if (err->sys == EFBIG)
        return too_large(path, err);
    err->kind = ERR_USAGE;
    return -1;
}

int reply_input_read(const struct opt_args *args, const char *what, struct buf *ret,
                     struct err *err)
{
    size_t n = args->operand_n + args->rest_n;
    const char *name = n == 0 ? NULL : args->operand_n ? args->operands[0] : args->rest[0];

    if (n > 1)
        return err_set(err, ERR_USAGE, "reads one file, not %zu", n);
    if (name && strcmp(name, "-") != 0)
        return reply_input_read_file(name, ret, err);
    if (!name && isatty(STDIN_FILENO))
        return err_set(err, ERR_USAGE, "nothing to read: name a file with %s, or - to type it",
                       what);
    if (fd_read_all(STDIN_FILENO, ret) == 0)
        return 0;
    return errno == EFBIG ? too_large("standard input", err) : err_sys(err, "read standard input");
}
