/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes inside JSON. "abcd" is text and base64 at once, so whoever encodes says which it is.
 */
#ifndef BASE_ENCODED_H
#define BASE_ENCODED_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Any bytes as a JSON string, with U+FFFD for what is not UTF-8. */
json_t *encoded_text(struct str s);
/* The same as object[key], and object[key_base64] with all bytes when some were replaced. */
void encoded_set_text(json_t *object, const char *key, struct str s);

/* {name, mime_type, size, content, encoding}: a file's content is itself where it is UTF-8 without
 * NUL ("utf-8"), else "base64". */
json_t *encoded_file(struct str name, struct str bytes);
/* The bytes behind content and encoding ("" is utf-8). -1 with ERR_USAGE. With base64 ret may be
 * NULL: then it only looks. */
int encoded_read(struct str content, struct str encoding, struct buf *ret, struct err *err);

/* google/adk's way: what could be base64 stays as it is, all else becomes it. -1 at the ceiling. */
int encoded_adk(struct str bytes, struct buf *ret);

#endif
