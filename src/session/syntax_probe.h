/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the tools of other languages than Python whether they can read a program: `node --check`,
 * `bash -n`, `sh -n`, R's parse(). They run in the jail, and nothing of the program runs.
 */
#ifndef SESSION_SYNTAX_PROBE_H
#define SESSION_SYNTAX_PROBE_H

#include "guard/guard.h"
#include "request/request.h"

/* The rule of the finding with the reason why a program's syntax was not checked: no tool, no
 * jail. */
extern const struct rule_info syntax_unchecked_rule;

/* Adds the tool's complaint to the verdict of a program that was allowed so far. The request has
 * the required layers of the wall, and the program's code, file and language. */
void syntax_probe(const struct run_request *request, const struct language *language,
                  struct verdict *verdict);

/* ---- for its test ---- */

struct syntax_complaint {
    uint32_t line, column; /* from 1; 0 unknown */
    char *message;         /* the caller's */
};

/* Finds the complaint about the file in a tool's output. False when there is none. */
bool syntax_complaint_read(struct str text, const char *file, struct syntax_complaint *ret);

#endif
