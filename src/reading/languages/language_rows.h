/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_LANGUAGE_ROWS_H
#define LANGUAGES_LANGUAGE_ROWS_H

#include "languages/language.h"

extern const struct language language_rows[];
extern const size_t language_row_count;

/* Go: `complete` of its traits. */
int go_complete(struct str code, struct buf *ret);

#endif
