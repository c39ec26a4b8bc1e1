/* SPDX-License-Identifier: Apache-2.0
 *
 * One member in a JSON file that a person wrote: comments, trailing commas, order and layout of
 * everything else stay as they are.
 */
#ifndef CLI_JSON_EDIT_H
#define CLI_JSON_EDIT_H

#include <jansson.h>

#include "base/buf.h"

/* Appends the text with text[section][name] = value; an empty text is an empty object. -1 when the
 * text is not an object, or its section is none. */
int json_edit(struct str text, const char *section, const char *name, const json_t *value,
              struct buf *ret);

#endif
