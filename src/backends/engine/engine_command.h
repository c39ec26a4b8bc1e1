/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine's own command: `docker`, or `podman` if there is no `docker`. It builds, pulls, logs
 * in and connects to engines elsewhere; no code of ours does this.
 *
 * Its environment has only the variables that it needs to find the engine, the user's configuration
 * and the user's keys. It has a session of its own, so it never prompts at the terminal.
 */
#ifndef ENGINE_ENGINE_COMMAND_H
#define ENGINE_ENGINE_COMMAND_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"
#include "engine/engine_place.h"

/* For errors about missing commands. */
#define ENGINE_COMMANDS "the command docker (Debian: docker.io or docker-cli) or podman"

struct engine_command_start {
    const struct engine_place *place;
    const char **argv; /* [0] becomes the command's name; NULL-terminated */
    bool no_buildkit;  /* the engine has none, or the Dockerfile is for the older builder */
    int streams[3];    /* its input, output and errors; all from 3 on */
    bool
        dies_with_us; /* SIGTERM when the calling thread ends; then the thread has to wait for it */
};
/* Returns -1 with ERR_UNSUPPORTED if there is no command. */
int engine_command_start(const struct engine_command_start *start, pid_t *ret_pid, struct err *err);

struct engine_command {
    const struct engine_place *place;
    const char **argv;
    bool no_buildkit;
    int input; /* a file; -1: empty */
    int64_t timeout_ms;
    int cancel_fd; /* readable: gives up; -1 for none */
    /* Receives each line of its output and errors, in the order of their arrival. */
    void (*line)(void *ctx, struct str line);
    void *ctx;
};
/* Runs it to its end. Returns 0 with *ret_status, which is 128 + N after signal N. Returns -1 with
 * ERR_TIMEOUT if the time is over or the call is cancelled: the command and its children are dead
 * then. */
int engine_command_run(const struct engine_command *command, int *ret_status, struct err *err);

#endif
