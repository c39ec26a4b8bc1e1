/* SPDX-License-Identifier: Apache-2.0
 *
 * Traits: the differences between languages that our own code depends on. Code that reads a trait
 * does not compare the language's name.
 */
#ifndef LANGUAGES_TRAITS_H
#define LANGUAGES_TRAITS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* How interpreters report errors: src/runs/explain/ has a reader and advice for each. */
enum language_errors {
    ERRORS_OTHER,
    ERRORS_PYTHON,
    ERRORS_NODE,
    ERRORS_R,
    ERRORS_SHELL,
    ERRORS_COUNT
};

/* How code that must run before a program gets to its interpreter (run/first.h). */
enum language_first {
    FIRST_NOWHERE,
    FIRST_BY_RUNNER, /* `--first TEXT`, an option of our runner's */
    FIRST_BY_FILE,   /* `--require FILE`, an option of the interpreter */
};

/* The names that a language takes from a program's text. */
struct program_names {
    char file[256]; /* the file that the compiler expects */
    char main[512]; /* what has its main() */
};

struct language_traits {
    enum language_errors errors;
    bool
        errors_of_others; /* the last error of a program is often another program's, or a warning */
    bool cells_trace;     /* the location of an exception is only in a cell's traceback */
    bool crash_in_words;  /* only the output shows if the program raised or set an exit status */
    bool has_calls;       /* the judge's driver can call its functions */
    bool has_final_answer; /* its sessions know the function final_answer */
    bool long_strings;     /* a string may hold lines that look like the fence of a code block */
    bool is_notebook;      /* people expect the commands of IPython at its prompt */
    bool has_versions;  /* --python and a program's first line choose its interpreter (pythons.h) */
    bool calls_python;  /* its programs call python3: the Python of this place is in their $PATH */
    bool whole_replies; /* a model's reply without a code block may be a program as a whole */
    bool has_data;      /* `analyze` binds `data` in its programs, and lists the host's packages */
    enum language_first first;
    const char *const
        *judge_args; /* arguments for a program that judges, used if the row's own arguments start
                        our runner: the program reads no folders, variables or files of any person,
                        and an exception has an exit status of its own. NULL: the row's arguments */
    /* A cell that runs a bash command in the folder of the session's files, with the exit status as
     * its value. "%s" is the command as a JSON string, which is a literal in these languages. NULL:
     * cells are commands already. */
    const char *command_cell;
    const char *const *exits;           /* lines that leave the prompt */
    bool (*continues)(struct str text); /* true if a typed cell needs more lines */
    /* NULL: the language's sessions check names themselves */
    bool (*is_variable)(struct str name);
    const char *(*extension_for)(struct str code); /* NULL, or returns NULL: as the row says */
    /* Sets the names of a program whose compiler requires certain ones; false if the text has none.
     * NULL: any name will do. */
    bool (*names)(struct str code, struct program_names *ret);
    /* Appends the program that a text stands for which the language does not take alone; the lines
     * keep their numbers. NULL: every text is run as it is. */
    int (*complete)(struct str code, struct buf *ret);
};

/* The traits of an unknown language. */
extern const struct language_traits no_traits;

#endif
