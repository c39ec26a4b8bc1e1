/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program may be and may use, as data. A profile is a built-in policy with a name; a policy
 * file (the syntax of config files) starts from a profile and changes it.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct policy;

/* Opens the profile with that name, the policy file at that path (a name that contains '/' or '.'),
 * or the policy in that string (if it contains a line end). Returns NULL with *err on failure. The
 * caller calls policy_free. */
struct policy *policy_open(const char *name, struct err *err);
bool policy_is_text(const char *name);
void policy_free(struct policy *p);

/* For --allow-imports and --forbid-imports: module names, `a.*`, `*`. policy_allow_import lifts a
 * ban, or adds to the list of allowed modules; if all modules were allowed, it starts that list. */
int policy_allow_import(struct policy *p, struct str name, struct err *err);
int policy_forbid_import(struct policy *p, struct str name, struct err *err);

const char *policy_name(const struct policy *p);
/* The name of a built-in profile, as a constant; NULL for a policy file. */
const char *policy_profile(const struct policy *p);

/* Prints a policy file that needs no base. */
void policy_print(const struct policy *p, struct buf *ret);

/* True if the source of tools is judged together with each program, for tools that a model
 * wrote. */
bool policy_reads_tools(const struct policy *p);

/* True if the guard reads programs in that language; otherwise it only measures their size. */
bool policy_reads(struct str language);
/* Programs are read as Python 3.N if the request has no target. Returns the N; 0: the newest
 * version. */
unsigned policy_target(const struct policy *p);
/* True if the policy lets programs in that language run. The name is that of the language's row. */
bool policy_allows_language(const struct policy *p, struct str name);
/* From now on, the policy allows only languages that the guard reads. `why` is the part that
 * requires this, for messages: "the host backend". The pointer is kept. */
void policy_only_read(struct policy *p, const char *why);
const char *policy_wants_read(const struct policy *p); /* `why` of policy_only_read; NULL: not
                                                          called */

/* The built-in policies, for help: a name and one line about each. A NULL name ends the list. */
struct profile_info {
    const char *name, *summary;
};
extern const struct profile_info profiles[];

#endif
