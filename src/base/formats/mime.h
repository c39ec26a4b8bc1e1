/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FORMATS_MIME_H
#define FORMATS_MIME_H

#include <stddef.h>

/* mime_type needs at most this many bytes of a file's beginning. */
#define MIME_HEAD 512

/* The media type of a file: by the extension of its name, else by the first bytes of known formats,
 * else text/plain if these look like text, else application/octet-stream. `name` may be a whole
 * path and may hold any bytes; `head` is how the file begins. Returns a constant. */
const char *mime_type(const char *name, size_t n, const void *head, size_t head_n);
/* By the extension alone; NULL if it is unknown or missing. */
const char *mime_type_of_name(const char *name, size_t n);

#endif
