/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox test`: a candidate against cases.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "cli/test_suite.h"
#include "console/commands.h"
#include "console/model_review.h"
#include "console/options.h"
#include "console/other_words.h"
#include "formats/json_get.h"
#include "judge/call.h"
#include "judge/judge.h"
#include "report/check_report.h"
#include "report/compare_results.h"
#include "report/print_json.h"
#include "report/report.h"
#include "report/test_report.h"
#include "request/setting.h"
#include "run/check.h"
#include "terminal/cancel.h"
#include "terminal/colours.h"
#include "terminal/progress.h"
#include "terminal/safe_text.h"
#include "text/notebook.h"
#include "workspace/views.h"

#define AT(member) offsetof(struct cli_settings, member)

static const struct opt show_options[] = {
    {.name = "json",
     .kind = OPT_FLAG,
     .offset = AT(json),
     .group = "Output",
     .help = "print the whole result as JSON"},
    QUIET_ROW(AT(quiet), "print only the cases that fail"),
    {0},
};

static const struct opt *const tables[] = {show_options, general_options, NULL};

/* One invocation. */
struct invocation {
    struct cli_options *options;
    struct judge_request request;
    struct review *review;
    struct case_file cases;
    struct buf code, setup, checker;
    const char **withheld; /* files that contain or decide the right answers; NULL-terminated */
    struct test_report report;
    struct progress progress;
};

/* ---- the candidate and the cases ---- */

static int cmd_test_read_file(const char *option, const char *path, struct buf *ret,
                              struct err *err)
{
    if (fd_read_file(path, ret, err) == 0)
        return 0;
    if (err->sys == EFBIG)
        err_set(err, ERR_USAGE, "%s: is larger than %u MiB", path, RUN_SOURCE_MAX >> 20);
    if (*option)
        err_wrap(err, "%s", option);
    err->kind = ERR_USAGE;
    return -1;
}

/* A file of samples is named by an option, so that a program of that name is not one by mistake. */
static int refuse_samples(const struct opt_args *args, struct err *err)
{
    for (size_t i = 0; i < args->operand_n; i++)
        if (test_suite_is_name(args->operands[i]))
            return err_set(err, ERR_USAGE,
                           "%s: is data, not a program; --suite %s tests the samples in it",
                           args->operands[i], args->operands[i]);
    return 0;
}

static int cmd_test_read_code(struct invocation *in, struct err *err)
{
    const struct cli_settings *s = &in->options->settings;
    const struct opt_args *args = &in->options->args;
    const char *path = args->operand_n ? args->operands[0] : NULL;

    if (refuse_samples(args, err) < 0)
        return -1;
    if (!s->common.code && !path)
        return err_set(err, ERR_USAGE,
                       "nothing to test: name a FILE, or give -c CODE, or - for standard input");
    if (args->operand_n > (s->common.code ? 0u : 1u))
        return err_set(err, ERR_USAGE, "'%s' is one program too many",
                       args->operands[s->common.code ? 0 : 1]);
    in->request.run.program.file = path;
    if (s->common.code)
        return buf_adds(&in->code, s->common.code) < 0
                   ? err_set(err, ERR_USAGE, "-c: the program is too large")
                   : 0;
    if (strcmp(path, "-") != 0) {
        if (cmd_test_read_file("", path, &in->code, err) < 0)
            return -1;
        if (notebook_is_name(path))
            return err_set(err, ERR_USAGE, "%s: is a notebook; 'glovebox run' runs its cells",
                           path);
        if (!in->request.run.policy.no_check &&
            other_format_refuse(path, buf_str(&in->code), err) < 0)
            return -1;
        return other_language_refuse(path, in->request.run.program.language,
                                     in->request.run.program.languages, err);
    }
    return fd_read_all(0, &in->code) < 0 ? err_sys(err, "read standard input") : 0;
}

static int load_cases(struct invocation *in, struct err *err)
{
    const char *path = in->options->settings.common.cases;

    if (case_file_load(path, &in->cases, err) < 0)
        return err->sys == ENOENT && strchr("[{", path[0])
                   ? err_set(err, ERR_USAGE,
                             "--cases names a file, not the cases themselves; --cases - reads them "
                             "from standard input")
                   : -1;
    return 0;
}

/* An error if the program lacks the function that cases call. Cases that call none would not show
 * it. */
static int check_func(const struct invocation *in, struct err *err)
{
    const struct judge_request *q = &in->request;
    struct python_text text = {0};

    if (!q->func || case_file_needs_function(q->cases) || q->setup.p)
        return 0;
    AUTO_FREE char *advice = call_missing(q->func, q->run.program.code, &text);
    python_text_done(&text);
    return advice ? err_set(err, ERR_USAGE, "--func: the program has no function '%.80s'; %s",
                            q->func, advice)
                  : 0;
}

static int read_all(struct invocation *in, struct err *err)
{
    const struct cli_settings *s = &in->options->settings;
    struct judge_request *q = &in->request;

    if (s->common.cases && strcmp(s->common.cases, "-") == 0 && !s->common.code &&
        in->options->args.operand_n && strcmp(in->options->args.operands[0], "-") == 0)
        return err_set(err, ERR_USAGE, "standard input (-) can be given only once");
    if (cmd_test_read_code(in, err) < 0 ||
        (s->common.setup && cmd_test_read_file("--setup", s->common.setup, &in->setup, err) < 0) ||
        (s->common.checker &&
         cmd_test_read_file("--checker", s->common.checker, &in->checker, err) < 0) ||
        (s->common.cases && load_cases(in, err) < 0))
        return -1;
    q->run.program.code = buf_str(&in->code);
    q->cases = &in->cases;
    q->func = s->common.func;
    q->isolate = s->common.isolate;
    q->strict_stderr = s->common.strict_stderr;
    q->coverage = s->common.coverage;
    q->compare = (enum output_compare)(COMPARE_EXACT + s->common.compare);
    if (s->common.setup)
        q->setup = buf_str(&in->setup);
    if (s->common.checker) {
        q->checker = buf_str(&in->checker);
        q->checker_file = s->common.checker;
    }
    return check_func(in, err);
}

/* ---- the outcome ---- */

static void cmd_test_complain(const char *text)
{
    AUTO_FREE char *line = safe_line(text);

    fprintf(stderr, "glovebox test: %s\n", line);
}

/* Reports which functions the program has, if the one that the cases call is missing. */
static void say_functions(const struct invocation *in, const json_t *doc)
{
    const struct judge_request *q = &in->request;
    const char *func = q->func ? q->func : q->cases->func;
    struct python_text text = {0};

    if (!func || in->options->settings.quiet || json_get_int(doc, "passed"))
        return;
    AUTO_FREE char *advice = call_missing(func, q->run.program.code, &text);
    python_text_done(&text);
    if (!advice)
        return;
    AUTO_FREE char *line = xasprintf("the program has no function '%.80s'; %s", func, advice);
    cmd_test_complain(line);
}

static void cmd_test_on_preparing(void *ctx, const struct run_event *event)
{
    struct invocation *in = ctx;

    if (in->options->settings.json || in->options->settings.quiet)
        return;
    progress_clear(&in->progress);
    fprintf(stderr, "%.*s\n", (int)event->text.n, event->text.p);
}

static void cmd_test_on_case(void *ctx, const struct case_result *r, size_t number)
{
    struct invocation *in = ctx;

    (void)number;
    if (!in->options->settings.json && r->end != CASE_REFUSED) {
        json_t *row = case_document(r);
        if (!r->passed || !in->report.quiet)
            progress_clear(&in->progress);
        test_report_case(&in->report, row);
        json_decref(row);
    }
    progress_step(&in->progress);
}

/* Prints the report, which is made only from the document, like the report of a run (report.c). */
static void report(const struct invocation *in, const json_t *doc)
{
    const struct cli_settings *s = &in->options->settings;
    const bool refused = report_is_refused(doc);
    const bool failed = json_is_object(json_object_get(doc, "error"));
    const char *summary = json_get_text(doc, "summary"), *doubt = json_get_text(doc, "doubt");

    if (s->json) {
        print_document(doc);
    } else if (!failed && !refused) {
        test_report_end(&in->report, doc);
    }
    fflush(stdout);
    if (!failed && !refused)
        say_functions(in, doc);
    if (!s->json && !s->quiet)
        report_refusal(check_shown_name(&in->request.run), s->common.prelude, doc);
    if (failed || refused || json_get_true(doc, "cancelled")) {
        cmd_test_complain(summary ? summary : "");
    } else if (doubt) {
        AUTO_FREE char *text = xasprintf("this is no verdict on the program: %s", doubt);
        cmd_test_complain(text);
    } else {
        report_hints(&(struct report){.settings = s}, doc);
    }
}

/* ---- the command ---- */

static bool is_suite(const struct cli_settings *s)
{
    return s->common.suite.n || s->common.problems;
}

/* Returns the exit status, or -1 with *err. */
static int compare(const struct cli_options *options, const char *first, struct err *err)
{
    const struct opt_args *args = &options->args;

    if (args->operand_n != 1)
        return err_set(
            err, ERR_USAGE,
            "--compare-results compares two files of results: --compare-results OLD NEW");
    return compare_results(first, args->operands[0], options->settings.json, err);
}

/* Until the next release, --compare may name the first of two files of results. */
static int compare_by_old_name(const struct cli_options *options, struct err *err)
{
    const char *given = options->settings.common.compare_given;

    if (options->args.operand_n != 1 || access(given, F_OK) < 0)
        return err_set(err, ERR_USAGE,
                       "--compare: '%s' is neither exact, tokens, floats nor lines; "
                       "--compare-results OLD NEW compares two files of results",
                       given);
    fputs("glovebox: --compare will not take files in the next release; write --compare-results\n",
          stderr);
    return compare(options, given, err);
}

static void withhold(struct invocation *in)
{
    const struct cli_settings *s = &in->options->settings;
    const char *const files[] = {s->common.cases, s->common.problems, s->common.checker,
                                 s->common.setup, s->common.results,  s->common.junit};
    const struct opt_args *args = &in->options->args;
    const struct opt_list *suites = &s->common.suite;
    size_t n = 0;

    in->withheld =
        xcalloc(ARRAY_LEN(files) + suites->n + args->operand_n + 1, sizeof *in->withheld);
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (files[i])
            in->withheld[n++] = files[i];
    for (size_t i = 0; i < suites->n; i++)
        in->withheld[n++] = suites->items[i];
    for (size_t i = 0; is_suite(s) && i < args->operand_n; i++)
        in->withheld[n++] = args->operands[i];
    in->request.run.workspace.withheld = in->withheld;
}

static bool lies_in(const char *path, const char *folder)
{
    const size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n] || folder[n - 1] == '/');
}

static int check_shown(const char *ro, const char *const *withheld, struct err *err)
{
    AUTO_FREE char *source = views_source(ro);
    AUTO_FREE char *folder = realpath(source, NULL);

    for (; folder && *withheld; withheld++) {
        AUTO_FREE char *path = realpath(*withheld, NULL);
        if (path && lies_in(path, folder))
            return err_set(err, ERR_USAGE,
                           "--ro: %s shows %s to the program that is tested; keep it elsewhere",
                           source, *withheld);
    }
    return 0;
}

/* --ro shows a folder of the host itself, from which no file can be left out, so this is refused.
 */
static int check_all_shown(const struct invocation *in, struct err *err)
{
    for (char *const *ro = in->request.run.workspace.ro; ro && *ro; ro++)
        if (check_shown(*ro, in->withheld, err) < 0)
            return -1;
    return 0;
}

static int test(struct invocation *in, struct err *err)
{
    const struct cli_settings *s = &in->options->settings;
    struct judge_result result;
    int cancel[2];

    if (s->common.compare_results)
        return compare(in->options, s->common.compare_results, err);
    if (!settings_read_compare(&in->options->settings.common))
        return compare_by_old_name(in->options, err);
    if (settings_request(&s->common, &in->request.run, err) < 0 ||
        model_review_open(s, &in->request.run, &in->review, err) < 0)
        return -1;
    withhold(in);
    if (check_all_shown(in, err) < 0)
        return -1;
    if (is_suite(s))
        return test_suite(in->options, &in->request, err);
    if (read_all(in, err) < 0 || cancel_catch_signals(cancel, err) < 0)
        return -1;
    in->report =
        (struct test_report){.out = stdout, .colour = terminal_colours(stdout), .quiet = s->quiet};
    progress_begin(&in->progress, "testing", in->cases.n);
    struct judge_watch watch = {.done = cmd_test_on_case,
                                .preparing = cmd_test_on_preparing,
                                .ctx = in,
                                .cancel_fd = cancel[0]};
    judge_run(&in->request, &watch, &result);
    progress_clear(&in->progress);
    json_t *document = judge_document(&result);
    report(in, document);
    json_decref(document);
    int status = judge_exit_status(&result);
    if (result.run.cancelled && cancel_signal())
        status = 128 + cancel_signal();
    judge_result_done(&result);
    return status;
}

static int test_perform(struct cli_options *options, struct err *err)
{
    struct invocation in = {.options = options};

    buf_init(&in.code, RUN_SOURCE_MAX);
    buf_init(&in.setup, RUN_SOURCE_MAX);
    buf_init(&in.checker, RUN_SOURCE_MAX);
    int status = test(&in, err);
    review_close(in.review);
    free(in.withheld);
    case_file_done(&in.cases);
    buf_done(&in.code);
    buf_done(&in.setup);
    buf_done(&in.checker);
    return status;
}

const struct command command_test = {
    .name = "test",
    .summary = "test a program with cases: what it returns, raises or prints",
    .usage = "glovebox test [OPTION]... FILE --cases CASES\n"
             "glovebox test [OPTION]... -c CODE --cases CASES\n"
             "glovebox test [OPTION]... --suite FILE...\n"
             "glovebox test [OPTION]... --problems FILE --suite FILE...\n"
             "glovebox test --compare-results OLD NEW",
    .verbs = V_TEST,
    .tables = tables,
    .files = true,
    .perform = test_perform,
};
