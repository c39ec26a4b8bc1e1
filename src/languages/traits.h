/* SPDX-License-Identifier: Apache-2.0
 *
 * What our own code does otherwise for one language than for another. Who reads a trait does not
 * ask for the language's name.
 */
#ifndef LANGUAGES_TRAITS_H
#define LANGUAGES_TRAITS_H

#include <stdbool.h>

#include "base/str.h"

/* How interpreters report errors: src/explain/ has a reader and advice for each. */
enum language_errors {
    ERRORS_OTHER,
    ERRORS_PYTHON,
    ERRORS_NODE,
    ERRORS_R,
    ERRORS_SHELL,
    ERRORS_COUNT
};

/* How code that runs before a program reaches its interpreter (session/first.h). */
enum language_first {
    FIRST_NOWHERE,
    FIRST_BY_RUNNER, /* `--first TEXT`, an option of our runner's */
    FIRST_BY_FILE,   /* `--require FILE`, one of the interpreter's */
};

struct language_traits {
    enum language_errors errors;
    bool
        errors_of_others; /* what ended a program is often another program's word, or a warning's */
    bool cells_trace;     /* only the traceback of a cell tells where an exception was raised */
    bool crash_in_words;  /* only what a program wrote tells an exception from an exit status */
    bool has_calls;       /* the judge's driver can call its functions */
    bool long_strings;    /* a string may hold lines that look like the fence of a code block */
    bool is_notebook;     /* people expect the commands of IPython at its prompt */
    enum language_first first;
    const char *const
        *judge_args;          /* starts a program that judges, where the row's args have our
                                 runner: nobody's folders, variables or files are looked into,
                                 and an exception has a status of its own. NULL: as any other */
    const char *const *exits; /* what leaves the prompt, a line each */
    bool (*continues)(struct str text);            /* a cell that is typed needs more lines */
    bool (*is_variable)(struct str name);          /* NULL: its sessions look at names themselves */
    const char *(*extension_for)(struct str code); /* NULL, or its answer is: the row's */
};

/* Of a language that we know nothing of. */
extern const struct language_traits no_traits;

#endif
