/* SPDX-License-Identifier: Apache-2.0
 *
 * The step before the run of a compiled program. The compiler is a run of its own: the same
 * backend and wall, its own limits, no network, none of the program's variables and arguments. What
 * it makes is taken out like the files of any run, kept under a key of everything that it depends
 * on (compiled/compiled.h), and shown to the program read-only.
 */
#ifndef RUN_COMPILE_H
#define RUN_COMPILE_H

#include "compiled/compiled.h"
#include "run/prepare.h"
#include "run/reporter.h"

struct compile_input {
    const struct run_request *request;
    const struct prepared *prepared;
    const struct reporter *reporter; /* its result gets `compile`, and the exception of a failure */
    const char *name;                /* the program's file */
    struct str text;                 /* with the prelude */
    int64_t prelude_lines;
    struct lay_list *laid; /* all files of the run */
};

/* Returns 0 with the product. 1 if the program cannot be compiled, which the result says, or if the
 * run was cancelled. -1 with *err for a failure of ours. End with compiled_done in each case. */
int compile_program(const struct compile_input *in, struct compiled *ret, struct err *err);
/* Shows the product to the run: sets the interpreter of *prepared, or adds to it, or to the files
 * where the backend shows nothing of this host. Returns the product's path inside; the caller
 * frees. NULL with *err. */
char *compile_show(struct prepared *prepared, const struct compiled *compiled,
                   struct lay_list *laid, struct err *err);

#endif
