/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out from the content of a file whether it could be code. For beside.c.
 */
#ifndef RUN_BESIDE_CONTENT_H
#define RUN_BESIDE_CONTENT_H

#include "base/buf.h"
#include "languages/code_files.h"
#include "run/beside.h"
#include "workspace/workspace_each.h"

/* True if a file of this row could run there; a NULL row is data, which cannot. */
bool beside_counts(const struct beside *b, const struct code_file *row);
/* Reads the whole file; the caller has set the buffer's limit. Adds the bytes to b->read: ERR_LIMIT
 * beyond 256 MiB. */
int beside_content(struct beside *b, const struct workspace_entry *entry, struct buf *ret,
                   struct err *err);
/* For a file whose name is not one of code: sets *ret to a description if its content is machine
 * code or an archive with modules. Otherwise *ret is unchanged. */
int beside_unread_content(struct beside *b, const struct workspace_entry *entry, const char **ret,
                          struct err *err);

#endif
