/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of a file of any size, one on each line or in one JSON array. The file may be
 * compressed with gzip.
 */
#ifndef JUDGE_SUITE_LINES_H
#define JUDGE_SUITE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "base/err.h"
#include "base/str.h"

/* The maximum size of a file after decompression: a malicious file can expand a thousandfold. */
#define SUITE_UNPACKED_MAX ((uint64_t)64 << 30)

struct suite_lines {
    gzFile in;
    const char *path;
    char *text;
    size_t room, number; /* number of the last line, or of the last item of an array, from 1 */
    uint64_t unpacked;
    bool begun, is_array, is_utf16, closed; /* closed: the array's end was read */
};

/* Opens the file; "-" is standard input. The caller keeps the path's memory. -1 with ERR_USAGE. End
 * with suite_lines_close, also after -1. */
int suite_lines_open(struct suite_lines *lines, const char *path, struct err *err);
/* Returns 1 with the next line, or the next item of an array, trimmed, in *ret, which is valid
 * until the next call; if it has more than SUITE_LINE_MAX bytes, *ret is its beginning. 0 at the
 * end, and -1 if the rest cannot be read. */
int suite_lines_next(struct suite_lines *lines, struct str *ret, struct err *err);
void suite_lines_close(struct suite_lines *lines);
/* Returns the number of lines or items in a file, for progress; 0 if it is unknown. */
size_t suite_count(const char *path);

#endif
