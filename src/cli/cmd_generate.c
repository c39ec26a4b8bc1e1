/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/generate.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "base/num.h"
#include "cli/cancel.h"
#include "cli/check_report.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/safe_text.h"
#include "languages/pythons.h"
#include "result/verdict_json.h"

#define AT(member) offsetof(struct cli_settings, member)

enum { NO_CODE = 1, TASK_MAX = 1 << 20, DRAW_EVERY_MS = 200 };

static const struct opt generate_options[] = {
    {.name = "temperature",
     .kind = OPT_STRING,
     .offset = AT(temperature),
     .arg = "T",
     .group = "The program",
     .initial = "0.2",
     .help = "0 to 2; none: do not send one (some models refuse it)"},
    {.name = "save",
     .kind = OPT_STRING,
     .offset = AT(save),
     .arg = "FILE",
     .group = "The program",
     .help = "write the program to FILE instead of standard output"},
    {.name = "stream",
     .kind = OPT_FLAG,
     .offset = AT(stream),
     .group = "Output",
     .help = "show the reply on standard error as it arrives"},
    {0},
};

static const struct opt *const tables[] = {
    generate_options, model_options,   work_options,  policy_options, limit_options,
    wall_options,     data_options,    guard_options, log_options,    json_option,
    quiet_option,     general_options, NULL};

#define TAKES                                                                                      \
    ",temperature,save,stream,model,provider,model-url,key-file,plain-http,model-timeout,"         \
    "model-retries,max-tokens,prices,prompts,record,replay,lang,profile,allow-imports,"            \
    "forbid-imports,timeout,memory,output-limit,net,json,quiet,config,help,"

struct call {
    const struct cli_settings *set;
    const struct language *language;
    struct buf task;
    struct run_request run;
    struct generate_request request;
    bool terminal, drawn;
    bool in_line; /* what the model wrote did not end its line yet */
    size_t received;
    int64_t drawn_ms;
};

/* ---- on the terminal ---- */

/* Before any line of ours. */
static void erase(struct call *call)
{
    if (call->drawn)
        fputs("\r\033[K", stderr);
    if (call->in_line)
        fputc('\n', stderr);
    call->drawn = call->in_line = false;
}

static void say(struct call *call, const char *what)
{
    AUTO_BUF struct buf line = {0};

    if (call->set->quiet)
        return;
    buf_init(&line, 64 << 10);
    safe_text_add(&line, str_from(what), false);
    erase(call);
    fprintf(stderr, "glovebox: %s\n", line.p);
}

static void note(void *ctx, const char *what)
{
    say(ctx, what);
}

static void draw(struct call *call)
{
    int64_t now_ms = clock_mono_ms();

    if (!call->terminal || now_ms - call->drawn_ms < DRAW_EVERY_MS)
        return;
    fprintf(stderr, "\rthe model is writing: %zu bytes\033[K", call->received);
    fflush(stderr);
    call->drawn = true;
    call->drawn_ms = now_ms;
}

static void on_text(void *ctx, struct str piece)
{
    struct call *call = ctx;
    AUTO_BUF struct buf safe = {0};

    call->received += piece.n;
    if (!call->set->stream) {
        draw(call);
        return;
    }
    buf_init(&safe, 8 * piece.n + 64);
    safe_text_add(&safe, piece, true);
    fwrite(safe.p, 1, safe.n, stderr);
    fflush(stderr);
    call->in_line = !str_ends(piece, "\n");
}

/* ---- what is asked ---- */

static int check_options(const struct cli_options *options, struct err *err)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(options->set.tables, &walk)))
        if (opt_source_of(&options->set, row->name)->from == OPT_FROM_COMMAND &&
            !command_lists(TAKES, 0, row))
            return err_set(err, ERR_USAGE, "--%s does not apply to 'glovebox generate'", row->name);
    return 0;
}

static int read_task(struct call *call, const struct opt_args *args, struct err *err)
{
    const char *only = args->operand_n == 1 && !args->rest_n ? args->operands[0] : NULL;

    buf_init(&call->task, TASK_MAX);
    if (only && strcmp(only, "-") == 0) {
        if (fd_read_all(STDIN_FILENO, &call->task) < 0)
            return err_sys(err, "read the task from standard input");
    } else {
        for (size_t i = 0; i < args->operand_n + args->rest_n; i++)
            (void)buf_addf(&call->task, "%s%s", i ? " " : "",
                           i < args->operand_n ? args->operands[i]
                                               : args->rest[i - args->operand_n]);
    }
    if (call->task.overflow)
        return err_set(err, ERR_USAGE, "the task is longer than %d KiB", TASK_MAX >> 10);
    if (str_trim(buf_str(&call->task)).n == 0)
        return err_set(err, ERR_USAGE,
                       "no task; describe the program, or give - for standard input");
    return memchr(call->task.p, '\0', call->task.n)
               ? err_set(err, ERR_USAGE, "the task has a NUL byte")
               : 0;
}

static int read_temperature(struct call *call, struct err *err)
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

static int find_language(struct call *call, struct err *err)
{
    const char *name = call->set->common.lang;

    if (!name || strcmp(name, "auto") == 0)
        name = "python";
    bool versioned = python_is_language(str_from(name));
    call->language =
        language_find(&call->set->common.languages, versioned ? STR("python") : str_from(name));
    return call->language ? 0
                          : err_set(err, ERR_USAGE,
                                    "--lang: '%s' is not known; 'glovebox help languages' explains "
                                    "how to add one",
                                    name);
}

