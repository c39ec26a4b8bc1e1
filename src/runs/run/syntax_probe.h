/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks with the tools of languages other than Python whether a program's syntax is valid: `node
 * --check`, `bash -n`, `sh -n`, R's parse(). They run in the jail, and nothing of the program runs.
 */
#ifndef RUN_SYNTAX_PROBE_H
#define RUN_SYNTAX_PROBE_H

#include "guard/guard.h"
#include "request/request.h"

/* The rule of a finding that gives the reason why a program's syntax was not checked: no tool, no
 * jail. */
extern const struct rule_info syntax_unchecked_rule;

/* Adds the tool's error message to the verdict of a program that was allowed so far. The request
 * has the required layers of the wall, and the program's code, file and language. */
void syntax_probe(const struct run_request *request, const struct language *language,
                  struct verdict *verdict);

/* ---- for its test ---- */

struct syntax_complaint {
    uint32_t line, column; /* from 1; 0 if unknown */
    char *message;         /* the caller frees */
};

/* Finds the error message about the file in a tool's output. False if there is none. */
bool syntax_complaint_read(struct str text, const char *file, struct syntax_complaint *ret);

#endif
