/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/flow_call.h"
#include "console/commands.h"
#include "console/model_review.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "math/math.h"
#include "report/print_json.h"
#include "terminal/safe_text.h"

static const struct opt *const tables[] = {json_option, quiet_option, general_options, NULL};

/* Joins the expression, which the shell passes in one argument or in several. */
static int cmd_math_join(const struct opt_args *args, struct buf *ret, struct err *err)
{
    buf_init(ret, MATH_MAX_TEXT + 1);
    for (size_t i = 0; i < args->operand_n + args->rest_n; i++) {
        if (i)
            (void)buf_addc(ret, ' ');
        (void)buf_adds(ret,
                       i < args->operand_n ? args->operands[i] : args->rest[i - args->operand_n]);
    }
    if (ret->overflow)
        return err_set(err, ERR_USAGE, "the expression is longer than %d characters",
                       MATH_MAX_TEXT);
    return ret->n
               ? 0
               : err_set(err, ERR_USAGE, "there is no expression; give one such as 'sqrt(2) / 3'");
}

static void print(bool good, struct str text)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 8u << 20);
    safe_text_add(&line, text, false);
    printf("%s%s\n", good ? "" : "Error: ", line.p);
}

/* ---- an expression ---- */

static void print_answer_json(struct str expression, const struct math_answer *answer)
{
    json_t *text = json_text(buf_str(&answer->text));
    json_t *document =
        json_pack("{s:b, s:o, s:o, s:o}", "success", answer->good, "expression",
                  json_text(expression), "value", answer->good ? json_incref(text) : json_null(),
                  "error", answer->good ? json_null() : json_incref(text));

    print_document(document);
    json_decref(document);
    json_decref(text);
}

static int compute(const struct cli_settings *set, struct str expression, struct err *err)
{
    const struct run_watch watch = {.cancel_fd = -1};
    struct math_answer answer = {0};
    struct run_request run;

    signal(SIGPIPE, SIG_IGN);
    if (settings_request(&set->common, &run, err) < 0 ||
        math_run(&run, &watch, expression, &answer, err) < 0)
        return -1;
    if (set->json)
        print_answer_json(expression, &answer);
    else
        print(answer.good, buf_str(&answer.text));
    buf_done(&answer.text);
    return !answer.good;
}

/* ---- a question in words ---- */

/* Returns the part of a step's report after "'EXPRESSION' has no value: ". */
static struct str problem_of(const json_t *document)
{
    struct str line = {"", 0},
               cmd_math_report = json_str(json_object_get(flow_last_step(document), "report"));
    long at = str_find(cmd_math_report, STR("' has no value: "));

    cmd_math_report =
        str_slice(cmd_math_report, at < 0 ? cmd_math_report.n : (size_t)at + 16, cmd_math_report.n);
    (void)str_next_line(&cmd_math_report, &line);
    return line;
}

static int cmd_math_report(struct flow_call *call, const struct flow_output *output,
                           struct err *err)
{
    const json_t *document = output->document;
    const char *expression = json_get_text(document, "expression");
    bool good = output->end == AGENT_DONE;
    int status = flow_status(output, err);

    if (call->set->json)
        print_document(document);
    if (call->set->json || status < 0)
        return status;
    if (expression) {
        AUTO_FREE char *line = xasprintf("the expression: %.1000s", expression);
        flow_say(call, line);
    }
    struct str text = good ? json_str(json_object_get(document, "value")) : problem_of(document);
    if (good || text.n)
        print(good, text);
    if (!good && output->error.kind != ERR_NONE)
        flow_say(call, output->error.msg);
    flow_report_usage(call);
    return status;
}

static const struct flow_command math_command = {.verb = V_MATH,
                                                 .operands = OPERAND_WORDS,
                                                 .words = "question",
                                                 .event = flow_event,
                                                 .report = cmd_math_report};

/* True if the command line names a model. Models cost money, so a model in a config file is not
 * enough. */
static bool names_model(const struct cli_options *options)
{
    static const char *const rows[] = {"model", "model-url", "provider", "replay"};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (opt_source_of(&options->set, rows[i])->from == OPT_FROM_COMMAND)
            return true;
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* True for two words next to each other, which Python rejects. */
static bool looks_like_words(struct str text, const struct err *why)
{
    for (size_t i = 1; why->kind == ERR_USAGE && i + 1 < text.n; i++)
        if (text.p[i] == ' ' && is_letter(text.p[i - 1]) && is_letter(text.p[i + 1]))
            return true;
    return false;
}

/* Arithmetic needs less than other programs. */
static void lower_limits(struct cli_options *options)
{
    if (opt_source_of(&options->set, "timeout")->from == OPT_FROM_DEFAULT)
        options->settings.common.timeout = 10000;
}

static int math_perform(struct cli_options *options, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    struct err why = {0};

    if (cmd_math_join(&options->args, &text, err) < 0)
        return -1;
    lower_limits(options);
    bool words = math_check(buf_str(&text), &why) < 0 && why.kind != ERR_LIMIT;
    if (words && names_model(options))
        return flow_command_run(&math_command, options, err);
    int status = compute(&options->settings, buf_str(&text), err);
    if (words && !options->settings.quiet && looks_like_words(buf_str(&text), &why))
        model_note(NULL, "with --model NAME, a model turns words into an expression");
    return status;
}

const struct command command_math = {
    .name = "math",
    .summary = "compute one expression, and run nothing else",
    .usage = "glovebox math [OPTION]... EXPRESSION...\n"
             "glovebox math [OPTION]... --model NAME QUESTION...",
    .verbs = V_MATH,
    .tables = tables,
    .often = ",model,timeout,steps,cost-limit,quiet,json,",
    .perform = math_perform,
};
