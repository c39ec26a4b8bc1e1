/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of a file of any size, which may be compressed with gzip.
 */
#ifndef JUDGE_SUITE_LINES_H
#define JUDGE_SUITE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "base/err.h"
#include "base/str.h"

/* Bytes that a compressed file may become: a file that is made for it grows a thousandfold. */
#define SUITE_UNPACKED_MAX ((uint64_t)64 << 30)

struct suite_lines {
    gzFile in;
    const char *path;
    char *text;
    size_t room, number; /* number: of the line that was read last, from 1 */
    uint64_t unpacked;
};

/* "-" is standard input. The path must stay. -1 with ERR_USAGE. End with suite_lines_close, also
 * after -1. */
int suite_lines_open(struct suite_lines *lines, const char *path, struct err *err);
/* 1 with the next line, trimmed, in *ret, which is valid until the next call; of a line of more
 * than SUITE_LINE_MAX bytes, its beginning. 0 at the end, and -1 if there is more that cannot be
 * read. */
int suite_lines_next(struct suite_lines *lines, struct str *ret, struct err *err);
void suite_lines_close(struct suite_lines *lines);
/* How many lines a file has, for progress; 0 when it is not known. */
size_t suite_count(const char *path);

#endif
