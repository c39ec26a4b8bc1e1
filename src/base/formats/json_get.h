/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads members of a JSON object. A member that is missing or has another type reads as empty, so a
 * document of another version or from a hostile sender needs no check at each member.
 */
#ifndef FORMATS_JSON_GET_H
#define FORMATS_JSON_GET_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* A string's bytes, owned by the value; an empty string for any other value. */
struct str json_str(const json_t *value);
/* The string up to its first NUL, or NULL. */
const char *json_get_text(const json_t *object, const char *key);
/* The string's bytes, or "". */
struct str json_get_str(const json_t *object, const char *key);
/* As json_get_text, but "" instead of NULL. */
const char *json_get_word(const json_t *object, const char *key);
/* The integer, or 0. */
int64_t json_get_int(const json_t *object, const char *key);
/* The string, or the decoded bytes of KEY_base64 if JSON could not hold them. `room` then holds
 * these; it is the caller's, initialised with buf_init. */
struct str json_get_bytes(const json_t *object, const char *key, struct buf *room);
bool json_get_true(const json_t *object, const char *key);

#endif
