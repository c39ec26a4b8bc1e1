/* SPDX-License-Identifier: Apache-2.0
 *
 * Between format.c, which has our own text, and format_profiles.c, which has those of others.
 */
#ifndef TEXT_FORMAT_PROFILES_H
#define TEXT_FORMAT_PROFILES_H

#include "text/format.h"

/* How many bytes the first n characters take. */
size_t format_characters(struct str s, size_t n);
void format_tests(const struct finished *run, struct buf *out);
void format_agentos(const struct finished *run, struct buf *out);
void format_markdown(const struct finished *run, struct buf *out);
void format_extract_markdown(struct str text, void (*each)(void *ctx, struct str output),
                             void *ctx);

#endif
