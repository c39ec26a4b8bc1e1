/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/math_task.h"
#include "assist/assist.h"
#include "assist/model_call.h"
#include "base/encoded.h"
#include "base/mem.h"
#include "console/print_json.h"
#include "terminal/safe_text.h"

static const struct opt *const tables[] = {
    model_options, task_options,   wall_options,  limit_options, json_option, general_options,
    work_options,  policy_options, guard_options, data_options,  log_options, quiet_option,
    NULL};

#define TAKES                                                                                      \
    MODEL_TAKES BOUNDS_TAKES                                                                       \
        "backend,allow-unsafe,net,require,without,no-daemon,cold,timeout,cpu-time,memory,cpus,"    \
        "pids,open-files,inodes,disk,output-limit,retries,retry-delay,json,quiet,config,help,"

/* The expression as the shell passed it, in one argument or in several. */
static int join(const struct opt_args *args, struct buf *ret, struct err *err)
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
    return ret->n ? 0 : err_set(err, ERR_USAGE, "no expression; give one such as 'sqrt(2) / 3'");
}

struct calculation {
    struct model_call call; /* first: model_call_run hands it back */
    struct buf text;
};

static void print(const struct math_answer *answer)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 8u << 20);
    safe_text_add(&line, buf_str(&answer->text), false);
    printf("%s%s\n", answer->good ? "" : "Error: ", line.p);
}

/* Arithmetic needs less than a program does. */
static void lower_limits(const struct cli_options *options, struct run_request *q)
{
    if (opt_source_of(&options->set, "timeout")->from == OPT_FROM_DEFAULT)
        q->limits.wall_ms = 10000;
}

/* ---- an expression ---- */

static void print_answer_json(const struct calculation *c, const struct math_answer *answer)
{
    json_t *text = json_text(buf_str(&answer->text));
    json_t *document = json_pack("{s:b, s:o, s:o, s:o}", "success", answer->good, "expression",
                                 json_text(buf_str(&c->text)), "value",
                                 answer->good ? json_incref(text) : json_null(), "error",
                                 answer->good ? json_null() : json_incref(text));

    print_document(document);
    json_decref(document);
    json_decref(text);
}

static int compute(struct calculation *c, struct err *err)
{
    const struct run_watch watch = {.cancel_fd = -1};
    struct math_answer answer;

    signal(SIGPIPE, SIG_IGN);
    int status = math_run(&c->call.run, &watch, buf_str(&c->text), &answer, err);
    if (status == 0 && c->call.set->json)
        print_answer_json(c, &answer);
    else if (status == 0)
        print(&answer);
    status = status < 0 ? -1 : !answer.good;
    buf_done(&answer.text);
    return status;
}

/* ---- words ---- */

static void report(struct model_call *call, const struct agent *agent,
                   const struct math_answer *answer)
{
    bool good = agent->end == AGENT_DONE;

    if (call->set->json) {
        json_t *document = math_task_document(agent, answer);
        print_document(document);
        json_decref(document);
        return;
    }
    if (agent->code.n) {
        AUTO_FREE char *line = xasprintf("the expression: %.1000s", agent->code.p);
        model_call_say(call, line);
    }
    if (good || answer->text.n)
        print(answer);
    if (!good && agent->error.kind != ERR_NONE)
        model_call_say(call, agent->error.msg);
    model_call_usage(call);
}

static int ask(struct model_call *call, struct err *err)
{
    const struct calculation *c = (const struct calculation *)call;
    struct math_answer answer;
    struct agent agent;

    agent_begin(&agent, call->llm, &call->request, &call->watch);
    (void)math_task(&agent, c->text.p, &answer);
    model_call_erase(call);
    int status = model_call_status(&agent, err);
    if (status >= 0 || call->set->json)
        report(call, &agent, &answer);
    buf_done(&answer.text);
    agent_done(&agent);
    return status;
}

/* A model costs money, so one in a config file is not enough. */
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

/* Two words side by side, which Python does not understand. */
static bool looks_like_words(struct str text, const struct err *why)
{
    for (size_t i = 1; why->kind == ERR_USAGE && i + 1 < text.n; i++)
        if (text.p[i] == ' ' && is_letter(text.p[i - 1]) && is_letter(text.p[i + 1]))
            return true;
    return false;
}

static int run(struct calculation *c, struct cli_options *options, struct err *err)
{
    struct err why = {0};

    if (join(&options->args, &c->text, err) < 0 || model_call_prepare(&c->call, options, err) < 0)
        return -1;
    lower_limits(options, &c->call.run);
    bool words = math_check(buf_str(&c->text), &why) < 0 && why.kind != ERR_LIMIT;
    if (!words || !names_model(options)) {
        int status = compute(c, err);
        if (words && looks_like_words(buf_str(&c->text), &why))
            model_call_say(&c->call, "with --model NAME, a model turns words into an expression");
        return status;
    }
    if (opt_source_of(&options->set, "temperature")->from == OPT_FROM_DEFAULT)
        c->call.request.temperature = 0;
    c->call.request.component = "math";
    return model_call_run(&c->call, ask, err);
}

static int math_perform(struct cli_options *options, struct err *err)
{
    struct calculation c = {.call = {.set = &options->settings, .command = &command_math}};
    int status = run(&c, options, err);

    buf_done(&c.text);
    return status;
}

const struct command command_math = {
    .name = "math",
    .summary = "compute one expression, and run nothing else",
    .usage = "glovebox math [OPTION]... EXPRESSION...\n"
             "glovebox math [OPTION]... --model NAME QUESTION...",
    .tables = tables,
    .takes = TAKES,
    .often = ",model,timeout,steps,cost-limit,quiet,json,",
    .perform = math_perform,
};
