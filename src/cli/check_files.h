/* SPDX-License-Identifier: Apache-2.0
 *
 * The files behind `glovebox check FILE | DIR...`. A file that is named is always taken; of a
 * folder, and the folders in it, those whose ending belongs to a language.
 */
#ifndef CLI_CHECK_FILES_H
#define CLI_CHECK_FILES_H

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

/* Adds what an operand names, a folder's files in the order of their names. Not entered are folders
 * whose name begins with a dot, __pycache__, node_modules, and links to folders. */
void check_files_add(struct check_files *files, const char *operand,
                     const struct language_table *languages);
void check_files_done(struct check_files *files);

#endif
