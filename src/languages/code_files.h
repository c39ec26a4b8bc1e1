/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that an interpreter takes for code by their names alone: a module beside the program, a
 * file that is run at a start.
 */
#ifndef LANGUAGES_CODE_FILES_H
#define LANGUAGES_CODE_FILES_H

#include <stdbool.h>

#include "base/str.h"

struct code_file {
    const char *suffix;
    const char *language; /* the name of the row whose interpreter takes it */
    const char *unread;   /* what it is, if it is no text in that language; NULL: it is */
};

/* NULL for data. Of a name without a dot, only a link or a folder can be a module. */
const struct code_file *code_file_of(struct str path);

#endif
