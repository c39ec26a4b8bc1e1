/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run leaves for the client to read later: long output, figures, files of a sandbox that is
 * gone. When there are too many, the owner with the most bytes loses its oldest. Any thread.
 */
#ifndef MCP_KEPT_H
#define MCP_KEPT_H

#include <jansson.h>

#include "base/buf.h"

enum { KEPT_MAX_BYTES = 128 << 20 }; /* of all together, so of one as well */

struct kept;

struct kept *kept_new(void);
void kept_free(struct kept *kept);
bool kept_any(struct kept *kept);

/* Copies all of it. False when the bytes alone are too many. */
bool kept_add(struct kept *kept, const char *owner, const char *uri, struct str name,
              const char *mime, struct str bytes);
/* Drops all that the owner of this name has. */
void kept_forget(struct kept *kept, const char *name);
/* Appends a copy of the bytes; *ret_mime is a constant. False when the owner has none with this
 * URI. */
bool kept_read(struct kept *kept, const char *owner, const char *uri, struct buf *ret,
               const char **ret_mime);
/* Appends {uri, name, mimeType, size} of each of the owner to an array, the oldest first. */
void kept_list(struct kept *kept, const char *owner, json_t *array);

#endif
