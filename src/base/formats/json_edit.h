/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets one member in a JSON file that a person wrote. Comments, trailing commas, order and layout
 * of everything else stay as they are.
 */
#ifndef FORMATS_JSON_EDIT_H
#define FORMATS_JSON_EDIT_H

#include <jansson.h>

#include "base/buf.h"

/* Appends the text with text[section][name] = value, or, if the value is NULL, without that member;
 * an empty text counts as an empty object. -1
 * when the text is not an object, or its section is not. */
int json_edit(struct str text, const char *section, const char *name, const json_t *value,
              struct buf *ret);

#endif
