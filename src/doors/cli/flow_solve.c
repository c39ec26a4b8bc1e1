/* SPDX-License-Identifier: Apache-2.0
 *
 * The output of `glovebox solve` and `glovebox analyze`: on a terminal, the steps and the output of
 * programs; with --events, a line for each event; at the end, the answer.
 */
#include <stdio.h>

#include "base/mem.h"
#include "cli/flow_call.h"
#include "console/save_file.h"
#include "formats/json_get.h"
#include "formats/json_write.h"
#include "report/check_report.h"
#include "report/print_json.h"
#include "report/run_show.h"
#include "terminal/colours.h"
#include "terminal/safe_text.h"

enum { REFUSED = 126 };

/* ---- for people ---- */

static void show_output(struct flow_call *call, struct str text)
{
    bool dim = call->terminal && terminal_colours(stderr);
    AUTO_BUF struct buf safe = {0};

    if (!text.n)
        return;
    buf_init(&safe, 10 * text.n + 64);
    safe_text_add(&safe, text, true);
    if (call->drawn)
        flow_erase(call);
    fprintf(stderr, "%s%s%s", dim ? "\033[2m" : "", safe.p, dim ? "\033[0m" : "");
    call->in_line = !str_ends(text, "\n");
}

static void show_step(struct flow_call *call, const struct agent_event *event)
{
    AUTO_FREE char *line =
        xasprintf("step %d of %lld: asking %s", event->step,
                  (long long)call->task.request.bounds.steps, llm_model(call->task.llm));

    flow_say(call, line);
}

static void show_code(struct flow_call *call, struct str code)
{
    size_t lines = str_lines(code) + (code.n && !str_ends(code, "\n"));
    AUTO_FREE char *line =
        xasprintf("%s %zu line%s",
                  call->task.solve.request.calls == SOLVE_BUILTIN ? "the model ran" : "running",
                  lines, lines == 1 ? "" : "s");

    flow_say(call, line);
}

/* Shows files, and the output of runs on the provider's side: there are no events for these. */
static void show_runs(struct flow_call *call, const json_t *step)
{
    const json_t *run;
    size_t i;

    json_array_foreach(json_object_get(step, "runs"), i, run)
    {
        const json_t *result = json_object_get(run, "result");
        if (call->set->common.out)
            flow_report_files(call, result);
        if (call->task.solve.request.calls != SOLVE_BUILTIN || call->set->quiet)
            continue;
        show_output(call, json_str(json_object_get(result, "stdout")));
        show_output(call, json_str(json_object_get(result, "stderr")));
    }
}

/* Shows a refusal or a limit, which no output contains. */
static void show_end(struct flow_call *call, const struct result *result)
{
    char summary[600];

    if (*result_summary(result, summary, sizeof summary))
        flow_say(call, summary);
}

static void show_run(struct flow_call *call, const struct run_event *event)
{
    if (event->kind == RUN_OUTPUT && !call->set->quiet)
        show_output(call, event->text);
    else if (event->kind == RUN_FINISHED)
        show_end(call, event->result);
}

static void put_line(void *ctx, struct str line)
{
    (void)ctx;
    printf("%.*s\n", (int)line.n, line.p);
    fflush(stdout);
}

/* The texts of several samples at the same time cannot be read, so only the steps are shown. */
static void show_sample(struct flow_call *call, const struct agent_event *event)
{
    if (event->kind == AGENT_NOTE)
        flow_event(call, event);
    if (event->kind != AGENT_STEP || call->set->json)
        return;
    AUTO_FREE char *line = xasprintf("sample %d: step %d is over", event->sample, event->step);
    flow_say(call, line);
}

