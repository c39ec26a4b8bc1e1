/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that `glovebox check FILE | DIR...` reads. A named file is always checked. In a folder
 * and its subfolders, files with a suffix of a language are checked.
 */
#ifndef REPORT_CHECK_FILES_H
#define REPORT_CHECK_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "languages/language.h"

struct check_path {
    char *path;
    int sys; /* errno for a folder that cannot be read; 0 otherwise */
};

struct check_files {
    struct check_path *at;
    size_t n, room;
};

/* Adds the files of an operand; those of a folder in the order of their names. Skips folders whose
 * name begins with a dot, __pycache__, node_modules, and links to folders. */
void check_files_add(struct check_files *files, const char *operand,
                     const struct language_table *languages);
void check_files_done(struct check_files *files);

#endif
