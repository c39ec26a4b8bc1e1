/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_ENVIRONMENT_H
#define RUN_ENVIRONMENT_H

#include "request/request.h"

/* Makes the guest's environment. It is built from scratch, and never contains the host's. The
 * folder of `interpreter` is first in $PATH; if the name has no slash, there is no $PATH. NULL on
 * failure; the caller frees with environment_free. */
char **environment_make(const struct run_request *request, const char *interpreter,
                        struct err *err);
void environment_free(char **env);

#endif
