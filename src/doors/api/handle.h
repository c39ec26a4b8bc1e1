/* SPDX-License-Identifier: Apache-2.0
 *
 * The structures behind the opaque types of glovebox.h.
 */
#ifndef API_HANDLE_H
#define API_HANDLE_H

#include "glovebox.h"

#include <stdatomic.h>
#include <sys/types.h>

#include "judge/judge.h"
#include "options/opt.h"
#include "request/settings.h"
#include "review/review.h"
#include "session/tools.h"

struct glovebox {
    struct settings settings;
    struct opt_set set;
    struct named_bytes *inputs;
    struct lay_list *names; /* of the inputs; made anew after a name that was refused */
    size_t input_count;
    struct str input; /* owned; .p is NULL for none */
    glovebox_output_fn output;
    void *output_ctx;
    glovebox_event_fn event;
    void *event_ctx;
    int cancel[2];
    struct err err;
    struct tool_set tools;                /* each ctx is a struct api_tool of session.c */
    _Atomic(struct api_tool *) api_tools; /* list of all tools that were made */
    atomic_uint sessions;                 /* number of open sessions */
    struct review *review;                /* for runs and open sessions; NULL until one needs it */
    struct backend_pool *pool;            /* NULL until a run or a session needs it */
    /* the process that opened the pool: only there are its threads and guests */
    pid_t pool_process;
    int forks;       /* levels of forks for the next session */
    char *complaint; /* a message that is too long for err.msg; NULL for none */
};

struct glovebox_result {
    struct judge_result judged; /* a run or a check uses only `run` */
    struct case_file cases;     /* the memory that judged.cases points into */
    bool is_test;
    struct buf out, err;
    /* NULL until the caller asks for them */
    char *json, *feedback_text, *value, *results, *final_answer;
};

/* Clears the message of the previous call. Every call that can fail begins with it. */
void handle_begin(glovebox *box);
/* Puts all settings of the handle into *ret. -1 with box->err. */
int handle_request(glovebox *box, const char *language, struct str code, struct run_request *ret);
/* Adds the handle's reviewer, and its files unless the request has files of its own. -1 with
 * box->err. */
int handle_complete(glovebox *box, struct run_request *request);
/* Drops a cancel that came too late for the previous run, so that it does not end this one. */
void handle_forget_cancel(const glovebox *box);

/* The document of a run or a test; the caller frees. */
json_t *handle_document(const glovebox_result *result);

/* Lends the handle's pool to the request, if its run or session can use it. */
void handle_lend_pool(glovebox *box, struct run_request *request, bool forks);

/* Frees the handle's tools and their data. */
void handle_tools_done(glovebox *box);

glovebox_result *result_new(void);
/* Makes the result of a call that failed before a run. Returns `result`. */
glovebox_result *result_failed(glovebox_result *result, const struct err *err);
/* Call it when the result is complete. Returns `result`. */
glovebox_result *result_finish(glovebox_result *result);

#endif