static int prepare(struct call *call, const struct cli_options *options, struct err *err)
{
    const struct cli_settings *set = call->set;

    if (check_options(options, err) < 0 || read_task(call, &options->args, err) < 0 ||
        find_language(call, err) < 0 || read_temperature(call, err) < 0 ||
        settings_request(&set->common, &call->run, err) < 0)
        return -1;
    const char *term = getenv("TERM");
    call->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 && !set->quiet;
    call->request.task = call->task.p;
    call->request.run = &call->run;
    call->request.language = call->language->name;
    call->request.prompts = set->model.prompts;
    /* A record is of use wherever it is replayed: it does not depend on the terminal. */
    call->request.stream =
        set->stream || (call->terminal && !set->model.record && !set->model.replay);
    return 0;
}

/* ---- what came of it ---- */

static void show_findings(const struct call *call, const struct generate_result *result)
{
    const struct finding_style style = {
        .out = stderr, .colour = check_colour(stderr), .least = RANK_WARNING, .max = 20};

    if (call->set->quiet || !result->checked)
        return;
    json_t *verdict = verdict_json(&result->verdict);
    check_text_findings(&style, call->set->save ? call->set->save : "<generated>", verdict);
    json_decref(verdict);
}

static void show_usage(struct call *call, const struct generate_result *result)
{
    const struct llm_usage *u = &result->answer.usage;
    AUTO_FREE char *tokens = u->tokens_known
                                 ? xasprintf("%lld + %lld tokens", (long long)u->prompt_tokens,
                                             (long long)u->completion_tokens)
                                 : xstrdup("tokens unknown");
    AUTO_FREE char *cost =
        u->cost_known ? xasprintf("about $%.6f", u->cost) : xstrdup("cost unknown");
    AUTO_FREE char *line = xasprintf("%s, %s", tokens, cost);

    say(call, line);
}

static int save(const char *path, struct str code, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return err_sys(err, "--save: open %s", path);
    if (fd_write_all(fd, code.p, code.n) < 0 ||
        (!str_ends(code, "\n") && fd_write_all(fd, "\n", 1) < 0))
        return err_sys(err, "--save: write %s", path);
    return 0;
}

/* A file or a program gets what the model wrote; a terminal would obey what is in it. */
static void print_code(struct str code)
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

static int put_code(const struct call *call, const struct generate_result *result, struct err *err)
{
    struct str code = buf_str(&result->code);

    if (call->set->save)
        return save(call->set->save, code, err);
    if (!call->set->json)
        print_code(code);
    return 0;
}

static int report(struct call *call, const struct llm *llm, const struct generate_result *result,
                  struct err *err)
{
    if (call->set->json) {
        json_t *document = generate_json(llm, &call->request, result);
        AUTO_FREE char *text = json_write(document, isatty(STDOUT_FILENO));
        json_decref(document);
        puts(text);
    }
    if (result->code.n && put_code(call, result, err) < 0)
        return -1;
    if (!call->set->json) {
        show_findings(call, result);
        show_usage(call, result);
    }
    if (result->answer.finish == LLM_FINISH_LENGTH)
        say(call, "the reply was cut at its maximum of tokens (--max-tokens)");
    if (result->code.n)
        return 0;
    AUTO_FREE char *line = xasprintf("no program: %.400s", result->complaint.p);
    say(call, line);
    return NO_CODE;
}

/* ---- the command ---- */

/* From now on keys are in this process, and guests are not. */
static void leave_no_core(void)
{
    const struct rlimit none = {0, 0};

    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static int ask(struct call *call, struct err *err)
{
    struct llm_watch watch = {.text = on_text, .note = note, .ctx = call};
    struct generate_result result = {0};
    struct llm *llm = NULL;
    int cancel[2];

    leave_no_core();
    if (cancel_catch_signals(cancel, err) < 0 || llm_open(&call->set->model, &llm, err) < 0)
        return -1;
    watch.cancel_fd = cancel[0];
    int status = generate(llm, &call->request, &watch, &result, err);
    erase(call);
    if (status == 0)
        status = report(call, llm, &result, err);
    generate_done(&result);
    if (status < 0 && llm_cancelled(llm) && cancel_signal())
        status = 128 + cancel_signal();
    llm_close(llm);
    return status;
}

static int generate_main(int argc, char **argv)
{
    struct cli_options options;
    struct call call = {.set = &options.settings};
    struct err err;
    int status = -1;

    if (cli_options_load(&options, tables, argc, argv, &err) == 0) {
        if (options.settings.help) {
            help_print_command(stdout, &command_generate);
            status = 0;
        } else if (prepare(&call, &options, &err) == 0) {
            status = ask(&call, &err);
        }
    }
    if (status < 0)
        status = cli_fail("generate", &err);
    buf_done(&call.task);
    cli_options_done(&options);
    return status;
}

const struct command command_generate = {
    .name = "generate",
    .summary = "let a model write a program, and run nothing",
    .usage = "glovebox generate [OPTION]... TASK... | -",
    .tables = tables,
    .takes = TAKES,
    .run = generate_main,
};
