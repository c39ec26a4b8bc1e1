/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_ENVIRONMENT_H
#define REQUEST_ENVIRONMENT_H

#include "request/request.h"

/* Makes the guest's environment. It is built from scratch, and never contains the host's. The
 * folders of `called` (may be NULL) and of `interpreter` are first in $PATH; if the interpreter's
 * name has no slash, there is no $PATH. `limit` is a variable of ours that the user's may replace,
 * or NULL. NULL on failure; the caller frees with environment_free. */
char **environment_make(const struct run_request *request, const char *interpreter,
                        const char *called, const char *limit, struct err *err);
void environment_free(char **env);

#endif
