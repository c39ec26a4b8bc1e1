/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_LANGUAGE_ROWS_H
#define LANGUAGES_LANGUAGE_ROWS_H

#include "languages/language.h"

/* A list of strings that ends with NULL. */
#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

extern const struct language language_rows[];
extern const size_t language_row_count;

extern const struct language_traits python_traits, javascript_traits, r_traits, shell_traits,
    go_traits, java_traits, kotlin_traits, typescript_traits;

/* Go: `complete` of its traits. */
int go_complete(struct str code, struct buf *ret);
/* Java: `names` of its traits. */
bool java_names(struct str code, struct program_names *ret);
/* The same for Kotlin. */
bool kotlin_names(struct str code, struct program_names *ret);

#endif
