/* SPDX-License-Identifier: Apache-2.0 */
#include "console/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "console/model_review.h"
#include "console/options.h"
#include "console/other_words.h"
#include "console/print_config.h"
#include "remote/run_notebook.h"
#include "remote/run_remote.h"
#include "report/events.h"
#include "report/report.h"
#include "report/run_show.h"
#include "request/setting.h"
#include "run/check.h"
#include "run/run.h"
#include "terminal/cancel.h"

#define AT(member) offsetof(struct cli_settings, member)

static const struct opt show_options[] = {
    {.name = "trace-time",
     .kind = OPT_FLAG,
     .offset = AT(trace_time),
     .group = "Output",
     .help = "print how long each phase took"},
    {.name = "print-config",
     .kind = OPT_FLAG,
     .offset = AT(print_config),
     .group = "Output",
     .help = "print every setting and its source, run nothing; the values of --env are hidden, as "
             "they may be secrets"},
    {0},
};

static const struct opt *const tables[] = {json_option,    show_options,    quiet_option,
                                           daemon_options, general_options, NULL};

/* One invocation. */
struct invocation {
    struct cli_options options;
    struct run_request request;
    struct buf code;
    int stdin_fd; /* opened here, or -1 */
    int cancel_pipe[2];
    int64_t begin_ns;
    struct review *review;
    struct remote_run remote;
    struct run_show show;
};

/* ---- what to run ---- */

/* True if no file has this name, but it reads like a program. */
static bool looks_like_code(const char *name)
{
    const char *end = strrchr(name, '.');
    bool ends = end && end[1] && strspn(end + 1, "abcdefghijklmnopqrstuvwxyz") == strlen(end + 1);

    return !ends && strpbrk(name, "()=+*;\n\"' ") != NULL;
}

static int fail_to_read(const char *file, struct err *err)
{
    if (err->sys == EFBIG)
        err_set(err, ERR_USAGE, "%s: is larger than %u MiB; give data with --file", file,
                RUN_SOURCE_MAX >> 20);
    else if (err->sys == ENOENT && strstr(file, "://"))
        err_set(err, ERR_USAGE, "'%.200s' is not fetched; curl URL | glovebox run - runs it", file);
    else if (err->sys == ENOENT && looks_like_code(file))
        err_set(err, ERR_USAGE, "'%.200s' is not a file; write the text of a program after -c",
                file);
    err->kind = ERR_USAGE;
    return -1;
}

static int cmd_run_read_code(struct invocation *in, struct err *err)
{
    const struct cli_settings *s = &in->options.settings;
    const struct opt_args *args = &in->options.args;
    bool from_stdin =
        !s->common.code && (args->operand_n == 0 || strcmp(args->operands[0], "-") == 0);

    buf_init(&in->code, RUN_SOURCE_MAX);
    if (args->operand_n > 1 || (s->common.code && args->operand_n))
        return err_set(err, ERR_USAGE,
                       "'%s' is one program too many; arguments for the program come after --",
                       args->operands[s->common.code ? 0 : 1]);
    if (s->common.code) {
        if (buf_adds(&in->code, s->common.code) < 0)
            return err_set(err, ERR_USAGE, "-c: the program is too large");
    } else if (from_stdin) {
        if (args->operand_n == 0 && isatty(0))
            return err_set(err, ERR_USAGE,
                           "nothing to run: name a FILE, or give -c CODE, or - for standard input");
        if (fd_read_all(0, &in->code) < 0)
            return errno == EFBIG ? err_set(err, ERR_USAGE, "the program is larger than %u MiB",
                                            RUN_SOURCE_MAX >> 20)
                                  : err_sys(err, "read standard input");
        in->request.program.file = "-";
    } else {
        in->request.program.file = args->operands[0];
        if (!in->request.program.file[0])
            return err_set(err, ERR_USAGE,
                           "the file name is empty; for an empty program, use -c ''");
        if (fd_read_file(in->request.program.file, &in->code, err) < 0)
            return fail_to_read(in->request.program.file, err);
        if (other_language_refuse(in->request.program.file, in->request.program.language,
                                  in->request.program.languages, err) < 0 ||
            (!in->request.policy.no_check &&
             other_format_refuse(in->request.program.file, buf_str(&in->code), err) < 0))
            return -1;
    }
    in->request.program.code = buf_str(&in->code);
    return 0;
}

/* Without --stdin, the program receives our standard input, unless its own text was read from that.
 */
static int choose_stdin(struct invocation *in, struct err *err)
{
    const char *path = in->options.settings.common.input;
    bool taken = in->request.program.file && strcmp(in->request.program.file, "-") == 0;

    if (path && strcmp(path, "-") != 0) {
        in->stdin_fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        in->request.program.stdin_fd = in->stdin_fd;
        struct stat st;
        if (in->stdin_fd < 0) {
            err_sys(err, "open --stdin %s", path);
            err->kind = ERR_USAGE;
            return -1;
        }
        if (fstat(in->stdin_fd, &st) == 0 && S_ISDIR(st.st_mode))
            return err_set(err, ERR_USAGE, "--stdin %s: is a folder, not a file", path);
        return 0;
    }
    in->request.program.stdin_fd = taken || fcntl(0, F_GETFD) < 0 ? -1 : 0;
    return 0;
}

