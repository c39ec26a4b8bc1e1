/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_RUN_H
#define SESSION_RUN_H

#include <poll.h>

#include "request/request.h"
#include "result/result.h"

enum run_event_kind {
    RUN_VERDICT, /* before anything starts; only if something was checked */
    RUN_STARTED,
    RUN_OUTPUT,    /* stream, text */
    RUN_DENIED,    /* name, count */
    RUN_LIMIT,     /* name */
    RUN_FILE,      /* file */
    RUN_DISPLAY,   /* bundle: of a cell, as it happens */
    RUN_TOOL,      /* name: the guest called a tool; bundle: {"name", "args", "kwargs"} */
    RUN_PREPARING, /* text: a line about what is done before the start, such as an image's build */
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
    uint64_t memory;             /* RUN_PROGRESS: bytes now */
    uint64_t cpu_ms;             /* RUN_PROGRESS: so far; 0 where nothing counts it */
    const struct result *result; /* so far */
};

struct run_watch {
    void (*event)(void *ctx, const struct run_event *event); /* may be NULL */
    void *ctx;
    /* Output events have all output, even if the result keeps only a part. Without this they stop
     * where the head that the result keeps ends: the judge's readers rely on that ceiling. */
    bool all_output;
    /* Whether the reader of a stream can take more (backends/backend.h); NULL: always. */
    bool (*room)(void *ctx, int stream, struct pollfd *ret);
    int cancel_fd; /* readable: stop at once; -1 for none */
    /* Sets the reason of the cancellation for the result's error; without a reason it leaves *ret
     * alone. May be NULL. */
    void (*why_cancelled)(void *ctx, struct err *ret);
};

/* Runs one program from beginning to end: finds the interpreter, lays the files, runs, collects,
 * logs. *ret (after result_init) is always filled in; failures of ours are in ret->error. */
void session_run(const struct run_request *request, const struct run_watch *watch,
                 struct result *ret);

#endif
