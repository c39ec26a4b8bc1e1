/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program says about its own packages (PEP 723):
 *
 *     # /// script
 *     # requires-python = ">=3.11"
 *     # dependencies = ["numpy", "pandas>=2"]
 *     # ///
 */
#ifndef ENVIRONMENTS_SCRIPT_H
#define ENVIRONMENTS_SCRIPT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct env_script {
    bool found;
    struct buf requirements; /* a line for each, for requirements_read */
    char python[100];        /* "requires-python", or "" */
};

/* -1 with ERR_USAGE if the block cannot be read. Call env_script_done in both cases. */
int env_script_read(struct str code, struct env_script *ret, struct err *err);
void env_script_done(struct env_script *script);
/* True if Python 3.N satisfies ">=3.11, <3.13". Only the first two numbers of a version count. */
bool env_script_fits(const char *versions, unsigned minor);

#endif