/* ---- the command ---- */

static void cmd_run_on_event(void *ctx, const struct run_event *event)
{
    struct invocation *in = ctx;

    printer_event(in->show.place.printer, event);
    if (event->kind == RUN_DISPLAY)
        run_show_bundle(&in->show, event->bundle);
}

static bool cmd_run_has_room(void *ctx, int stream, struct pollfd *ret)
{
    return printer_room(((struct invocation *)ctx)->show.place.printer, stream, ret);
}

static void on_event_there(void *ctx, const char *name, const json_t *event)
{
    if (strcmp(name, "display") == 0)
        run_show_bundle(&((struct invocation *)ctx)->show, json_object_get(event, "bundle"));
}

/* Returns the exit status. */
static int cmd_run_finish(struct invocation *in, struct printer *printer, const json_t *doc,
                          const struct backend_outcome *here)
{
    const struct report how = {.settings = &in->options.settings,
                               .shown = check_shown_name(&in->request),
                               .begin_ns = in->begin_ns,
                               .phases = here->phases,
                               .phase_count = here->phase_count,
                               .files = true};

    report_result(&how, printer, doc);
    run_show_end(&in->show, json_object_get(doc, "results"));
    return report_status(printer, doc);
}

static int cmd_run(struct invocation *in, struct err *err)
{
    struct result result;
    struct printer printer;

    if (settings_request(&in->options.settings.common, &in->request, err) < 0 ||
        model_review_open(&in->options.settings, &in->request, &in->review, err) < 0 ||
        cmd_run_read_code(in, err) < 0 || choose_stdin(in, err) < 0 ||
        cancel_catch_signals(in->cancel_pipe, err) < 0)
        return -1;
    in->request.program.args = in->options.args.has_rest ? in->options.args.rest : NULL;
    report_unsafe(&in->options.settings, &in->request);
    result_init(&result, in->request.output_limit);
    printer_init(&printer,
                 in->options.settings.json            ? PRINT_NOTHING
                 : in->options.settings.common.events ? PRINT_EVENTS
                                                      : PRINT_OUTPUT,
                 in->cancel_pipe);
    printer.quiet = in->options.settings.quiet;
    in->show = (struct run_show){.place = {.settings = &in->options.settings, .printer = &printer}};
    struct run_watch watch = {.event = cmd_run_on_event,
                              .ctx = in,
                              .all_output = true,
                              .room = cmd_run_has_room,
                              .cancel_fd = in->cancel_pipe[0]};
    in->remote = (struct remote_run){.options = &in->options,
                                     .request = &in->request,
                                     .stream = {.printer = &printer,
                                                .cancel_fd = in->cancel_pipe[0],
                                                .out_fd = -1,
                                                .event = on_event_there,
                                                .ctx = in}};
    int ran = run_remote(&in->remote, err);
    json_t *doc = json_incref(in->remote.stream.doc);
    if (ran == 0) {
        printer.waits = false;
        run_program(&in->request, &watch, &result);
        doc = result_document(&result);
    }
    int status = ran < 0 ? -1 : cmd_run_finish(in, &printer, doc, &result.outcome);
    json_decref(doc);
    result_done(&result);
    printer_done(&printer);
    remote_run_done(&in->remote);
    return status;
}

static int cmd_run_choose(struct invocation *in, struct err *err)
{
    if (run_is_notebook(&in->options))
        return run_notebook(&in->options, err);
    if (in->options.settings.common.allow_errors)
        return err_set(err, ERR_USAGE, "--allow-errors is for notebooks (NAME.ipynb)");
    return cmd_run(in, err);
}

static int run_main(int argc, char **argv)
{
    struct invocation in = {.stdin_fd = -1, .begin_ns = clock_mono_ns()};
    struct err err;
    int status = -1;

    buf_init(&in.code, 0);
    if (cli_options_load(&in.options, &command_run, argc, argv, &err) == 0) {
        status = 0;
        if (opt_help_asked(&in.options.settings.help))
            help_print_command(stdout, &command_run, &in.options.settings.help);
        else if (in.options.settings.print_config)
            print_config(&in.options, stdout);
        else
            status = cmd_run_choose(&in, &err);
    }
    if (status < 0) {
        bool nothing_given = argc == 1 && err.kind == ERR_USAGE && isatty(0);
        status = cli_fail("run", &err);
        if (nothing_given)
            help_print_short(stderr, &command_run);
    }
    review_close(in.review);
    fd_close(&in.stdin_fd);
    buf_done(&in.code);
    cli_options_done(&in.options);
    return status;
}

const struct command command_run = {
    .name = "run",
    .summary = "run a program behind the wall",
    .usage = "glovebox run [OPTION]... FILE [-- ARG...]\n"
             "glovebox run [OPTION]... -c CODE [-- ARG...]\n"
             "glovebox run [OPTION]... - [-- ARG...]",
    .verbs = V_RUN,
    .tables = tables,
    .files = true,
    .run = run_main,
};
