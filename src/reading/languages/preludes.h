/* SPDX-License-Identifier: Apache-2.0
 *
 * Built-in preludes. --prelude accepts their names instead of a file, and a request accepts them
 * instead of the prelude's text:
 *
 *     vertex    what ADK's Vertex executor puts before a program: imports, crop, explore_df
 */
#ifndef LANGUAGES_PRELUDES_H
#define LANGUAGES_PRELUDES_H

#include "base/buf.h"
#include "languages/language.h"

bool prelude_is_ready(struct str name);
/* Appends the text of a built-in prelude. */
int prelude_add_ready(struct str name, struct buf *ret);
/* The language that a prelude's name states; NULL if it states none. */
const struct language *prelude_language(const struct language_table *languages,
                                        const char *prelude);

#endif
