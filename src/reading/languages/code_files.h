/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that an interpreter runs because of their names alone: a module in the program's folder, or
 * a file that runs whenever the interpreter starts.
 */
#ifndef LANGUAGES_CODE_FILES_H
#define LANGUAGES_CODE_FILES_H

#include <stdbool.h>

#include "base/str.h"

struct code_file {
    const char *suffix;
    const char *language; /* the name of the row whose interpreter runs it */
    const char *unread;   /* what the file is, if it is not text in that language; else NULL */
};

/* NULL for a data file. If the name has no dot, only a link or a folder can be a module. */
const struct code_file *code_file_of(struct str path);

#endif
