/* SPDX-License-Identifier: Apache-2.0
 *
 * The description of a guest for a backend to start.
 */
#ifndef BACKENDS_JOB_H
#define BACKENDS_JOB_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "limits/layers.h"
#include "limits/limits.h"

struct backend_pool;
struct backend_warm;
struct host_view;

struct backend_job {
    const char *exec_path;  /* as seen inside */
    uint64_t owner;         /* in a program with several owners: the owner's number */
    const char *id;         /* of the run or session, for a backend that shows it; or NULL */
    const char *image;      /* with backend.interpreter: the image that it named; or NULL */
    const char *dockerfile; /* with has_runtimes: a path to build the image from instead; or NULL */
    struct str dockerfile_text;            /* or its text; .p is NULL if there is none */
    const struct named_bytes *build_files; /* files that it can copy */
    size_t build_file_count;
    char *const *packages; /* with CAN_PACKAGES: to install in it; NULL-terminated, or NULL */
    const char *runtime;   /* with backend.has_runtimes; or NULL */
    struct str folder;     /* of the workspace, in which it starts; "" for the workspace itself */
    char **argv;           /* NULL-terminated, as is env */
    char **env;
    const struct host_view *views;
    size_t view_count;

    /* Writes the workspace's files to fd in the format of jail/lay.h. May be NULL. */
    int (*lay)(void *ctx, int fd, struct err *err);
    void *lay_ctx;

    int stdin_fd; /* relayed to the guest; -1 for an empty input. The caller keeps it. */
    /* The guest's descriptors 3 (to read) and 4 (to write), lent until it has started; or -1. */
    int channel[2];
    struct backend_pool *pool;       /* lent; NULL: no guest is ready in advance */
    const struct backend_warm *warm; /* NULL: the program can only be started for the job */
    bool forks; /* the guest needs forks: only a warm start makes them possible */
    struct jail_limits limits;
    layer_mask layers;   /* layers to apply, if the host can */
    layer_mask required; /* nothing runs without these */
    bool net_host;
    const char *net_rules; /* what it may reach (network/rules.h); NULL: nothing */
    const char *net_now;   /* replaces them, except for the ports that get listeners; or NULL */
    int64_t pause_ms;      /* of a session: see idle.h; 0 for the usual time */
};

#endif
