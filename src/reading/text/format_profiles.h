/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that format.c, which writes our own format, and format_profiles.c, which writes those
 * of other systems, share.
 */
#ifndef TEXT_FORMAT_PROFILES_H
#define TEXT_FORMAT_PROFILES_H

#include "text/format.h"

/* The info string of a block whose text has no line end. */
#define FORMAT_UNENDED "text (no newline at the end)"

/* The length of the longest run of `mark`. */
size_t format_longest_run(struct str text, char mark);
void format_add_run(struct buf *out, char mark, size_t n);
/* The number of bytes of the first n characters. */
size_t format_characters(struct str s, size_t n);
void format_tests(const json_t *run, struct buf *out);
void format_agentos(const json_t *run, struct buf *out);
void format_markdown(const json_t *run, struct buf *out);
void format_extract_markdown(struct str text, void (*each)(void *ctx, struct str output),
                             void *ctx);

#endif
