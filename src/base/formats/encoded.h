/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes inside JSON. "abcd" is valid text and valid base64, so a second member names the encoding.
 */
#ifndef FORMATS_ENCODED_H
#define FORMATS_ENCODED_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Any bytes as a JSON string, with U+FFFD for each byte that is not UTF-8. */
json_t *json_text(struct str s);
/* As json_text, but null for an empty string. */
json_t *json_text_or_null(struct str s);
/* {"kind", "message"}, as errors are in every document. */
json_t *json_error(const struct err *err);
/* Sets object[key] as json_text does, and object[key_base64] to all bytes if some were replaced. */
void encoded_set_text(json_t *object, const char *key, struct str s);

/* Decodes `content` by `encoding` ("" is utf-8). -1 with ERR_USAGE. With base64, ret may be NULL:
 * then the content is only checked. */
int encoded_read(struct str content, struct str encoding, struct buf *ret, struct err *err);

#endif
