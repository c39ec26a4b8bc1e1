/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "agent/tool_call.h"
#include "console/commands.h"
#include "console/model_review.h"
#include "console/reply_input.h"
#include "report/print_json.h"
#include "report/report.h"
#include "request/setting.h"
#include "terminal/cancel.h"

static const struct opt *const tables[] = {quiet_option, general_options, NULL};

static json_t *read_message(const struct cli_options *options, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    json_error_t where;

    buf_init(&text, REPLY_INPUT_MAX);
    if (reply_input_read(&options->args, "a model's tool call", &text, err) < 0)
        return NULL;
    json_t *message = json_loadb(text.p, text.n, 0, &where);
    if (!message)
        (void)err_set(err, ERR_USAGE, "it is not JSON: line %d: %.200s", where.line, where.text);
    return message;
}

static int cmd_tool_call_answer(const struct cli_options *options, const json_t *message,
                                struct err *err)
{
    struct run_request request;
    struct review *review;
    struct result result;
    int cancel[2];

    if (settings_request(&options->settings.common, &request, err) < 0 ||
        cancel_catch_signals(cancel, err) < 0 ||
        model_review_open(&options->settings, &request, &review, err) < 0)
        return -1;
    const struct run_watch watch = {.cancel_fd = cancel[0]};
    request.program.stdin_fd = -1;
    report_unsafe(&options->settings, &request);
    result_init(&result, request.output_limit);
    json_t *reply = tool_call_answer(message, &request, &watch, &result, err);
    int status = reply ? cancel_signal() ? 128 + cancel_signal() : 0 : -1;
    if (status == 0)
        print_document(reply);
    json_decref(reply);
    result_done(&result);
    review_close(review);
    return status;
}

static int call_perform(struct cli_options *options, struct err *err)
{
    json_t *message = read_message(options, err);
    int status = message ? cmd_tool_call_answer(options, message, err) : -1;

    json_decref(message);
    return status;
}

const struct command command_tool_call = {
    .name = "tool-call",
    .summary = "run the program in a model's tool call, and print the answer",
    .usage = "glovebox tool-call [OPTION]... [FILE | -]",
    .verbs = V_TOOL_CALL,
    .tables = tables,
    .files = true,
    .perform = call_perform,
};
