/* SPDX-License-Identifier: Apache-2.0 */
#include "assist/model_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/usage.h"
#include "base/clock.h"
#include "base/core_dump.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "console/model_review.h"
#include "console/save_file.h"
#include "languages/pythons.h"
#include "terminal/cancel.h"
#include "terminal/safe_text.h"

enum { NOT_DONE = 1, STEPS = 4, TASK_MAX = 1 << 20, DRAW_EVERY_MS = 200 };

#define SAMPLES_TEMPERATURE 0.8

/* ---- on the terminal ---- */

/* Before any line of ours. */
void model_call_erase(struct model_call *call)
{
    if (call->drawn)
        fputs("\r\033[K", stderr);
    if (call->in_line)
        fputc('\n', stderr);
    call->drawn = call->in_line = false;
}

void model_call_say(struct model_call *call, const char *what)
{
    AUTO_BUF struct buf line = {0};

    if (call->set->quiet)
        return;
    buf_init(&line, 64 << 10);
    safe_text_add(&line, str_from(what), false);
    model_call_erase(call);
    fprintf(stderr, "glovebox: %s\n", line.p);
}

static void draw(struct model_call *call)
{
    int64_t now_ms = clock_mono_ms();

    if (!call->terminal || now_ms - call->drawn_ms < DRAW_EVERY_MS)
        return;
    fprintf(stderr, "\rthe model is writing: %zu bytes\033[K", call->received);
    fflush(stderr);
    call->drawn = true;
    call->drawn_ms = now_ms;
}

/* A model may think for minutes before its first word. */
static void show_wait(struct model_call *call)
{
    AUTO_BUF struct buf name = {0};

    if (!call->terminal)
        return;
    buf_init(&name, 4096);
    safe_text_add(&name, str_from(llm_model(call->llm)), false);
    model_call_erase(call);
    fprintf(stderr, "\rwaiting for %s\033[K", name.p);
    fflush(stderr);
    call->drawn = true;
}

static void show_text(struct model_call *call, struct str piece)
{
    AUTO_BUF struct buf safe = {0};

    call->received += piece.n;
    if (!call->set->stream) {
        draw(call);
        return;
    }
    if (call->drawn)
        model_call_erase(call);
    buf_init(&safe, 8 * piece.n + 64);
    safe_text_add(&safe, piece, true);
    fwrite(safe.p, 1, safe.n, stderr);
    fflush(stderr);
    call->in_line = !str_ends(piece, "\n");
}

void model_call_event(void *ctx, const struct agent_event *event)
{
    struct model_call *call = ctx;

    if (event->kind == AGENT_ASKS)
        show_wait(call);
    else if (event->kind == AGENT_TEXT)
        show_text(call, event->text);
    else if (event->kind == AGENT_NOTE)
        model_call_say(call, event->text.p);
}

/* ---- what is asked ---- */

int model_call_task(const struct opt_args *args, const char *what, struct buf *ret, struct err *err)
{
    const char *only = args->operand_n == 1 && !args->rest_n ? args->operands[0] : NULL;

    buf_init(ret, TASK_MAX);
    if (only && strcmp(only, "-") == 0) {
        if (fd_read_all(STDIN_FILENO, ret) < 0 && !ret->overflow)
            return err_sys(err, "read standard input");
    } else {
        for (size_t i = 0; i < args->operand_n + args->rest_n; i++)
            (void)buf_addf(ret, "%s%s", i ? " " : "",
                           i < args->operand_n ? args->operands[i]
                                               : args->rest[i - args->operand_n]);
    }
    if (ret->overflow)
        return err_set(err, ERR_USAGE, "the text is longer than %d KiB", TASK_MAX >> 10);
    if (str_trim(buf_str(ret)).n == 0)
        return err_set(err, ERR_USAGE, "no %s, or give - for standard input", what);
    return memchr(ret->p, '\0', ret->n) ? err_set(err, ERR_USAGE, "the text has a NUL byte") : 0;
}

static int read_temperature(struct model_call *call, struct err *err)
{
    const char *text = call->set->temperature;
    int64_t milli = 0;

    if (strcmp(text, "none") == 0)
        return 0;
    if (num_milli(str_from(text), &milli, err) < 0 || milli > 2000)
        return err_set(err, ERR_USAGE, "--temperature: expected a number from 0 to 2, or none");
    call->request.has_temperature = true;
    call->request.temperature = (double)milli / 1000;
    return 0;
}

/* Several at a low temperature would be much the same. */
static int prepare_samples(struct model_call *call, const struct cli_options *options,
                           struct err *err)
{
    const struct cli_settings *set = call->set;

    if (set->samples <= 1)
        return 0;
    if (set->model.record || set->model.replay)
        return err_set(err, ERR_USAGE, "--%s keeps one conversation; --samples has several",
                       set->model.record ? "record" : "replay");
    if (opt_source_of(&options->set, "temperature")->from == OPT_FROM_DEFAULT)
        call->request.temperature = SAMPLES_TEMPERATURE;
    return 0;
}

