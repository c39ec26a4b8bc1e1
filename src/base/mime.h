/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_MIME_H
#define BASE_MIME_H

#include <stddef.h>

/* How much of a file's beginning is worth passing to mime_type. */
#define MIME_HEAD 512

/* The media type of a file: by the extension of its name, else by the first bytes of known formats,
 * else text/plain when they look like text, else application/octet-stream. `name` may be a whole
 * path and may hold any bytes; `head` is how the file begins. The answer is a constant. */
const char *mime_type(const char *name, size_t n, const void *head, size_t head_n);
/* By the extension alone; NULL if it says nothing. */
const char *mime_type_of_name(const char *name, size_t n);

#endif
