/* SPDX-License-Identifier: Apache-2.0
 *
 * Traits: the differences between languages that our own code depends on. Code that reads a trait
 * does not compare the language's name.
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
        errors_of_others; /* the last error of a program is often another program's, or a warning */
    bool cells_trace;     /* only the traceback of a cell has the place of an exception */
    bool crash_in_words;  /* only its output distinguishes an exception from an exit status */
    bool has_calls;       /* the judge's driver can call its functions */
    bool has_final_answer; /* its sessions know the function final_answer */
    bool long_strings;     /* a string may hold lines that look like the fence of a code block */
    bool is_notebook;      /* people expect the commands of IPython at its prompt */
    bool has_versions; /* --python and a program's first line choose its interpreter (pythons.h) */
    enum language_first first;
    const char *const
        *judge_args;          /* starts a program that judges, where the row's args have our
                                 runner: it uses no folders, variables or files of any person,
                                 and an exception has a status of its own. NULL: as any other */
    const char *const *exits; /* lines that leave the prompt */
    bool (*continues)(struct str text);            /* whether a typed cell needs more lines */
    bool (*is_variable)(struct str name);          /* NULL: its sessions check names themselves */
    const char *(*extension_for)(struct str code); /* NULL, or it returns NULL: the row's */
};

/* For an unknown language. */
extern const struct language_traits no_traits;

#endif
