/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONSOLE_SAVE_FILE_H
#define CONSOLE_SAVE_FILE_H

#include "base/err.h"
#include "base/str.h"

/* Writes a program to a file, with a line end. After a failure the file has its old content, after
 * success the whole new content. It keeps its mode, its owner and the symbolic links to it; a pipe
 * or a device is written to directly. */
int save_file(const char *path, struct str text, struct err *err);
/* 0 if the file can probably be written, as far as its folder shows that; -1 with *err. It is
 * called before a model is paid. */
int save_file_check(const char *path, struct err *err);

#endif
