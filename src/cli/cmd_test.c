/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox test`: a candidate against cases.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/test_report.h"
#include "cli/test_suite.h"
#include "console/model_review.h"
#include "console/options.h"
#include "console/other_words.h"
#include "console/print_json.h"
#include "console/report.h"
#include "judge/call.h"
#include "judge/judge.h"
#include "session/check.h"
#include "terminal/cancel.h"
#include "terminal/progress.h"
#include "terminal/safe_text.h"
#include "text/notebook.h"
#include "verdicts/check_report.h"

#define AT(member) offsetof(struct cli_settings, member)

static const char *const compare_choices[] = {"exact", "tokens", "floats", NULL};

static const struct opt what_options[] = {
    {.name = "cases",
     .kind = OPT_STRING,
     .offset = AT(cases),
     .arg = "FILE",
     .group = "What to test",
     .help = "the cases: a JSON array, or one JSON object per line; - for standard input. Without "
             "cases, the program only has to succeed"},
    {.name = "code",
     .letter = 'c',
     .kind = OPT_STRING,
     .offset = AT(code),
     .arg = "CODE",
     .group = "What to test",
     .help = "test this text instead of a file"},
    {.name = "func",
     .kind = OPT_STRING,
     .offset = AT(func),
     .arg = "NAME",
     .group = "What to test",
     .help = "the function that the cases call, or Class.method; not needed if the program has "
             "only one"},
    {.name = "setup",
     .kind = OPT_STRING,
     .offset = AT(setup),
     .arg = "FILE",
     .group = "What to test",
     .help = "Python code that runs before the program, with the same names; the profile does not "
             "check it"},
    {.name = "isolate",
     .kind = OPT_FLAG,
     .offset = AT(isolate),
     .group = "What to test",
     .help = "run each case in a sandbox of its own, without the files of other cases"},
    {.name = "coverage",
     .kind = OPT_FLAG,
     .offset = AT(coverage),
     .group = "What to test",
     .help = "report which lines of a Python program ran, and which did not"},
    {.name = "strict-stderr",
     .kind = OPT_FLAG,
     .offset = AT(strict_stderr),
     .group = "What to test",
     .help = "without cases: a program that writes to standard error fails, whatever its exit "
             "status"},
    {.name = "compare",
     .kind = OPT_CHOICE,
     .offset = AT(compare),
     .arg = "HOW",
     .choices = compare_choices,
     .group = "What to test",
     .help = "how to compare outputs of whole programs, if a case does not set it"},
    {.name = "checker",
     .kind = OPT_STRING,
     .offset = AT(checker),
     .arg = "FILE",
     .group = "What to test",
     .help = "a program that judges outputs instead: its arguments are the names of three files "
             "(input, output, expected output), and it exits with 0 for a pass"},
    {0},
};

static const struct opt show_options[] = {
    {.name = "json",
     .kind = OPT_FLAG,
     .offset = AT(json),
     .group = "Output",
     .help = "print the whole result as JSON"},
    QUIET_ROW(AT(quiet), "print only the cases that fail"),
    {0},
};

static const struct opt *const tables[] = {
    what_options,         suite_options,   work_options,  data_options,  show_options,
    wall_options,         policy_options,  guard_options, limit_options, log_options,
    review_model_options, general_options, NULL};

/* One invocation. */
struct invocation {
    struct cli_options *options;
    struct judge_request request;
    struct review *review;
    struct case_file cases;
    struct buf code, setup, checker;
    const char *withheld[7]; /* files that contain or decide the right answers; NULL-terminated */
    struct test_report report;
    struct progress progress;
};

/* ---- what to test ---- */

static int read_file(const char *option, const char *path, struct buf *ret, struct err *err)
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

static int read_code(struct invocation *in, struct err *err)
{
    const struct cli_settings *s = &in->options->settings;
    const struct opt_args *args = &in->options->args;
    const char *path = args->operand_n ? args->operands[0] : NULL;

    if (!s->code && !path)
        return err_set(err, ERR_USAGE,
                       "nothing to test: name a FILE, or give -c CODE, or - for standard input");
    if (args->operand_n > (s->code ? 0u : 1u))
        return err_set(err, ERR_USAGE, "'%s' is one program too many",
                       args->operands[s->code ? 0 : 1]);
    in->request.run.file = path;
    if (s->code)
        return buf_adds(&in->code, s->code) < 0
                   ? err_set(err, ERR_USAGE, "-c: the program is too large")
                   : 0;
    if (strcmp(path, "-") != 0) {
        if (read_file("", path, &in->code, err) < 0)
            return -1;
        if (notebook_is_name(path))
            return err_set(err, ERR_USAGE, "%s: is a notebook; 'glovebox run' runs its cells",
                           path);
        if (!in->request.run.no_check && other_format_refuse(path, buf_str(&in->code), err) < 0)
            return -1;
        return other_language_refuse(path, in->request.run.language, in->request.run.languages,
                                     err);
    }
    return fd_read_all(0, &in->code) < 0 ? err_sys(err, "standard input") : 0;
}

static int load_cases(struct invocation *in, struct err *err)
{
    const char *path = in->options->settings.cases;

    if (case_file_load(path, &in->cases, err) < 0)
        return err->sys == ENOENT && strchr("[{", path[0])
                   ? err_set(err, ERR_USAGE,
                             "--cases names a file, not the cases themselves; --cases - reads them "
                             "from standard input")
                   : -1;
    if (in->cases.n)
        return 0;
    return err_set(err, ERR_USAGE,
                   "--cases %s: has no case; without --cases the program only has to succeed",
                   path);
}

/* A case that calls the function fails if there is none. Other cases would not notice it. */
static int check_func(const struct invocation *in, struct err *err)
{
    const struct judge_request *q = &in->request;
    struct python_text text = {0};

    if (!q->func || case_file_needs_function(q->cases) || q->setup.p)
        return 0;
    AUTO_FREE char *advice = call_missing(q->func, q->run.code, &text);
    python_text_done(&text);
    return advice ? err_set(err, ERR_USAGE, "--func: the program has no function '%.80s'; %s",
                            q->func, advice)
                  : 0;
}

static int read_all(struct invocation *in, struct err *err)
{
    const struct cli_settings *s = &in->options->settings;
    struct judge_request *q = &in->request;

    if (s->cases && strcmp(s->cases, "-") == 0 && !s->code && in->options->args.operand_n &&
        strcmp(in->options->args.operands[0], "-") == 0)
        return err_set(err, ERR_USAGE, "standard input (-) can be given only once");
    if (read_code(in, err) < 0 ||
        (s->setup && read_file("--setup", s->setup, &in->setup, err) < 0) ||
        (s->checker && read_file("--checker", s->checker, &in->checker, err) < 0) ||
        (s->cases && load_cases(in, err) < 0))
        return -1;
    q->run.code = buf_str(&in->code);
    q->cases = &in->cases;
    q->func = s->func;
    q->isolate = s->isolate;
    q->strict_stderr = s->strict_stderr;
    q->coverage = s->coverage;
    q->compare = (enum output_compare)(COMPARE_EXACT + s->compare);
    if (s->setup)
        q->setup = buf_str(&in->setup);
    if (s->checker) {
        q->checker = buf_str(&in->checker);
        q->checker_file = s->checker;
    }
    return check_func(in, err);
}

/* ---- the outcome ---- */

static void complain(const char *text)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 16 << 10);
    safe_text_add(&line, str_from(text), false);
    fprintf(stderr, "glovebox test: %s\n", line.p);
}

/* The function that the cases call is not there: the ones that are. */
static void say_functions(const struct invocation *in, const json_t *doc)
{
    const struct judge_request *q = &in->request;
    const char *func = q->func ? q->func : q->cases->func;
    struct python_text text = {0};

    if (!func || in->options->settings.quiet || json_get_int(doc, "passed"))
        return;
    AUTO_FREE char *advice = call_missing(func, q->run.code, &text);
    python_text_done(&text);
    if (!advice)
        return;
    AUTO_FREE char *line = xasprintf("the program has no function '%.80s'; %s", func, advice);
    complain(line);
}

static void on_preparing(void *ctx, const struct run_event *event)
{
    struct invocation *in = ctx;

    if (in->options->settings.json || in->options->settings.quiet)
        return;
    progress_clear(&in->progress);
    fprintf(stderr, "%.*s\n", (int)event->text.n, event->text.p);
}

static void on_case(void *ctx, const struct case_result *r, size_t number)
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

/* All of it comes from the document, as the report of a run does (report.c). */
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
        complain(summary ? summary : "");
    } else if (doubt) {
        AUTO_FREE char *text = xasprintf("this is no verdict on the program: %s", doubt);
        complain(text);
    }
}

/* ---- the command ---- */

static void withhold(struct invocation *in)
{
    const struct cli_settings *s = &in->options->settings;
    const char *const files[] = {s->cases, s->suite, s->checker, s->setup, s->results, s->junit};
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (files[i])
            in->withheld[n++] = files[i];
    in->request.run.withheld = in->withheld;
}

static bool lies_in(const char *path, const char *folder)
{
    const size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n] || folder[n - 1] == '/');
}

static int check_shown(const char *ro, const char *const *withheld, struct err *err)
{
    AUTO_FREE char *source = xstrndup(ro, strcspn(ro, ":"));
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

/* --ro shows the host's own file, and a part of it cannot be left out: refuse. */
static int check_all_shown(const struct invocation *in, struct err *err)
{
    for (char *const *ro = in->request.run.ro; ro && *ro; ro++)
        if (check_shown(*ro, in->withheld, err) < 0)
            return -1;
    return 0;
}

static int test(struct invocation *in, struct err *err)
{
    const struct cli_settings *s = &in->options->settings;
    struct judge_result result;
    int cancel[2];

    if (settings_request(&s->common, &in->request.run, err) < 0 ||
        model_review_open(s, &in->request.run, &in->review, err) < 0)
        return -1;
    withhold(in);
    if (check_all_shown(in, err) < 0)
        return -1;
    if (s->suite)
        return test_suite(in->options, &in->request, err);
    if (read_all(in, err) < 0 || cancel_catch_signals(cancel, err) < 0)
        return -1;
    in->report =
        (struct test_report){.out = stdout, .colour = check_colour(stdout), .quiet = s->quiet};
    progress_begin(&in->progress, "testing", in->cases.n);
    struct judge_watch watch = {
        .done = on_case, .preparing = on_preparing, .ctx = in, .cancel_fd = cancel[0]};
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
             "glovebox test [OPTION]... --suite FILE",
    .tables = tables,
    .files = true,
    .perform = test_perform,
};
