/* SPDX-License-Identifier: Apache-2.0
 *
 * What a file is by its content. For beside.c.
 */
#ifndef SESSION_BESIDE_CONTENT_H
#define SESSION_BESIDE_CONTENT_H

#include "base/buf.h"
#include "languages/code_files.h"
#include "session/beside.h"
#include "workspace/workspace_each.h"

/* Whether a file of this row could run there; NULL is data. */
bool beside_counts(const struct beside *b, const struct code_file *row);
/* All of it; the buffer's limit is the caller's. What is read counts in b->read: ERR_LIMIT beyond
 * 256 MiB. */
int beside_content(struct beside *b, const struct workspace_entry *entry, struct buf *ret,
                   struct err *err);
/* *ret is what a file without a name of code is after all: machine code, or an archive with
 * modules, under any name; else it stays as it was. */
int beside_unread_content(struct beside *b, const struct workspace_entry *entry, const char **ret,
                          struct err *err);

#endif
