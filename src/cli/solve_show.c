/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/solve_show.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "cli/print_json.h"
#include "result/verdict_json.h"
#include "session/event_json.h"
#include "terminal/safe_text.h"
#include "verdicts/check_report.h"

/* ---- events ---- */

static void put_line(const json_t *object)
{
    AUTO_FREE char *line = json_write(object, false);

    puts(line);
    fflush(stdout);
}

static json_t *event_named(const struct agent_event *event, const char *name)
{
    return json_pack("{s:s, s:I, s:i}", "event", name, "time_ms", (json_int_t)clock_wall_ms(),
                     "step", event->step);
}

static json_t *run_event(const struct agent_event *event)
{
    json_t *object = event_json(event->run);

    json_object_set_new(object, "step", json_integer(event->step));
    return object;
}

static json_t *document_event(const struct agent_event *event)
{
    json_t *object = event_named(event, "step");

    json_object_update_missing(object, (json_t *)(uintptr_t)event->document);
    return object;
}

static void print_event(const struct solution *solution, const struct agent_event *event)
{
    static const char *const names[] = {
        [AGENT_ASKS] = "ask", [AGENT_TEXT] = "text", [AGENT_NOTE] = "note", [AGENT_CODE] = "code"};

    /* The event of the step has it. */
    if (event->kind == AGENT_RUN && event->run->kind == RUN_FINISHED)
        return;
    json_t *object = event->kind == AGENT_RUN    ? run_event(event)
                     : event->kind == AGENT_STEP ? document_event(event)
                                                 : event_named(event, names[event->kind]);

    if (event->kind == AGENT_ASKS)
        json_object_set_new(object, "steps",
                            json_integer((json_int_t)solution->call.request.bounds.steps));
    else if (event->text.p)
        json_object_set_new(object, "text", json_text(event->text));
    put_line(object);
    json_decref(object);
}

void solve_show_document(struct solution *solution, json_t *document)
{
    if (!solution->call.set->events) {
        print_document(document);
        return;
    }
    json_t *event = event_finished(json_incref(document));
    put_line(event);
    json_decref(event);
}

/* ---- for people ---- */

static void show_output(struct model_call *call, struct str text)
{
    bool dim = call->terminal && check_colour(stderr);
    AUTO_BUF struct buf safe = {0};

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

static void show_code(struct model_call *call, struct str code)
{
    size_t lines = str_lines(code) + (code.n && !str_ends(code, "\n"));
    AUTO_FREE char *line = xasprintf("running %zu line%s", lines, lines == 1 ? "" : "s");

    model_call_say(call, line);
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

static void show_event(struct model_call *call, const struct agent_event *event)
{
    if (event->kind == AGENT_ASKS)
        show_step(call, event);
    else if (event->kind == AGENT_CODE)
        show_code(call, event->text);
    else if (event->kind == AGENT_RUN)
        show_run(call, event->run);
    else
        model_call_event(call, event);
}

void solve_show_event(void *ctx, const struct agent_event *event)
{
    struct solution *solution = ctx;

    if (solution->call.set->events)
        print_event(solution, event);
    else if (solution->call.set->json)
        model_call_event(ctx, event);
    else
        show_event(&solution->call, event);
}
