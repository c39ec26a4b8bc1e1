/* SPDX-License-Identifier: Apache-2.0
 *
 * How an interpreter is called.
 */
#ifndef RUN_ARGUMENTS_H
#define RUN_ARGUMENTS_H

#include "languages/language.h"
#include "limits/limits.h"
#include "run/first.h"

/* The frames that the runner sends through its channel (run_display.h). */
enum rich_wish {
    RICH_NOTHING, /* it has no channel */
    RICH_DISPLAYS,
    RICH_VALUE, /* displays, and the value of a last expression */
};
struct arguments {
    const struct language *language;
    const char *interpreter; /* or the compiled program */
    const char *name;        /* the program's file in the workspace */
    const char *product;     /* what the compiler has made, for "{out}"; or NULL */
    const char *main;        /* the class that has the program's main(), for "{main}"; or NULL */
    const struct first *first;
    enum rich_wish wish;
    const struct jail_limits *limits; /* that hold, for the row's `heap` */
    char *const *own;                 /* the program's own; NULL-terminated, or NULL */
};

/* Returns the interpreter, the arguments in its language's row, and the program's own;
 * NULL-terminated, to be freed with environment_free. */
char **arguments_make(const struct arguments *a);

/* Returns the interpreter and the arguments that start its server of cells; the row must have
 * one. */
char **arguments_cells(const struct language *language, const char *interpreter,
                       const struct jail_limits *limits);
/* Returns the variable by which the row's `heap` passes the limits on, such as "GOMEMLIMIT=384MiB";
 * NULL if there is none. The caller frees. */
char *arguments_variable(const struct language *language, const struct jail_limits *limits);

/* A word in braces, and its value; NULL: it stays as it is. A list ends with a NULL word. */
struct filling {
    const char *word, *value;
};
/* Returns the text with these words replaced; the caller frees. */
char *arguments_fill(const char *text, const struct filling *fill);

#endif
