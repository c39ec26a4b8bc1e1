/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/flow_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/core_dump.h"
#include "base/mem.h"
#include "console/model_review.h"
#include "console/save_file.h"
#include "llm/usage_write.h"
#include "report/report.h"
#include "terminal/cancel.h"
#include "terminal/colours.h"
#include "terminal/safe_text.h"

enum { DRAW_EVERY_MS = 200 };

/* ---- on the terminal ---- */

/* Called before any line of ours. */
void flow_erase(struct flow_call *call)
{
    if (call->drawn)
        fputs("\r\033[K", stderr);
    if (call->in_line)
        fputc('\n', stderr);
    call->drawn = call->in_line = false;
}

void flow_say(struct flow_call *call, const char *what)
{
    if (call->set->quiet)
        return;
    flow_erase(call);
    model_note(NULL, what);
}

static void draw(struct flow_call *call)
{
    int64_t now_ms = clock_mono_ms();

    if (!call->terminal || now_ms - call->drawn_ms < DRAW_EVERY_MS)
        return;
    fprintf(stderr, "\rthe model is writing: %zu bytes\033[K", call->received);
    fflush(stderr);
    call->drawn = true;
    call->drawn_ms = now_ms;
}

/* Shows progress: a model may think for minutes before its first word. */
static void show_wait(struct flow_call *call)
{
    AUTO_BUF struct buf name = {0};

    if (!call->terminal)
        return;
    buf_init(&name, 4096);
    safe_text_add(&name, str_from(llm_model(call->task.llm)), false);
    flow_erase(call);
    fprintf(stderr, "\rwaiting for %s\033[K", name.p);
    fflush(stderr);
    call->drawn = true;
}

static void show_text(struct flow_call *call, struct str piece)
{
    AUTO_BUF struct buf safe = {0};

    call->received += piece.n;
    if (!call->set->common.stream) {
        draw(call);
        return;
    }
    if (call->drawn)
        flow_erase(call);
    buf_init(&safe, 8 * piece.n + 64);
    safe_text_add(&safe, piece, true);
    fwrite(safe.p, 1, safe.n, stderr);
    fflush(stderr);
    call->in_line = !str_ends(piece, "\n");
}

void flow_event(void *ctx, const struct agent_event *event)
{
    struct flow_call *call = ctx;

    if (event->kind == AGENT_ASKS)
        show_wait(call);
    else if (event->kind == AGENT_TEXT)
        show_text(call, event->text);
    else if (event->kind == AGENT_NOTE)
        flow_say(call, event->text.p);
}

/* ---- the task ---- */

static void flow_call_log_usage(struct flow_call *call)
{
    const struct usage_of what = {.log = call->set->common.log,
                                  .provider = llm_provider_name(call->task.llm),
                                  .model = llm_model(call->task.llm)};
    struct err err;

    if (usage_write(&what, llm_usage_of(call->task.llm), &err) < 0)
        flow_say(call, err.msg);
}

/* The same model reviews the programs that it wrote, in separate conversations. */
static int open_review(struct flow_call *call, struct review **ret, struct err *err)
{
    const struct review_settings settings = model_review_settings(call->set);
    struct run_request *run = &call->task.run;

    *ret = NULL;
    if (!run->policy.review)
        return 0;
    if (call->set->common.model.record || call->set->common.model.replay)
        return err_set(err, ERR_USAGE,
                       "--review cannot be given together with --record or --replay: a record "
                       "holds one conversation only");
    if (review_open(&settings, ret, err) < 0)
        return -1;
    run->policy.reviewer = review_reviewer(*ret);
    return 0;
}

static int run_task(struct flow_call *call, struct err *err)
{
    struct flow_output output;

    report_unsafe(call->set, &call->task.run);
    flow_run(&call->task, &output);
    flow_erase(call);
    int status = call->command->report(call, &output, err);
    json_decref(output.document);
    return status;
}

static int with_model(struct flow_call *call, struct err *err)
{
    struct review *review;
    int cancel[2];

    core_dump_without_memory();
    if (model_check_choice(call->set, call->task.run.policy.review, err) < 0 ||
        cancel_catch_signals(cancel, err) < 0 || open_review(call, &review, err) < 0)
        return -1;
    if (llm_open(&call->set->common.model, &call->task.llm, err) < 0) {
        review_close(review);
        return -1;
    }
    call->watch =
        (struct agent_watch){.event = call->command->event, .ctx = call, .cancel_fd = cancel[0]};
    call->task.watch = &call->watch;
    int status = run_task(call, err);
    flow_erase(call);
    flow_call_log_usage(call);
    review_close(review);
    llm_close(call->task.llm);
    return status < 0 && cancel_signal() ? 128 + cancel_signal() : status;
}

/* With a record or a replay, streaming does not depend on the terminal, so that a record can be
 * replayed anywhere. */
static void choose_terminal(struct flow_call *call)
{
    const struct settings *s = &call->set->common;

    call->terminal = terminal_draws(stderr) && !call->set->quiet;
    call->task.request.stream =
        s->stream || (call->terminal && !s->model.record && !s->model.replay);
}

static int flow_call_prepare(struct flow_call *call, struct err *err)
{
    const struct settings *s = &call->set->common;
    struct run_request run;

    if (settings_request(s, &run, err) < 0 || flow_read(call, &run, err) < 0 ||
        flow_prepare(&call->task, flow_find(verb_command(call->command->verb)), s, &run, err) < 0)
        return -1;
    if (s->save && save_file_check(s->save, err) < 0)
        return err_wrap(err, "--save");
    choose_terminal(call);
    return 0;
}

int flow_command_run(const struct flow_command *command, struct cli_options *options,
                     struct err *err)
{
    struct flow_call call = {.command = command, .options = options, .set = &options->settings};
    int status = -1;

    if (flow_call_prepare(&call, err) == 0)
        status = with_model(&call, err);
    flow_task_done(&call.task);
    flow_read_done(&call);
    return status;
}
