/* SPDX-License-Identifier: Apache-2.0
 *
 * Preludes that Glovebox brings. --prelude takes a name of these in place of a file, and a request
 * in place of the text:
 *
 *     vertex    what ADK's Vertex executor puts before a program: imports, crop, explore_df
 */
#ifndef LANGUAGES_PRELUDES_H
#define LANGUAGES_PRELUDES_H

#include "base/buf.h"
#include "languages/language.h"

bool prelude_is_ready(struct str name);
/* Appends its text. */
int prelude_add_ready(struct str name, struct buf *ret);
/* The language that a prelude states by its name; NULL for none. */
const struct language *prelude_language(const struct language_table *languages,
                                        const char *prelude);

#endif
