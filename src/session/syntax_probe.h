/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the tools of other languages than Python whether they can read a program: `node --check`,
 * `bash -n`, `sh -n`, R's parse(). They run in the jail, and nothing of the program runs.
 */
#ifndef SESSION_SYNTAX_PROBE_H
#define SESSION_SYNTAX_PROBE_H

#include "guard/guard.h"
#include "request/request.h"

/* The rule of the finding that says why a program's syntax was not checked: no tool, no jail. */
extern const struct rule_info syntax_unchecked_rule;

/* Adds what the tool says to the verdict of a program that was allowed so far. The request says
 * what is needed of the wall; its code, file and language are the program's. */
void syntax_probe(const struct run_request *request, const struct language *language,
                  struct verdict *verdict);

/* ---- for its test ---- */

struct syntax_complaint {
    uint32_t line, column; /* from 1; 0 unknown */
    char *message;         /* the caller's */
};

/* Reads the complaint about the file out of what a tool wrote. False when there is none. */
bool syntax_complaint_read(struct str text, const char *file, struct syntax_complaint *ret);

#endif
