/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program may be and may use, as data. A profile is a built-in policy with a name; a policy
 * file (the syntax of config files) starts from a profile and changes it.
 */
#ifndef GUARD_POLICY_H
#define GUARD_POLICY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct policy;

/* The profile of that name, the policy file at that path (a name with '/' or '.' in it), or the
 * policy with the text of such a file (a text with a line end in it). NULL with *err. Free it. */
struct policy *policy_open(const char *name, struct err *err);
bool policy_is_text(const char *name);
void policy_free(struct policy *p);

/* --allow-imports and --forbid-imports: module names, `a.*`, `*`. Allowing lifts a ban, or adds to
 * the list of allowed ones; where everything may be imported, it starts such a list. */
int policy_allow_import(struct policy *p, struct str name, struct err *err);
int policy_forbid_import(struct policy *p, struct str name, struct err *err);

const char *policy_name(const struct policy *p);

/* As a policy file that needs no base. */
void policy_print(const struct policy *p, struct buf *ret);

/* Whether the source of tools is judged together with each program (row K12), as it is where
 * tools are written by the model. */
bool policy_reads_tools(const struct policy *p);

/* Whether the guard reads programs in that language, and does not only measure them. */
bool policy_reads(struct str language);
/* The N of Python 3.N that programs are read as, if the request has no target; 0: the newest. */
unsigned policy_target(const struct policy *p);
/* Whether programs in that language, by the name of its row, may run under the policy. */
bool policy_allows_language(const struct policy *p, struct str name);
/* From now on, the policy allows only languages that the guard reads. `why` is the part that
 * requires this, for messages: "the host backend". The pointer is kept. */
void policy_only_read(struct policy *p, const char *why);
const char *policy_wants_read(const struct policy *p); /* that `why`; NULL: not required */

/* The built-in ones, for help: name and one line each; ends with a NULL name. */
struct profile_info {
    const char *name, *summary;
};
extern const struct profile_info profiles[];

#endif
