/* SPDX-License-Identifier: Apache-2.0
 *
 * Code that runs before the program, in its interpreter: --data binds JSON files to variables, and
 * --optimize-data reads the CSV files among the inputs and reports their contents. The program's
 * text is not changed, so that line numbers in its tracebacks stay right.
 */
#ifndef RUN_FIRST_H
#define RUN_FIRST_H

#include "base/buf.h"
#include "request/request.h"
#include "text/context.h"
#include "text/data_files.h"
#include "workspace/workspace.h"

struct first {
    bool skips_annotations; /* Python's runner does not evaluate the program's annotations */
    struct buf text;        /* for Python's runner; empty if there is none */
    char *file;             /* for Node: a file in the workspace; NULL for none */
    struct data_table *tables;
    size_t table_count;
};

/* Reads the entries of `laid`, and adds the files that its own code needs. Tables that `context`
 * (or NULL) lists as processed are read, but not reported again. End with first_done, also after
 * -1. */
int first_make(const struct run_request *q, const struct language *language,
               const struct context *context, struct lay_list *laid, struct first *ret,
               struct err *err);
void first_done(struct first *first);

/* ---- profile_first.c: what the programs of a profile find ---- */

/* True if Python must not evaluate annotations: smolagents does not, so its programs may use names
 * there that they never import. */
bool profile_skips_annotations(const struct run_request *q);
/* True for kodeagent, and for codeact, which adds modules to it. */
bool profile_is_kodeagent(const struct run_request *q);
/* Appends the Python code that runs before a program of the request's profile, or before the first
 * cell of a session; nothing for most profiles. For smolagents, the code fails when a module of
 * --allow-imports is not installed, brings the functions that need no import there, and adds
 * smolagents' words to exceptions. */
void profile_first(const struct run_request *q, bool session, struct buf *out);

#endif