void flow_event_solve(void *ctx, const struct agent_event *event)
{
    struct flow_call *call = ctx;

    call->lines.run.line = put_line;
    if (call->set->common.events)
        agent_lines_add(&call->lines, event);
    else if (call->task.samples > 1)
        show_sample(call, event);
    else if (call->set->json)
        flow_event(call, event);
    else if (event->kind == AGENT_ASKS)
        show_step(call, event);
    else if (event->kind == AGENT_CODE)
        show_code(call, event->text);
    else if (event->kind == AGENT_RUN)
        show_run(call, event->run);
    else if (event->kind == AGENT_STEP)
        show_runs(call, event->document);
    else
        flow_event(call, event);
}

/* ---- the answer of solve ---- */

static void print_solved(const json_t *document)
{
    struct str solution = json_str(json_object_get(document, "solution"));
    const json_t *answer = json_object_get(document, "answer");
    AUTO_FREE char *text = json_is_string(answer) ? NULL : json_write(answer, false);

    flow_print_code(solution.n ? solution : text ? str_from(text) : json_str(answer));
}

static void say_unsolved(struct flow_call *call, const struct flow_output *output)
{
    AUTO_FREE char *line =
        xasprintf("not solved: %s%s%s", output->error.msg, flow_more(output->end),
                  output->refused ? "; the last program was refused" : "");

    flow_say(call, line);
    if (!call->set->json && !call->set->common.events)
        flow_report_last_reply(call, output->document);
}

static void show_solved(struct flow_call *call, const struct flow_output *output)
{
    const struct settings *s = &call->set->common;
    const json_t *document = output->document;
    bool done = output->end == AGENT_DONE;

    call->lines.run.line = put_line;
    if (s->events) {
        agent_lines_finish(&call->lines, json_incref(output->document));
    } else if (call->set->json) {
        print_document(document);
    } else {
        if (done || json_get_text(document, "solution"))
            print_solved(document);
        if (done && !s->out && !s->work_dir)
            flow_report_files(call, json_object_get(document, "result"));
        flow_report_usage(call);
    }
}

/* An error if the answer is there, but the files of its program were not written. */
static int check_files(const json_t *document, struct err *err)
{
    const json_t *result = json_object_get(document, "result");
    const char *error = json_get_text(json_object_get(result, "error"), "message");

    return error ? err_set(err, ERR_SYSTEM, "%s", error) : 0;
}

int flow_report_solved(struct flow_call *call, const struct flow_output *output, struct err *err)
{
    struct str code = json_str(json_object_get(output->document, "code"));
    const char *save = call->set->common.save;
    int status = flow_status(output, err);

    show_solved(call, output);
    if (status > 0)
        say_unsolved(call, output);
    if (save && code.n && save_file(save, code, err) < 0)
        return err_wrap(err, "--save");
    if (status == 0)
        return check_files(output->document, err);
    return status > 0 && output->refused ? REFUSED : status;
}

/* ---- the answer of analyze ---- */

static void say_lost_displays(struct flow_call *call, size_t n)
{
    if (!n || call->set->common.out)
        return;
    AUTO_FREE char *line =
        xasprintf("not kept: %zu display%s (--out DIR keeps them)", n, n == 1 ? "" : "s");
    flow_say(call, line);
}

static void print_answer(const json_t *result)
{
    flow_print_code(json_str(json_object_get(result, "stdout")));
    fflush(stdout);
}

int flow_report_answer(struct flow_call *call, const struct flow_output *output, struct err *err)
{
    const json_t *step = flow_last_step(output->document),
                 *result = json_object_get(step, "result");
    struct run_show shown = {.place = {.settings = call->set}};
    int status = flow_status(output, err);
    bool json = call->set->json;

    if (json)
        print_document(output->document);
    /* the answer is printed, even if its files could not be kept */
    if (!json && (status == 0 || (status < 0 && json_get_true(step, "passed"))))
        print_answer(result);
    if (!json && status == 0) {
        flow_report_files(call, result);
        say_lost_displays(call, json_array_size(json_object_get(result, "results")));
    }
    if (status == 0)
        run_show_end(&shown, json_object_get(result, "results"));
    if (!json && status > 0)
        flow_report_failure(call, output);
    if (!json)
        flow_report_usage(call);
    return status;
}
