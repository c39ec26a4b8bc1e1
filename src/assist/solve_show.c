/* SPDX-License-Identifier: Apache-2.0 */
#include "assist/solve_show.h"

#include <stdio.h>

#include "base/json_get.h"
#include "base/mem.h"
#include "console/print_json.h"
#include "terminal/safe_text.h"
#include "verdicts/check_report.h"

/* ---- for people ---- */

static void show_output(struct model_call *call, struct str text)
{
    bool dim = call->terminal && check_colour(stderr);
    AUTO_BUF struct buf safe = {0};

    if (!text.n)
        return;
    buf_init(&safe, 10 * text.n + 64);
    safe_text_add(&safe, text, true);
    if (call->drawn)
        model_call_erase(call);
    fprintf(stderr, "%s%s%s", dim ? "\033[2m" : "", safe.p, dim ? "\033[0m" : "");
    call->in_line = !str_ends(text, "\n");
}

static void show_step(struct model_call *call, const struct agent_event *event)
{
    AUTO_FREE char *line = xasprintf("step %d of %lld: asking %s", event->step,
                                     (long long)call->request.bounds.steps, llm_model(call->llm));

    model_call_say(call, line);
}

static void show_code(struct solution *solution, struct str code)
{
    size_t lines = str_lines(code) + (code.n && !str_ends(code, "\n"));
    AUTO_FREE char *line =
        xasprintf("%s %zu line%s",
                  solution->setup.request.calls == SOLVE_BUILTIN ? "the model ran" : "running",
                  lines, lines == 1 ? "" : "s");

    model_call_say(&solution->call, line);
}

/* Files, and the output of runs on the model's side: of these, there are no events. */
static void show_runs(struct solution *solution, const json_t *step)
{
    const json_t *run;
    size_t i;

    json_array_foreach(json_object_get(step, "runs"), i, run)
    {
        const json_t *result = json_object_get(run, "result");
        if (solution->call.set->common.out)
            model_call_files(&solution->call, result);
        if (solution->setup.request.calls != SOLVE_BUILTIN || solution->call.set->quiet)
            continue;
        show_output(&solution->call, json_str(json_object_get(result, "stdout")));
        show_output(&solution->call, json_str(json_object_get(result, "stderr")));
    }
}

/* A refusal and a limit are in no output. */
static void show_end(struct model_call *call, const struct result *result)
{
    char summary[600];

    if (*result_summary(result, &result->limits, summary, sizeof summary))
        model_call_say(call, summary);
}

static void show_run(struct model_call *call, const struct run_event *event)
{
    if (event->kind == RUN_OUTPUT && !call->set->quiet)
        show_output(call, event->text);
    else if (event->kind == RUN_FINISHED)
        show_end(call, event->result);
}

static void show_event(struct solution *solution, const struct agent_event *event)
{
    if (event->kind == AGENT_ASKS)
        show_step(&solution->call, event);
    else if (event->kind == AGENT_CODE)
        show_code(solution, event->text);
    else if (event->kind == AGENT_RUN)
        show_run(&solution->call, event->run);
    else if (event->kind == AGENT_STEP)
        show_runs(solution, event->document);
    else
        model_call_event(&solution->call, event);
}

static void on_event(void *ctx, const struct agent_event *event)
{
    struct solution *solution = ctx;

    if (solution->call.set->events)
        agent_lines_add(&solution->lines, event);
    else if (solution->call.set->json)
        model_call_event(ctx, event);
    else
        show_event(solution, event);
}

/* ---- events ---- */

static void put_line(void *ctx, struct str line)
{
    (void)ctx;
    printf("%.*s\n", (int)line.n, line.p);
    fflush(stdout);
}

void solve_show_begin(struct solution *solution)
{
    solution->lines.run = (struct event_lines){.line = put_line};
    solution->call.watch = (struct agent_watch){.event = on_event, .ctx = solution};
}

void solve_show_document(struct solution *solution, json_t *document)
{
    if (solution->call.set->events)
        agent_lines_finish(&solution->lines, json_incref(document));
    else
        print_document(document);
}
