/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/suite_lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "judge/suite.h"

enum { CHUNK = 128 << 10 };

int suite_lines_open(struct suite_lines *lines, const char *path, struct err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    AUTO_CLOSE int fd =
        is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);

    *lines = (struct suite_lines){.path = is_stdin ? "standard input" : path};
    if (fd < 0) {
        err_sys(err, "%s", path);
        err->kind = ERR_USAGE;
        return -1;
    }
    lines->in = gzdopen(fd, "rb");
    if (!lines->in)
        return err_set(err, ERR_SYSTEM, "zlib cannot be initialized");
    (void)fd_take(&fd);
    (void)gzbuffer(lines->in, CHUNK);
    return 0;
}

void suite_lines_close(struct suite_lines *lines)
{
    if (lines->in)
        (void)gzclose_r(lines->in);
    free(lines->text);
    *lines = (struct suite_lines){0};
}

static void add_byte(struct suite_lines *lines, size_t n, int c)
{
    if (n >= lines->room) {
        lines->room = lines->room ? 2 * lines->room : 65536;
        lines->text = xrealloc_array(lines->text, lines->room, 1);
    }
    lines->text[n] = (char)c;
}

/* Why nothing more comes: 0 where that is the end of the file. */
static int check_end(struct suite_lines *lines, struct err *err)
{
    int code = Z_OK;

    (void)gzerror(lines->in, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return 0;
    if (code == Z_ERRNO)
        return err_sys(err, "%s", lines->path);
    return err_set(err, ERR_USAGE, "%s: the compressed data is damaged or cut off", lines->path);
}

int suite_lines_next(struct suite_lines *lines, struct str *ret, struct err *err)
{
    size_t n = 0;
    int c;

    while ((c = gzgetc(lines->in)) != -1 && c != '\n') {
        if (n <= SUITE_LINE_MAX)
            add_byte(lines, n++, c);
        if (++lines->unpacked > SUITE_UNPACKED_MAX && !gzdirect(lines->in))
            return err_set(err, ERR_USAGE, "%s: unpacks to more than %llu GiB", lines->path,
                           (unsigned long long)(SUITE_UNPACKED_MAX >> 30));
    }
    if (c == -1 && check_end(lines, err) < 0)
        return -1;
    if (c == -1 && !n)
        return 0;
    lines->number++;
    *ret = str_trim((struct str){lines->text, n});
    return 1;
}

size_t suite_count(const char *path)
{
    AUTO_FREE char *chunk = xcalloc(1, CHUNK);
    struct err err = {0};
    struct suite_lines lines;
    size_t n = 0;
    int got;

    if (strcmp(path, "-") == 0 || suite_lines_open(&lines, path, &err) < 0)
        return 0;
    while ((got = gzread(lines.in, chunk, CHUNK)) > 0 && lines.unpacked < SUITE_UNPACKED_MAX) {
        lines.unpacked += (uint64_t)got;
        for (const char *p = chunk; (p = memchr(p, '\n', (size_t)(chunk + got - p))); p++)
            n++;
    }
    suite_lines_close(&lines);
    return n;
}
