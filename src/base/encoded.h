/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes inside JSON. "abcd" is text and base64 at once, so a second member names the encoding.
 */
#ifndef BASE_ENCODED_H
#define BASE_ENCODED_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Any bytes as a JSON string, with U+FFFD for what is not UTF-8. */
json_t *json_text(struct str s);
/* The same; null for an empty text. */
json_t *json_text_or_null(struct str s);
/* The same as object[key], and object[key_base64] with all bytes when some were replaced. */
void encoded_set_text(json_t *object, const char *key, struct str s);

/* The bytes behind content and encoding ("" is utf-8). -1 with ERR_USAGE. With base64 ret may be
 * NULL: then it only looks. */
int encoded_read(struct str content, struct str encoding, struct buf *ret, struct err *err);

#endif
