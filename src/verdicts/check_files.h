/* SPDX-License-Identifier: Apache-2.0
 *
 * The files behind `glovebox check FILE | DIR...`. A file that is named is always checked; in a
 * folder and its subfolders, the files with the ending of a language are.
 */
#ifndef VERDICTS_CHECK_FILES_H
#define VERDICTS_CHECK_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "languages/language.h"

struct check_path {
    char *path;
    int sys; /* errno: a folder that cannot be read */
};

struct check_files {
    struct check_path *at;
    size_t n, room;
};

/* Adds the files of an operand, those of a folder in the order of their names. Skips folders with a
 * name that begins with a dot, __pycache__, node_modules, and links to folders. */
void check_files_add(struct check_files *files, const char *operand,
                     const struct language_table *languages);
void check_files_done(struct check_files *files);

#endif
