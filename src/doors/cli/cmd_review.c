/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox review`: a model's verdict on one program, without running it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/core_dump.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cli/flow_call.h"
#include "console/commands.h"
#include "console/model_review.h"
#include "console/options.h"
#include "formats/encoded.h"
#include "formats/json_write.h"
#include "run/check.h"
#include "session/tools.h"
#include "terminal/cancel.h"
#include "terminal/safe_text.h"
#include "text/notebook.h"

static const struct opt *const tables[] = {json_option, quiet_option, general_options, NULL};

struct call {
    const struct cli_settings *set;
    struct run_request run;
    struct buf code;
    struct tool_names tools;
    struct review *review;
    int cancel[2];
};

/* ---- what to review ---- */

static int cmd_review_read_file(struct call *call, const char *path, struct err *err)
{
    bool standard = strcmp(path, "-") == 0;
    int result =
        standard
            ? fd_read_all(STDIN_FILENO, &call->code) < 0 ? err_sys(err, "read standard input") : 0
            : fd_read_file(path, &call->code, err);

    call->run.program.file = path;
    if (result < 0 && err->sys == EFBIG)
        err_set(err, ERR_USAGE, "%s: is larger than %u MiB", path, RUN_SOURCE_MAX >> 20);
    else if (result < 0 && !standard)
        err->kind = ERR_USAGE;
    if (result == 0 && notebook_is_name(path))
        return err_set(err, ERR_USAGE,
                       "%s: is a notebook; 'glovebox check --review' reads its cells", path);
    return result;
}

static int cmd_review_read_code(struct call *call, const struct opt_args *args, struct err *err)
{
    size_t n = args->operand_n + args->rest_n;
    const char *only = args->operand_n ? args->operands[0] : n ? args->rest[0] : NULL;

    buf_init(&call->code, RUN_SOURCE_MAX);
    if (n > 1 || (n && call->set->common.code))
        return err_set(err, ERR_USAGE, "give one FILE, or -c CODE");
    if (call->set->common.code && buf_adds(&call->code, call->set->common.code) < 0)
        return err_set(err, ERR_USAGE, "-c: the program is too large");
    if (!n && !call->set->common.code)
        return err_set(err, ERR_USAGE,
                       "nothing to review: name a FILE, or give -c CODE, or - for standard input");
    if (only && cmd_review_read_file(call, only, err) < 0)
        return -1;
    call->run.program.code = buf_str(&call->code);
    return 0;
}

/* Reads --tools: the names themselves, or a Python file that defines the functions. */
static int read_tools(struct call *call, struct err *err)
{
    const char *given = call->set->common.tools;
    struct tool_set set;

    if (!given || tool_names_read(str_from(given), &call->tools, err) == 0)
        return 0;
    tool_names_done(&call->tools);
    tool_set_init(&set);
    int status = tool_set_read(&set, given, err);
    if (status == 0)
        tool_set_names(&set, &call->tools);
    tool_set_done(&set);
    return status;
}

static int find_language(struct call *call, const struct language **ret, struct err *err)
{
    struct policy *policy = check_open_policy(&call->run, err);
    struct examination e;

    if (!policy)
        return -1;
    examine_init(&e, &call->run, policy);
    int status = examine_language(&e, err);
    *ret = e.language;
    examine_done(&e);
    policy_free(policy);
    return status;
}

/* ---- the result ---- */

static void print_json(const struct call *call, const char *language,
                       const struct review_answer *answer)
{
    json_t *doc = json_pack(
        "{s:b, s:o, s:b, s:b, s:s, s:s, s:s, s:o}", "is_secure", answer->secure, "reason",
        json_text(str_from(answer->reason)), "answered", answer->answered, "cached", answer->cached,
        "language", language, "provider", review_provider(call->review), "model",
        review_model(call->review), "usage", llm_usage_table_json(review_usage(call->review)));
    AUTO_FREE char *text = json_write(doc, isatty(STDOUT_FILENO));

    json_decref(doc);
    puts(text);
}

/* Prints the usage, also if the model gave no verdict. */
static void print_usage(const struct call *call)
{
    const struct llm_usage_table *used = review_usage(call->review);

    if (!used->n || call->set->quiet || call->set->json)
        return;
    AUTO_FREE char *text = flow_usage_text(&used->at[0].usage);
    model_note(NULL, text);
}

static void print_text(const struct review_answer *answer)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 64 << 10);
    safe_text_add(&line, str_from(answer->reason), false);
    printf("%s: %s%s\n", answer->secure ? "secure" : "refused", line.p,
           answer->cached ? " (an earlier verdict)" : "");
}

static int cmd_review_report(const struct call *call, const char *language,
                             const struct review_answer *answer, struct err *err)
{
    if (answer->cancelled && cancel_signal())
        return 128 + cancel_signal();
    if (call->set->json)
        print_json(call, language, answer);
    else if (answer->answered)
        print_text(answer);
    if (fflush(stdout) != 0)
        return err_sys(err, "write to standard output");
    print_usage(call);
    if (answer->answered)
        return answer->secure ? 0 : err_exit_status(ERR_POLICY);
    return call->set->json ? err_exit_status(ERR_SYSTEM)
                           : err_set(err, ERR_SYSTEM, "%s", answer->reason);
}

/* ---- the command ---- */

static int cmd_review_ask(struct call *call, struct err *err)
{
    const struct review_settings settings = model_review_settings(call->set);
    const struct language *language;
    struct review_answer answer = {0};

    if (find_language(call, &language, err) < 0 || model_check_choice(call->set, true, err) < 0)
        return -1;
    core_dump_without_memory();
    if (cancel_catch_signals(call->cancel, err) < 0 ||
        review_open(&settings, &call->review, err) < 0)
        return -1;
    const struct review_question question = {.run = &call->run,
                                             .run_id = "",
                                             .language = language->name,
                                             .code = call->run.program.code,
                                             .tools = &call->tools,
                                             .cancel_fd = call->cancel[0]};
    const struct reviewer *reviewer = review_reviewer(call->review);
    reviewer->review(reviewer->ctx, &question, &answer);
    int status = cmd_review_report(call, language->name, &answer, err);
    review_answer_done(&answer);
    return status;
}

static int review(struct cli_options *options, struct err *err)
{
    struct call call = {.set = &options->settings};
    int status = -1;

    if (settings_request(&call.set->common, &call.run, err) == 0 &&
        cmd_review_read_code(&call, &options->args, err) == 0 && read_tools(&call, err) == 0)
        status = cmd_review_ask(&call, err);
    review_close(call.review);
    tool_names_done(&call.tools);
    buf_done(&call.code);
    return status;
}

const struct command command_review = {
    .name = "review",
    .summary = "let a model decide whether a program may run, and run nothing",
    .usage = "glovebox review [OPTION]... FILE | -\n"
             "glovebox review [OPTION]... -c CODE",
    .verbs = V_REVIEW,
    .tables = tables,
    .often = ",model,code,lang,tools,profile,no-review-cache,json,",
    .files = true,
    .perform = review,
};
