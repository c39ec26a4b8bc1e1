/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked into build/glovebox-parses with --wrap=python_parse: each text that is parsed is a line of
 * the file that $PARSES names, with the process, cut and with blanks for line ends (parses.py).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "python/python.h"

enum { SHOWN = 4000 };

int __real_python_parse(struct str bytes, const struct python_options *options,
                        struct python_tree *ret);
int __wrap_python_parse(struct str bytes, const struct python_options *options,
                        struct python_tree *ret);

static void note(const char *path, struct str bytes)
{
    AUTO_BUF struct buf line = {0};
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

    buf_init(&line, SHOWN + 100);
    (void)buf_addf(&line, "%d ", (int)getpid());
    for (size_t i = 0; i < bytes.n && i < SHOWN; i++)
        (void)buf_addc(&line, bytes.p[i] == '\n' || bytes.p[i] == '\r' ? ' ' : bytes.p[i]);
    (void)buf_addc(&line, '\n');
    if (fd < 0 || write(fd, line.p, line.n) != (ssize_t)line.n)
        abort();
    close(fd);
}

int __wrap_python_parse(struct str bytes, const struct python_options *options,
                        struct python_tree *ret)
{
    const char *path = getenv("PARSES");

    if (path)
        note(path, bytes);
    return __real_python_parse(bytes, options, ret);
}
