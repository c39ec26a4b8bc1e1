/* SPDX-License-Identifier: Apache-2.0
 *
 * What is behind the opaque types of glovebox.h.
 */
#ifndef API_HANDLE_H
#define API_HANDLE_H

#include "glovebox.h"

#include <stdatomic.h>

#include "base/opt.h"
#include "judge/judge.h"
#include "request/settings.h"
#include "session/tools.h"

struct api_settings {
    struct settings common;
    /* of glovebox_test */
    char *func, *setup, *checker;
    bool isolate, strict_stderr;
    int compare; /* index, from COMPARE_EXACT on */
};

struct glovebox {
    struct api_settings settings;
    struct opt_set set;
    struct run_input *inputs;
    size_t input_count;
    struct str input; /* owned; .p NULL for none */
    glovebox_output_fn output;
    void *output_ctx;
    int cancel[2];
    struct err err;
    struct tool_set tools; /* each ctx is a struct api_tool of session.c */
    atomic_uint sessions;  /* that are open */
    struct pool *pool;     /* what those that can be forked start from; NULL until there are any */
    int forks;             /* of the next session: levels */
    char *complaint;       /* instead of err.msg, where that has no room for it; NULL for none */
};

struct glovebox_result {
    struct judge_result judged; /* of a run and a check only `run` counts */
    struct case_file cases;     /* what judged.cases points into */
    bool is_test;
    struct jail_limits limits;
    struct buf out, err;
    char *json, *feedback_text, *value, *results, *final_answer; /* NULL until somebody asks */
};

/* Every call that can fail begins with it: what is said about the one before is over. */
void handle_begin(glovebox *box);
/* Fills in all that the handle has been told. -1 with box->err. */
int handle_request(glovebox *box, const char *language, struct str code, struct run_request *ret);
/* A cancel that came too late for the run before must not end this one. */
void handle_forget_cancel(const glovebox *box);

/* A run's document, or a test's; the caller's. */
json_t *handle_document(const glovebox_result *result);

/* The handle's tools and what they know, and the pool. */
void handle_tools_done(glovebox *box);

glovebox_result *result_new(void);
/* Of a call that did not come to a run. */
glovebox_result *result_failed(glovebox_result *result, const struct err *err);
/* When all is known. */
glovebox_result *result_finish(glovebox_result *result);

#endif
