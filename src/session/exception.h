/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_EXCEPTION_H
#define SESSION_EXCEPTION_H

#include "base/str.h"
#include "session/result.h"

/* Reads a Python traceback at the end of what a program wrote to its error stream; NULL when there
 * is none. The line is the innermost one in the user's own files, those below the folder `work`. */
struct result_exception *exception_read(struct str stderr_text, const char *work);
void exception_free(struct result_exception *e);

#endif