static int find_language(struct model_call *call, struct err *err)
{
    const char *name = call->set->common.lang;

    if (!name || strcmp(name, "auto") == 0)
        name = "python";
    bool versioned = python_is_language(str_from(name));
    call->language =
        language_find(&call->set->common.languages, versioned ? STR("python") : str_from(name));
    return call->language ? 0 : language_unknown(&call->set->common.languages, str_from(name), err);
}

int model_call_prepare(struct model_call *call, const struct cli_options *options, struct err *err)
{
    const struct cli_settings *set = call->set;

    if (cli_options_taken(&options->set, call->command, err) < 0 || find_language(call, err) < 0 ||
        read_temperature(call, err) < 0 || prepare_samples(call, options, err) < 0 ||
        settings_request(&set->common, &call->run, err) < 0)
        return -1;
    if (set->save && save_file_check(set->save, err) < 0)
        return err_wrap(err, "--save");
    const char *term = getenv("TERM");
    call->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 && !set->quiet;
    if (!call->run.python && set->common.lang && python_is_language(str_from(set->common.lang)))
        call->run.python = set->common.lang; /* --lang python3.12 */
    call->request.run = &call->run;
    call->request.language = call->language->name;
    call->request.prompts = set->model.prompts;
    call->request.bounds = set->bounds;
    if (!call->request.bounds.steps)
        call->request.bounds.steps = STEPS;
    /* A record is of use wherever it is replayed: it does not depend on the terminal. */
    call->request.stream =
        set->stream || (call->terminal && !set->model.record && !set->model.replay);
    return 0;
}

/* ---- what came of it ---- */

int model_call_save(const char *path, struct str code, struct err *err)
{
    return save_file(path, code, err) < 0 ? err_wrap(err, "--save") : 0;
}

/* A file or a program gets what the model wrote; a terminal would obey what is in it. */
void model_call_print_code(struct str code)
{
    AUTO_BUF struct buf safe = {0};

    if (isatty(STDOUT_FILENO)) {
        buf_init(&safe, 10 * code.n + 16);
        safe_text_add(&safe, code, true);
        code = buf_str(&safe);
    }
    fwrite(code.p, 1, code.n, stdout);
    if (!str_ends(code, "\n"))
        putchar('\n');
}

char *model_usage_text(const struct llm_usage *u)
{
    AUTO_FREE char *tokens = u->tokens_known
                                 ? xasprintf("%lld + %lld tokens", (long long)u->prompt_tokens,
                                             (long long)u->completion_tokens)
                                 : xstrdup("tokens unknown");
    AUTO_FREE char *cost =
        u->cost_known ? xasprintf("about $%.6f", u->cost) : xstrdup("cost unknown");

    return xasprintf("%s, %s", tokens, cost);
}

void model_call_usage(struct model_call *call)
{
    struct llm_usage u;

    llm_usage_total(llm_usage_of(call->llm), &u);
    if (u.requests == 0)
        return;
    AUTO_FREE char *line = model_usage_text(&u);

    model_call_say(call, line);
}

int model_call_status(const struct agent *agent, struct err *err)
{
    if (agent->end == AGENT_DONE)
        return 0;
    if (agent->end != AGENT_FAILED && agent->end != AGENT_CANCELLED)
        return NOT_DONE;
    *err = agent->error;
    return -1;
}

/* ---- the work ---- */

static void log_usage(struct model_call *call)
{
    const struct usage_of what = {.log = call->set->common.log,
                                  .provider = llm_provider_name(call->llm),
                                  .model = llm_model(call->llm)};
    struct err err;

    if (usage_write(&what, llm_usage_of(call->llm), &err) < 0)
        model_call_say(call, err.msg);
}

/* The same model reviews what it wrote, in conversations of its own. */
static int open_review(struct model_call *call, struct review **ret, struct err *err)
{
    const struct review_settings settings = model_review_settings(call->set);

    *ret = NULL;
    if (!call->run.review)
        return 0;
    if (call->set->model.record || call->set->model.replay)
        return err_set(err, ERR_USAGE,
                       "--review does not go with --record and --replay of a task: a record is of "
                       "one conversation");
    if (review_open(&settings, ret, err) < 0)
        return -1;
    call->run.reviewer = review_reviewer(*ret);
    return 0;
}

int model_call_run(struct model_call *call, int (*work)(struct model_call *call, struct err *err),
                   struct err *err)
{
    struct review *review;
    int cancel[2];

    core_dump_without_memory();
    if (model_check_choice(call->set, call->run.review, err) < 0 ||
        cancel_catch_signals(cancel, err) < 0 || open_review(call, &review, err) < 0)
        return -1;
    if (llm_open(&call->set->model, &call->llm, err) < 0) {
        review_close(review);
        return -1;
    }
    call->watch = (struct agent_watch){
        .event = call->watch.event ? call->watch.event : model_call_event,
        .ctx = call->watch.event ? call->watch.ctx : call,
        .cancel_fd = cancel[0],
    };
    int status = work(call, err);
    model_call_erase(call);
    log_usage(call);
    review_close(review);
    llm_close(call->llm);
    call->llm = NULL;
    return status < 0 && cancel_signal() ? 128 + cancel_signal() : status;
}
