/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver: a program of ours that runs in the sandbox with Python, and has the user's program as
 * its file. It is at the beginning of standard input, and reads the rest of that itself.
 */
#ifndef JUDGE_DRIVER_H
#define JUDGE_DRIVER_H

#include "languages/language.h"
#include "session/session.h"

/* The driver as source, in several strings, and as bytecode for the Python with this magic
 * number. */
struct driver {
    const char *const *parts;
    const char *magic;
    const unsigned char *code;
    const unsigned long *code_size;
    const char *const *args; /* arguments for Python */
};

/* Appends the beginning of standard input. `candidate` has the profile, whose own code runs before
 * the candidate (run/first.h). */
void driver_add(struct buf *b, const struct driver *driver, const struct run_request *candidate);

/* A table with one language, the only one of a request. Its address must not change. */
struct only_language {
    struct language language;
    struct language *row;
    struct language_table table;
};

/* Makes *only a copy of `base` that is started with these arguments. */
void only_language_init(struct only_language *only, const struct language *base,
                        const char *const *args, struct run_request *request);
/* Makes *only a copy of `python` that is started with the driver. */
void driver_start_with(struct only_language *only, const struct language *python,
                       const struct driver *driver, struct run_request *request);

#endif
