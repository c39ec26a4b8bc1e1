/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading members of a JSON object. What is missing, or of another type, reads as nothing, so a
 * document of another version or of a hostile sender needs no checks at each member.
 */
#ifndef BASE_JSON_GET_H
#define BASE_JSON_GET_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* A string's bytes; nothing for another value. They belong to the value. */
struct str json_str(const json_t *value);
/* The string up to its first NUL; NULL for none. */
const char *json_get_text(const json_t *object, const char *key);
/* 0 for none. */
int64_t json_get_int(const json_t *object, const char *key);
/* The string, or the bytes of KEY_base64 beside it where JSON could not hold them. `room` is for
 * these; the caller's, as after buf_init. */
struct str json_get_bytes(const json_t *object, const char *key, struct buf *room);
bool json_get_true(const json_t *object, const char *key);

#endif
