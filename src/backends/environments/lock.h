/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of requirements with hashes, as pip reads them and env_export writes them: a requirement on
 * each line, and "--hash=sha256:HEX" behind it.
 */
#ifndef ENVIRONMENTS_LOCK_H
#define ENVIRONMENTS_LOCK_H

#include "base/buf.h"
#include "base/err.h"

/* Splits the text into requirements, for requirements_read, and hashes, which the caller frees with
 * requirements_done; NULL if there are none. A line may go on after a backslash. Other options are
 * refused with ERR_USAGE. */
int env_lock_read(struct str text, struct buf *ret_requirements, char ***ret_hashes,
                  struct err *err);

#endif
