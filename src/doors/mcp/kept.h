/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of runs that are kept so that the client can read them later: long output, figures, files
 * of a sandbox that was removed. When there is too much, the oldest item of the owner with the most
 * bytes is dropped. Any thread may call these functions.
 */
#ifndef MCP_KEPT_H
#define MCP_KEPT_H

#include <jansson.h>

#include "base/buf.h"

enum { KEPT_MAX_BYTES = 128 << 20 }; /* limit of all items together, and so of each item */

struct kept;

struct kept *kept_new(void);
void kept_free(struct kept *kept);

/* Copies everything. False when the bytes alone are more than KEPT_MAX_BYTES. */
bool kept_add(struct kept *kept, const char *owner, const char *uri, struct str name,
              const char *mime, struct str bytes);
/* Appends a copy of the bytes; *ret_mime is a constant. False when the owner has no item with this
 * URI. */
bool kept_read(struct kept *kept, const char *owner, const char *uri, struct buf *ret,
               const char **ret_mime);
/* Appends {uri, name, mimeType, size} of each item of the owner to `array`, the oldest first. */
void kept_list(struct kept *kept, const char *owner, json_t *array);

#endif
