/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONSOLE_SAVE_FILE_H
#define CONSOLE_SAVE_FILE_H

#include "base/err.h"
#include "base/str.h"

/* Writes a program to a file, with a line end. The file has its old content or the whole new one,
 * and keeps its mode, its owner and the links to it by name; a pipe or a device is written to. */
int save_file(const char *path, struct str text, struct err *err);
/* Whether the file can be written, as far as the folder shows that: before a model is paid. */
int save_file_check(const char *path, struct err *err);

#endif
