/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <poll.h>

#include "request/request.h"
#include "result/result.h"

enum run_event_kind {
    RUN_VERDICT, /* before anything starts; only if there was a check */
    RUN_STARTED,
    RUN_OUTPUT,    /* stream, text */
    RUN_DENIED,    /* name, count */
    RUN_LIMIT,     /* name */
    RUN_FILE,      /* file */
    RUN_DISPLAY,   /* bundle: of a cell, when it is displayed */
    RUN_TOOL,      /* name: the guest called a tool; bundle: {"name", "args", "kwargs"} */
    RUN_PREPARING, /* text: a line about a step before the start, such as the build of an image */
    RUN_WARNING,   /* text: a warning before the start, or right after it */
    RUN_PROGRESS,  /* count: milliseconds so far; memory, cpu_ms: each second of a run or a cell */
    RUN_FINISHED,
};

struct run_event {
    enum run_event_kind kind;
    int stream;
    struct str text;
    const char *name;
    uint64_t count;
    const struct file_entry *file;
    const struct json_t *bundle;
    uint64_t memory;             /* RUN_PROGRESS: current bytes */
    uint64_t cpu_ms;             /* RUN_PROGRESS: so far; 0 if nothing measures it */
    const struct result *result; /* so far */
};

struct run_watch {
    void (*event)(void *ctx, const struct run_event *event); /* may be NULL */
    void *ctx;
    /* Output events have all output, even if the result keeps only a part. Without this, they stop
     * at the end of the head that the result keeps: the judge's readers rely on that ceiling. */
    bool all_output;
    /* True if the reader of a stream can take more (backends/backend.h); NULL: always. */
    bool (*room)(void *ctx, int stream, struct pollfd *ret);
    int cancel_fd; /* readable: stop at once; -1 for none */
    /* Sets *ret to the reason of the cancellation, for the result's error, or leaves it unchanged.
     * May be NULL. */
    void (*why_cancelled)(void *ctx, struct err *ret);
};

/* Runs one program: finds the interpreter, copies the files in, runs, collects the files, logs.
 * *ret (after result_init) is always filled in; failures of ours are in ret->error. */
void run_program(const struct run_request *request, const struct run_watch *watch,
                 struct result *ret);

#endif
