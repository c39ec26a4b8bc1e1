/* SPDX-License-Identifier: Apache-2.0
 *
 * How a program may be started before its job is known (a warm start): plain data, which the caller
 * makes from its knowledge of the language. A backend that starts nothing early ignores it.
 * jail/pool.h is the theory of warm runs in jails.
 *
 *   EARLY_PLACE    runs in Bash, sh and R, and in JavaScript with arguments, an environment or a
 *                  name of its own. The guest's process is locked in and stops before exec.
 *   EARLY_PROGRAM  runs in JavaScript: `node main.js` is executed, but main.js is a FIFO. To open
 *                  it is the last thing that Node does for itself, so Node waits there with
 *                  everything loaded, and runs no code of ours. When the job comes, the FIFO's name
 *                  is removed, the files are copied in, and the program is written into the FIFO
 *                  (inside/wait.c). A run with a package.json, which Node reads before, starts at a
 *                  place. Sessions: the server of cells has its text, and waits for the frame
 *                  "hello" with the environment.
 *   EARLY_ZYGOTE   runs and sessions in Python. A container serves one guest, so there the
 *                  interpreter does not fork but becomes the guest (far/docker_early.c).
 */
#ifndef BACKENDS_WARM_H
#define BACKENDS_WARM_H

#include "base/str.h"

enum backend_early {
    EARLY_PLACE,   /* everything except the program */
    EARLY_PROGRAM, /* the program as well, with the job's argv. It waits: for frames on its channel,
                      or for its own text when it opens the file `waits_for` */
    EARLY_ZYGOTE,  /* an interpreter that has loaded everything except the program; a fork of it
                      becomes the guest */
};

/* Everything that it points to lives as long as the job. */
struct backend_warm {
    enum backend_early early;
    char **argv;            /* of the zygote; NULL-terminated, as are the next two */
    char **env;             /* of the early program or zygote */
    char **fork_argv;       /* instead of the job's argv, for a fork of the zygote */
    const char *waits_for;  /* a name in the workspace, or NULL */
    struct str frames_sent; /* frames for the early program on its channel; or empty */
};

#endif
