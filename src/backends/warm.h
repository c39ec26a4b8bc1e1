/* SPDX-License-Identifier: Apache-2.0
 *
 * How a program may be started before its job is known (a warm start): plain data, which the caller
 * makes from what it knows of the language. A backend that starts nothing early ignores it.
 */
#ifndef BACKENDS_WARM_H
#define BACKENDS_WARM_H

#include "base/str.h"

enum backend_early {
    EARLY_PLACE,   /* everything except the program */
    EARLY_PROGRAM, /* the program as well, with the job's argv. It waits: for frames on its channel,
                      or for its own text, when it opens the file `waits_for` */
    EARLY_ZYGOTE,  /* an interpreter that has loaded everything except the program; a fork of it
                      becomes the guest */
};

/* What it points to lives as long as the job. */
struct backend_warm {
    enum backend_early early;
    char **argv;            /* of the zygote; NULL-terminated, as are the next two */
    char **env;             /* of the early program or zygote */
    char **fork_argv;       /* instead of the job's argv, for a fork of the zygote */
    const char *waits_for;  /* a name in the workspace, or NULL */
    struct str frames_sent; /* that the early program finds on its channel, or empty */
};

#endif
