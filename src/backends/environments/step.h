/* SPDX-License-Identifier: Apache-2.0
 *
 * One step of the making of an environment: a Python program of ours in a jail of its own, with
 * the interpreter that the environment is for.
 */
#ifndef ENVIRONMENTS_STEP_H
#define ENVIRONMENTS_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "languages/interpreter.h"
#include "workspace/workspace.h"

/* The client for which an environment is made. */
struct env_watch {
    void (*say)(void *ctx, const char *line); /* a line, safe to print, about the work; or NULL */
    void *ctx;
    int cancel_fd; /* when readable, the work ends; -1 for none */
};

struct env_step {
    const char *base;    /* the interpreter's path */
    const char *program; /* its text */
    char *const *args;   /* of the program; NULL-terminated, or NULL */
    char *const *env;    /* variables beside the usual ones; NULL-terminated, or NULL */
    const struct host_view *views;
    size_t view_count;
    struct lay_list *laid; /* files in its workspace; or NULL */
    bool network;          /* to the index; see step_network in step.c */
    uint64_t bytes;        /* the most that it may keep in memory and files */
    int64_t wall_ms;
    int out_dirfd; /* a folder for what it leaves in its workspace */
    const struct env_watch *watch;
    struct buf *said; /* what it printed; buf_init gives the ceiling, the rest is dropped */
};

/* Returns the exit status of the program; -1 with *err if it did not run to its end. *ret lists
 * its files; free it with file_set_done. */
int env_step_run(const struct env_step *step, struct file_set *ret, struct err *err);

#endif
