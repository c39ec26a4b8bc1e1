/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_ENVIRONMENT_H
#define SESSION_ENVIRONMENT_H

#include "request/request.h"

/* The guest's environment, built from scratch, never from the host's. `interpreter` leads $PATH;
 * without a slash in its name there is no $PATH. NULL on failure; the caller frees with
 * environment_free. */
char **environment_make(const struct run_request *request, const char *interpreter,
                        struct err *err);
void environment_free(char **env);

#endif
