/* SPDX-License-Identifier: Apache-2.0
 *
 * The tool execute_code, by which models run programs: its schema, a model's call of it, and the
 * reply. A call is hostile text: its size is limited, and an invalid call is answered with a
 * message for the model.
 *
 *     struct execute_call call;
 *     if (execute_call_read(&call, arguments, table, &err) == 0) {
 *         execute_call_apply(&call, &request);
 *         run_program(&request, &watch, &result);
 *         reply = execute_reply(document, call.id);
 *     } else
 *         reply = execute_refusal(err.msg);
 *     execute_call_done(&call);
 */
#ifndef AGENT_EXECUTE_CODE_H
#define AGENT_EXECUTE_CODE_H

#include <jansson.h>

#include "request/request.h"
#include "text/format.h"

#define EXECUTE_CODE_NAME "execute_code"

enum execute_schema {
    EXECUTE_ALONE,  /* each call is a run of its own */
    EXECUTE_IN_TASK /* calls share a session: the schema lacks the fields that only a separate run
                       has */
};

/* The tool's description for a model. */
const char *execute_code_description(enum execute_schema which);
/* The JSON Schema of the tool's arguments. The caller owns it. */
json_t *execute_code_schema(enum execute_schema which, const struct language_table *languages);

struct execute_call {
    json_t *arguments; /* the strings of this struct point into it */
    struct str code;
    const char *language; /* the name of a row; NULL: not given */
    const char *id;       /* the caller's name for the run, or NULL */
    int64_t wall_ms;      /* 0: not said */
    char *cwd;            /* the folder to run in; NULL: not given */
    char **env;           /* K=V; NULL-terminated */
    char **all_env;       /* these variables and the request's */
    struct named_bytes *inputs;
    size_t input_count;
};

/* -1 with ERR_GUEST and a message for the model. Call execute_call_done in both cases. */
int execute_call_read(struct execute_call *call, struct str arguments,
                      const struct language_table *languages, struct err *err);
void execute_call_done(struct execute_call *call);
/* Puts code, language, folder, environment and files into a request, and lowers its time limit;
 * nothing else of the request changes. The request borrows from the call. */
void execute_call_apply(struct execute_call *call, struct run_request *request);

/* Why a run failed, in a line; null if it succeeded. The caller owns it. */
json_t *execute_why(const json_t *run);
/* {success, exit_code, execution_time, execution_id, stdout, stderr, error, value, output_files}
 * from the document of a result. The caller owns it. */
json_t *execute_reply(const json_t *run, const char *id);
/* As execute_reply, for a call that was not run. */
json_t *execute_refusal(const char *why);

#endif
