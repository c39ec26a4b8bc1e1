/* SPDX-License-Identifier: Apache-2.0
 *
 * What a backend is to start.
 */
#ifndef BACKENDS_JOB_H
#define BACKENDS_JOB_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "jail/layers.h"
#include "jail/limits.h"

struct backend_pool;
struct backend_warm;
struct host_view;

struct backend_job {
    const char *exec_path;  /* as seen inside */
    const char *language;   /* its name */
    struct str program;     /* what a run executes; empty for any other guest */
    bool has_arguments;     /* the user's own, for the program */
    bool has_cells;         /* it is a session: frames of cell_wire.h come on its channel */
    char *const *own_env;   /* the variables of `env` that the user gave: NAME or NAME=VALUE */
    uint64_t owner;         /* in a program that runs for several: a number of each */
    const char *id;         /* of the run or session, for a place that shows one; or NULL */
    const char *image;      /* with backend.interpreter: what that named; or NULL */
    const char *dockerfile; /* with has_runtimes: a path to build the image from instead; or NULL */
    struct str dockerfile_text;            /* or its text; .p NULL for none */
    const struct named_bytes *build_files; /* that it can copy */
    size_t build_file_count;
    char *const *packages; /* with CAN_PACKAGES: to install in it; NULL-terminated, or NULL */
    const char *runtime;   /* with backend.has_runtimes; or NULL */
    char **argv;           /* NULL-terminated, as is env */
    char **env;
    const struct host_view *views;
    size_t view_count;

    /* Writes the workspace's files to fd as jail/lay.h says. May be NULL. */
    int (*lay)(void *ctx, int fd, struct err *err);
    void *lay_ctx;

    int stdin_fd; /* relayed to the guest; -1 for an empty one. Stays the caller's. */
    /* The guest's descriptors 3 (to read) and 4 (to write), lent until it has started; or -1. */
    int channel[2];
    struct backend_pool *pool;       /* lent; NULL: nothing is ready in advance */
    const struct backend_warm *warm; /* NULL: the program can only be started for the job */
    bool forks;                      /* the guest is to have forks: it starts warm, or has none */
    struct jail_limits limits;
    layer_mask layers;   /* to apply where the host can */
    layer_mask required; /* else nothing runs */
    bool net_host;
    int64_t pause_ms; /* of a session: see idle.h; 0 for the usual time */
};

#endif
