/* SPDX-License-Identifier: Apache-2.0
 *
 * A key must not be in anything that is shown, whatever a server sends.
 */
#ifndef BASE_HIDE_KEY_H
#define BASE_HIDE_KEY_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

/* Appends the text with every piece of the key replaced by "[key]". Servers quote keys, whole or in
 * part: 8 characters in a row are a piece. */
void hide_key(struct buf *b, struct str text, const char *key);

/* Whether the key is hidden in what a model wrote. A server on one's own machine takes any word as
 * a key, such as EMPTY, and that word stands in programs. */
bool hide_key_is_secret(const char *key);
/* The text without the key if that is secret and in it, else NULL; the caller frees. */
char *hide_key_text(struct str text, const char *key);
/* The same value without the key in its texts and names, whatever escapes the document had. Takes
 * the value over; NULL is fine. */
json_t *hide_key_json(json_t *value, const char *key);
/* The beginning of the text that can be shown while more of it may come: it ends before what may be
 * the beginning of the key. */
size_t hide_key_free_part(struct str text, const char *key);

#endif
