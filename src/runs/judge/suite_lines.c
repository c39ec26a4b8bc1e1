/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/suite_lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "judge/suite.h"

enum { CHUNK = 128 << 10 };

int suite_lines_open(struct suite_lines *lines, const char *path, struct err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct stat st;
    AUTO_CLOSE int fd =
        is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);

    *lines = (struct suite_lines){.path = is_stdin ? "standard input" : path};
    if (fd < 0) {
        err_sys(err, "read %s", path);
        err->kind = ERR_USAGE;
        return -1;
    }
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        return err_set(err, ERR_USAGE, "%s: is a folder, not a file", lines->path);
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
    if (n >= lines->room)
        lines->text = mem_grow(lines->text, &lines->room, 1);
    lines->text[n] = (char)c;
}

static bool is_over(const struct suite_lines *lines)
{
    return lines->unpacked > SUITE_UNPACKED_MAX && !gzdirect(lines->in);
}

/* Returns -1 at the end, and when no more can be read. */
static int next_byte(struct suite_lines *lines)
{
    if (is_over(lines))
        return -1;
    lines->unpacked++;
    return gzgetc(lines->in);
}

static int next_dark_byte(struct suite_lines *lines)
{
    int c;

    do
        c = next_byte(lines);
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
    return c;
}

/* Returns 0 at the end of the file, or -1 with the reason why no more can be read. */
static int check_end(struct suite_lines *lines, struct err *err)
{
    int code = Z_OK;

    if (is_over(lines))
        return err_set(err, ERR_USAGE, "%s: unpacks to more than %llu GiB", lines->path,
                       (unsigned long long)(SUITE_UNPACKED_MAX >> 30));
    (void)gzerror(lines->in, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return 0;
    if (code == Z_ERRNO)
        return err_sys(err, "read %s", lines->path);
    return err_set(err, ERR_USAGE, "%s: the compressed data is damaged or cut off", lines->path);
}

/* Adds a byte of the text, of which no more than a little over the ceiling is kept. */
static void keep_byte(struct suite_lines *lines, size_t *n, int c)
{
    if (*n <= SUITE_LINE_MAX)
        add_byte(lines, (*n)++, c);
}

static int next_line(struct suite_lines *lines, struct str *ret, struct err *err)
{
    size_t n = 0;
    int c;

    while ((c = next_byte(lines)) != -1 && c != '\n')
        keep_byte(lines, &n, c);
    if (c == -1 && check_end(lines, err) < 0)
        return -1;
    if (c == -1 && !n)
        return 0;
    *ret = str_trim((struct str){lines->text, n});
    return 1;
}

static int array_end(struct suite_lines *lines, struct err *err)
{
    if (next_dark_byte(lines) != -1)
        return err_set(err, ERR_USAGE, "%s: there is text after the array", lines->path);
    return check_end(lines, err);
}

/* One value of an array, on any number of lines: all up to a comma or a bracket that is in no other
 * bracket and no string. Errors in the value are found when it is parsed. */
static int next_item(struct suite_lines *lines, struct str *ret, struct err *err)
{
    bool quoted = false, escaped = false;
    size_t n = 0, depth = 0;
    int c = lines->closed ? ']' : next_dark_byte(lines);

    if (lines->closed || (c == ']' && !lines->number))
        return array_end(lines, err);
    for (; c != -1 && (quoted || depth || (c != ',' && c != ']')); c = next_byte(lines)) {
        keep_byte(lines, &n, c);
        depth += !quoted && (c == '{' || c == '[');
        depth -= !quoted && (c == '}' || c == ']') && depth;
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
    }
    if (c == -1)
        return check_end(lines, err) < 0
                   ? -1
                   : err_set(err, ERR_USAGE, "%s: the array does not end", lines->path);
    lines->closed = c == ']';
    *ret = str_trim((struct str){lines->text, n});
    return 1;
}

/* A file that begins with a bracket is one array. */
static void find_form(struct suite_lines *lines)
{
    int c = next_byte(lines);

    if (c == 0xEF) /* a byte order mark */
        for (int i = 0; i < 2 && c != -1; i++)
            c = next_byte(lines);
    if (c == 0xBF)
        c = next_byte(lines);
    lines->is_array = c == '[';
    lines->is_utf16 = c == 0xFF || c == 0xFE;
    lines->begun = true;
    if (c != '[' && c != -1)
        (void)gzungetc(c, lines->in);
}

int suite_lines_next(struct suite_lines *lines, struct str *ret, struct err *err)
{
    if (!lines->begun)
        find_form(lines);
    if (lines->is_utf16)
        return err_set(err, ERR_USAGE, "%s: is text in UTF-16; save it in UTF-8", lines->path);
    int more = lines->is_array ? next_item(lines, ret, err) : next_line(lines, ret, err);
    lines->number += more > 0;
    return more;
}

/* Returns the number of lines that end in the chunk and have more than space. *dark: the line so
 * far has more. */
static size_t count_lines(const char *chunk, size_t n, bool *dark)
{
    size_t lines = 0;

    for (const char *p = chunk; p < chunk + n; p++) {
        lines += *p == '\n' && *dark;
        *dark = *p != '\n' && (*dark || !strchr(" \t\r", *p) || !*p);
    }
    return lines;
}

size_t suite_count(const char *path)
{
    AUTO_FREE char *chunk = xcalloc(1, CHUNK);
    struct err err = {0};
    struct suite_lines lines;
    struct str item;
    size_t n = 0;
    bool dark = false;
    int got;

    if (strcmp(path, "-") == 0 || suite_lines_open(&lines, path, &err) < 0)
        return 0;
    find_form(&lines);
    while (lines.is_array && suite_lines_next(&lines, &item, &err) > 0)
        n++;
    while (!lines.is_array && (got = gzread(lines.in, chunk, CHUNK)) > 0 &&
           (lines.unpacked += (uint64_t)got) < SUITE_UNPACKED_MAX)
        n += count_lines(chunk, (size_t)got, &dark);
    suite_lines_close(&lines);
    return n + dark;
}
