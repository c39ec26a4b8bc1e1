/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a check (check.c, check_language.c, check_refusal.c); used by no other files.
 */
#ifndef RUN_CHECK_PARTS_H
#define RUN_CHECK_PARTS_H

#include "backends/backend.h"
#include "run/check.h"

/* The backend that the request names. NULL if it names none, or an unknown one. */
const struct backend *check_backend(const struct run_request *q);
/* Sets the options for parsing the code, unless it was parsed already; `target` 0: the policy
 * decides. */
void check_aim(struct examination *e, unsigned target);
/* The N of Python 3.N that the request or its language names; 0: none. */
unsigned check_python_target(const struct examination *e);
/* Changes the hint about a text that does not parse and is a reply with a program in fences. */
void check_notice_fences(struct str code, struct verdict *v);
/* Fills in the members of a refused result besides its verdict; `file` is the program's name. */
void check_describe_refusal(struct result *r, const char *file);

#endif
