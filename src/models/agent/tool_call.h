/* SPDX-License-Identifier: Apache-2.0
 *
 * A model's call of execute_code as a message of some API, and the message that answers it.
 */
#ifndef AGENT_TOOL_CALL_H
#define AGENT_TOOL_CALL_H

#include "agent/execute_code.h"
#include "run/run.h"

/* How an API writes tools, calls and results. */
enum tool_form {
    TOOL_OPENAI,    /* chat completions: an element of tool_calls, and a message of the role tool */
    TOOL_RESPONSES, /* OpenAI's Responses API: function_call and function_call_output */
    TOOL_ANTHROPIC, /* tool_use and tool_result */
    TOOL_GEMINI,    /* functionCall and functionResponse */
    TOOL_MCP,       /* the JSON-RPC request tools/call, and its response */
    TOOL_PLAIN,     /* the arguments alone, and the reply alone */
};

/* The names of all but TOOL_PLAIN, in that order, and a NULL. */
extern const char *const tool_form_names[];

/* execute_code as an element of the list of tools in a request. The caller owns it. */
json_t *tool_form_schema(enum tool_form form);

/* Runs the program of the call with the request's limits and policy, and returns the answer in the
 * call's form. There is an answer whatever the program does: also to a refused program, an invalid
 * argument and an unknown tool. NULL with ERR_USAGE when `message` is not a call. *ret_result
 * (after result_init) is filled in when something ran. The caller owns the answer. */
json_t *tool_call_answer(const json_t *message, const struct run_request *request,
                         const struct run_watch *watch, struct result *ret_result, struct err *err);

#endif
