/* SPDX-License-Identifier: Apache-2.0
 *
 * The structures behind the opaque types of glovebox.h.
 */
#ifndef API_HANDLE_H
#define API_HANDLE_H

#include "glovebox.h"

#include <stdatomic.h>
#include <sys/types.h>

#include "agent/bounds.h"
#include "agent/review.h"
#include "base/opt.h"
#include "judge/judge.h"
#include "llm/settings.h"
#include "request/settings.h"
#include "session/tools.h"

struct api_settings {
    struct settings common;
    /* of glovebox_test */
    char *func, *setup, *checker;
    bool isolate, strict_stderr;
    int compare; /* index, from COMPARE_EXACT on */
    /* of glovebox_task */
    struct llm_settings model;
    struct agent_bounds bounds;
};

struct glovebox {
    struct api_settings settings;
    struct opt_set set;
    struct named_bytes *inputs;
    size_t input_count;
    struct str input; /* owned; .p NULL for none */
    glovebox_output_fn output;
    void *output_ctx;
    glovebox_event_fn event;
    void *event_ctx;
    int cancel[2];
    struct err err;
    struct tool_set tools;                /* each ctx is a struct api_tool of session.c */
    _Atomic(struct api_tool *) api_tools; /* all that were made */
    atomic_uint sessions;                 /* sessions that are open */
    struct review *review;     /* for runs, and for the open sessions; NULL until one is needed */
    struct backend_pool *pool; /* NULL until a run or a session needs it */
    pid_t pool_process;        /* that opened it, and alone has its threads and its guests */
    int forks;                 /* levels of forks for the next session */
    char *complaint;           /* for a message that is too long for err.msg; NULL for none */
};

struct glovebox_result {
    struct judge_result judged; /* for a run or a check only `run` is used */
    struct case_file cases;     /* the memory that judged.cases points into */
    bool is_test;
    struct jail_limits limits;
    struct buf out, err;
    char *json, *feedback_text, *value, *results, *final_answer; /* NULL until requested */
};

/* Every call that can fail begins with it: clears the message of the previous call. */
void handle_begin(glovebox *box);
/* Fills in all settings of the handle. -1 with box->err. */
int handle_request(glovebox *box, const char *language, struct str code, struct run_request *ret);
/* A cancel that came too late for the previous run must not end this one. */
void handle_forget_cancel(const glovebox *box);

/* The document of a run or a test; the caller frees. */
json_t *handle_document(const glovebox_result *result);

/* For runs and sessions that use it: the handle's pool into the request. */
void handle_lend_pool(glovebox *box, struct run_request *request, bool forks);

/* Frees the handle's tools and their data. */
void handle_tools_done(glovebox *box);

glovebox_result *result_new(void);
/* The result of a call that failed before a run. */
glovebox_result *result_failed(glovebox_result *result, const struct err *err);
/* Call it when the result is complete. */
glovebox_result *result_finish(glovebox_result *result);

#endif
