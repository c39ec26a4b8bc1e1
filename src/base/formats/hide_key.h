/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes a key from everything that is shown, whatever a server sends.
 */
#ifndef FORMATS_HIDE_KEY_H
#define FORMATS_HIDE_KEY_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

/* Appends the text with every part of the key replaced by "[key]". Servers quote keys, whole or in
 * part: 8 characters in a row count as a part. */
void hide_key(struct buf *b, struct str text, const char *key);

/* True if the key is to be hidden in text that a model wrote. A server on the user's own machine
 * accepts any word as a key, such as EMPTY, and programs may contain that word: keys of less than 8
 * characters are not hidden there. */
bool hide_key_is_secret(const char *key);
/* Returns the text without the key, if the key is secret and in the text; else NULL. The caller
 * frees. */
char *hide_key_text(struct str text, const char *key);
/* Returns the value without the key in its strings and member names, however the document escaped
 * them. Takes ownership of the value; NULL is fine. */
json_t *hide_key_json(json_t *value, const char *key);
/* The length of the beginning that can be shown while more text may follow: it stops before bytes
 * that may be the beginning of the key. */
size_t hide_key_free_part(struct str text, const char *key);

#endif
