/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox check`: the guard's verdict on programs, without running any.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "cli/check_options.h"
#include "console/commands.h"
#include "console/model_review.h"
#include "console/options.h"
#include "languages/pythons.h"
#include "remote/run_notebook.h"
#include "report/check_dump.h"
#include "report/check_files.h"
#include "report/check_notebook.h"
#include "report/check_report.h"
#include "request/setting.h"
#include "result/verdict_json.h"
#include "run/check.h"
#include "terminal/progress.h"
#include "terminal/safe_text.h"
#include "text/notebook.h"

static const struct opt *const own[] = {check_what_options, check_show_options, check_other_options,
                                        general_options, NULL};
/* A config file contains settings of other commands as well. One of them is needed here: the
 * backend decides which profile is the default. */
static const struct opt *const reads[] = {work_options,  data_options, wall_options, guard_options,
                                          limit_options, log_options,  NULL};

/* ---- one program ---- */

struct check {
    const struct cli_settings *set;
    struct run_request request; /* the settings that all programs of the command share */
    struct policy *policy;
    struct review *review;
    struct buf prelude;
    unsigned stages;
    struct check_report report;
    struct progress progress;
    bool failed; /* something could not be read or printed */
};

/* The name that is shown for a program without a name. */
static const char *shown_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static void cmd_check_complain(struct check *c, const char *path, const char *text)
{
    AUTO_FREE char *where = safe_line(path), *what = safe_line(text);

    progress_clear(&c->progress);
    fflush(c->report.out);
    fprintf(stderr, "glovebox check: %s%s%s\n", where, path ? ": " : "", what);
}

static int read_program(const struct check_path *file, struct buf *ret, struct err *err)
{
    int result;

    if (file->sys) {
        errno = file->sys;
        return err_sys(err, "read %s", file->path);
    }
    if (strcmp(file->path, "-") == 0)
        result = fd_read_all(0, ret) < 0 ? err_sys(err, "read standard input") : 0;
    else if (!file->path[0])
        result = err_set(err, ERR_USAGE, "the file name is empty");
    else
        result = fd_read_file(file->path, ret, err);
    if (result < 0 && err->sys == EFBIG)
        err_set(err, ERR_LIMIT, "%s: larger than %u MiB", shown_path(file->path),
                RUN_SOURCE_MAX >> 20);
    return result;
}

static struct run_request request_for(const struct check *c, const char *path, struct str code)
{
    struct run_request request = c->request;

    request.program.file = strcmp(path, "-") == 0 || c->set->common.code ? NULL : path;
    request.program.code = code;
    return request;
}

static void print_verdict(struct check *c, const char *path, const json_t *v, const struct err *err)
{
    struct check_item item = {.path = shown_path(path), .verdict = v, .err = err};

    if (json_array_size(json_object_get(v, "findings")) || c->report.format != &check_text)
        progress_clear(&c->progress);
    check_report_item(&c->report, &item);
}

static void check_text_of(struct check *c, const char *path, struct str code)
{
    struct run_request request = request_for(c, path, code);
    struct examination e;
    struct verdict verdict = {0};
    struct err err;

    examine_init(&e, &request, c->policy);
    e.prelude = buf_str(&c->prelude);
    e.stages = c->stages;
    e.asks_tools = true;
    (void)examine_program(&e, &verdict,
                          &err); /* check_language() has made sure that the language exists */
    examine_done(&e);
    json_t *document = verdict_json(&verdict);
    verdict_done(&verdict);
    print_verdict(c, path, document, NULL);
    json_decref(document);
}

static bool is_notebook(const struct check *c, const struct check_path *file)
{
    return !file->sys && notebook_is_name(file->path) &&
           !language_stated(c->request.program.languages, file->path, (struct str){0}) &&
           strcmp(c->set->common.lang, "auto") == 0;
}

static void fail_file(struct check *c, const char *path, const struct err *err)
{
    c->failed = true;
    cmd_check_complain(c, NULL, err->msg);
    if (!c->set->dump_ast)
        print_verdict(c, path, NULL, err);
}

static void check_notebook_file(struct check *c, const char *path)
{
    struct notebook notebook;
    struct err err;
    json_t *document = NULL;

    if (run_notebook_read(path, &notebook, &err) == 0) {
        struct notebook_check how = {.request = &c->request,
                                     .policy = c->policy,
                                     .prelude = buf_str(&c->prelude),
                                     .stages = c->stages};
        document = check_notebook(&how, &notebook, &err);
        if (!document)
            err_wrap(&err, "%s", path);
    }
    if (document)
        print_verdict(c, path, document, NULL);
    else
        fail_file(c, path, &err);
    json_decref(document);
    notebook_done(&notebook);
}

static void check_file(struct check *c, const struct check_path *file)
{
    AUTO_BUF struct buf code = {0};
    struct err err = {0};

    if (is_notebook(c, file)) {
        check_notebook_file(c, file->path);
        return;
    }
    buf_init(&code, RUN_SOURCE_MAX);
    if (read_program(file, &code, &err) == 0) {
        check_text_of(c, file->path, buf_str(&code));
        return;
    }
    fail_file(c, file->path, &err);
}

static void dump(struct check *c, const char *path, struct str code)
{
    struct run_request request = request_for(c, path, code);
    struct examination e;
    struct err err;
    enum check_dump end = CHECK_DUMP_DONE;

    examine_init(&e, &request, c->policy);
    progress_clear(&c->progress);
    if (examine_language(&e, &err) == 0)
        end = check_dump(&e, shown_path(path), !c->set->no_attributes, &err);
    if (end == CHECK_DUMP_REFUSED) {
        c->report.totals.refused++;
    } else if (end == CHECK_DUMP_FAILED) {
        c->failed = true;
        cmd_check_complain(c, path, err.msg);
    }
    examine_done(&e);
}

static void dump_file(struct check *c, const struct check_path *file)
{
    AUTO_BUF struct buf code = {0};
    struct err err = {0};

    buf_init(&code, RUN_SOURCE_MAX);
    if (is_notebook(c, file)) {
        err_set(&err, ERR_USAGE, "%s: is a notebook, and --dump-ast is for programs", file->path);
    } else if (read_program(file, &code, &err) == 0) {
        dump(c, file->path, buf_str(&code));
        return;
    }
    fail_file(c, file->path, &err);
}

/* ---- all programs ---- */

static void cmd_check_collect(const struct check *c, const struct opt_args *args,
                              struct check_files *ret)
{
    const struct language_table *languages = &c->set->common.languages;

    for (size_t i = 0; i < args->operand_n; i++)
        check_files_add(ret, args->operands[i], languages);
    for (size_t i = 0; i < args->rest_n; i++)
        check_files_add(ret, args->rest[i], languages);
}

static void check_files(struct check *c, const struct opt_args *args)
{
    struct check_files files = {0};

    cmd_check_collect(c, args, &files);
    if (!files.n)
        cmd_check_complain(c, NULL, "there is no program in these folders");
    progress_begin(&c->progress, "checking", files.n);
    for (size_t i = 0; i < files.n && !ferror(stdout); i++) {
        if (c->set->dump_ast)
            dump_file(c, &files.at[i]);
        else
            check_file(c, &files.at[i]);
        progress_step(&c->progress);
    }
    progress_clear(&c->progress);
    check_files_done(&files);
}

static void check_all(struct check *c, const struct opt_args *args)
{
    const struct cli_settings *set = c->set;

    c->report = (struct check_report){
        .format = set->json    ? &check_json
                  : set->sarif ? &check_sarif
                               : &check_text,
        .out = stdout,
        .quiet = set->quiet,
        .max_findings = (size_t)set->max_findings,
        .prelude = set->common.prelude,
    };
    if (!set->dump_ast)
        check_report_begin(&c->report);
    if (!set->common.code)
        check_files(c, args);
    else if (set->dump_ast)
        dump(c, "<string>", str_from(set->common.code));
    else
        check_text_of(c, "<string>", str_from(set->common.code));
    if (!set->dump_ast)
        check_report_end(&c->report);
}

/* ---- the command ---- */

static int check_usage(const struct cli_settings *set, const struct opt_args *args, struct err *err)
{
    size_t operands = args->operand_n + args->rest_n, stdins = 0;

    for (size_t i = 0; i < args->operand_n; i++)
        stdins += strcmp(args->operands[i], "-") == 0;
    if (set->common.code && operands)
        return err_set(err, ERR_USAGE, "give either -c CODE or files, not both");
    if (!set->common.code && !operands)
        return err_set(
            err, ERR_USAGE,
            "nothing to check: name a FILE or a DIR, or give -c CODE, or - for standard input");
    if (stdins > 1)
        return err_set(err, ERR_USAGE, "standard input (-) can be given only once");
    if (set->no_attributes && !set->dump_ast)
        return err_set(err, ERR_USAGE, "--no-attributes requires --dump-ast");
    return 0;
}

static int check_language(const struct cli_settings *set, struct err *err)
{
    const char *named = set->common.lang;

    if (named && strcmp(named, "auto") != 0 &&
        !language_find(&set->common.languages, str_from(named)) &&
        !python_is_language(str_from(named)))
        return language_unknown(&set->common.languages, str_from(named), err);
    return 0;
}

static int cmd_check_prepare(struct check *c, struct err *err)
{
    const struct cli_settings *set = c->set;

    if (settings_request(&set->common, &c->request, err) < 0 || check_language(set, err) < 0)
        return -1;
    c->stages = GUARD_ALL_STAGES;
    if (set->stages && !(c->stages = guard_stages_from(str_from(set->stages), err))) {
        err->kind = ERR_USAGE;
        return err_wrap(err, "--stages");
    }
    c->policy = check_open_policy(&c->request, err);
    if (c->policy && !set->dump_ast && model_review_open(set, &c->request, &c->review, err) < 0)
        return -1;
    return c->policy ? check_read_prelude(&c->request, &c->prelude, err) : -1;
}

static int exit_status(const struct check *c)
{
    return c->failed ? err_exit_status(ERR_SYSTEM) : c->report.totals.refused ? 1 : 0;
}

static int check(const struct cli_options *options, struct err *err)
{
    struct check c = {.set = &options->settings};
    int status = -1;

    if (check_usage(c.set, &options->args, err) < 0)
        return -1;
    buf_init(&c.prelude, 0);
    if (cmd_check_prepare(&c, err) == 0) {
        check_all(&c, &options->args);
        if (fflush(stdout) != 0 || ferror(stdout))
            err_sys(err, "write to standard output");
        else
            status = exit_status(&c);
    }
    policy_free(c.policy);
    review_close(c.review);
    buf_done(&c.prelude);
    return status;
}

static int show_profile(const struct cli_settings *set, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    struct run_request request;
    struct policy *policy = NULL;

    if (settings_request(&set->common, &request, err) < 0)
        return -1;
    request.policy.profile = set->show_profile;
    policy = check_open_policy(&request, err);
    if (!policy)
        return -1;
    buf_init(&text, 1 << 20);
    policy_print(policy, &text);
    policy_free(policy);
    fwrite(text.p, 1, text.n, stdout);
    return 0;
}

/* Performs --list-rules and the other tasks that need no program. */
static int cmd_check_dispatch(struct cli_options *options, struct err *err)
{
    const struct cli_settings *set = &options->settings;

    if (set->list_rules)
        check_list_rules(set->json);
    else if (set->list_profiles)
        check_list_profiles(set->json);
    else if (set->show_profile)
        return show_profile(set, err);
    else if (set->explain)
        return check_explain(set->explain, set->json, err);
    else
        return check(options, err);
    return 0;
}

const struct command command_check = {
    .name = "check",
    .summary = "check programs without running them",
    .usage = "glovebox check [OPTION]... FILE | DIR | -...\n"
             "glovebox check [OPTION]... -c CODE\n"
             "glovebox check --list-rules | --explain RULE | --list-profiles |\n"
             "                --show-profile NAME",
    .often =
        ",code,lang,profile,allow-imports,forbid-imports,json,sarif,review,explain,list-profiles,",
    .verbs = V_CHECK,
    .tables = own,
    .reads = reads,
    .files = true,
    .perform = cmd_check_dispatch,
};
