/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/analyze.h"
#include "assist/assist.h"
#include "assist/model_call.h"
#include "backends/backend.h"
#include "base/fd.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "console/print_json.h"
#include "console/run_show.h"
#include "workspace/workspace.h"

static const struct opt *const tables[] = {
    task_options,  model_options,   work_options,  data_options, policy_options,
    limit_options, wall_options,    guard_options, log_options,  json_option,
    quiet_option,  general_options, NULL};

#define TAKES                                                                                      \
    MODEL_TAKES BOUNDS_TAKES "review,out,file,env,lang,python,profile,allow-imports,forbid-"       \
                             "imports,timeout,cpu-time,memory,"                                    \
                             "cpus,pids,disk,output-limit,net,json,quiet,config,help,"

struct analysis {
    struct model_call call; /* first: model_call_run hands it back */
    struct buf question;
    char **files, **names; /* SRC:NAME for all files; the names of the data. NULL-terminated */
    size_t file_n, name_n;
    int out;         /* the folder of --out; -1 for none */
    json_t *skipped; /* of the program that answered: what did not reach it */
    struct trial_request trial;
};

/* ---- the data ---- */

/* In SRC:NAME the last colon counts. */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = xstrdup(slash ? slash + 1 : path);

    for (char *p = name; (p = strchr(p, ':'));)
        *p = '_';
    return name;
}

static int check_data(const struct analysis *a, const char *path, const char *name, struct err *err)
{
    struct stat st;

    if (stat(path, &st) < 0 || access(path, R_OK) < 0) {
        (void)err_sys(err, "%s", path);
        err->kind = ERR_USAGE;
        return -1;
    }
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_USAGE, "%s: is no regular file", path);
    if (!utf8_valid(str_from(name)))
        return err_set(err, ERR_USAGE, "%s: the name is not UTF-8", path);
    for (size_t i = 0; i < a->name_n; i++)
        if (strcmp(a->names[i], name) == 0)
            return err_set(err, ERR_USAGE, "%s: two data files have the name '%s'", path, name);
    return 0;
}

static int add_data(struct analysis *a, const char *path, struct err *err)
{
    AUTO_FREE char *name = name_of(path);

    if (check_data(a, path, name, err) < 0)
        return -1;
    a->files[a->file_n++] = xasprintf("%s:%s", path, name);
    a->names[a->name_n++] = mem_take(&name);
    return 0;
}

/* The operands are data, and the last one is the question unless it comes after "--". */
static size_t count_data(const struct opt_args *args)
{
    return args->operand_n && !args->rest_n ? args->operand_n - 1 : args->operand_n;
}

static int read_data(struct analysis *a, const struct cli_options *options, struct err *err)
{
    const struct opt_list *others = &options->settings.common.file;
    size_t n = count_data(&options->args);

    if (n == 0)
        return err_set(err, ERR_USAGE, "no data; name the files, and then the question");
    a->files = xcalloc(n + others->n + 1, sizeof *a->files);
    a->names = xcalloc(n + 1, sizeof *a->names);
    for (size_t i = 0; i < n; i++)
        if (add_data(a, options->args.operands[i], err) < 0)
            return -1;
    for (size_t i = 0; i < others->n; i++)
        a->files[a->file_n++] = xstrdup(others->items[i]);
    a->call.run.files = a->files;
    return 0;
}

static int read_question(struct analysis *a, const struct opt_args *args, struct err *err)
{
    struct opt_args rest = *args;
    size_t n = count_data(args);

    rest.operands += n;
    rest.operand_n -= n;
    if (rest.operand_n && strcmp(rest.operands[0], "-") != 0 && access(rest.operands[0], F_OK) == 0)
        return err_set(err, ERR_USAGE, "no question after the data; '%s' is a file",
                       rest.operands[0]);
    return model_call_task(&rest, "question; it comes after the data", &a->question, err);
}

/* ---- the task ---- */

static void on_event(void *ctx, const struct agent_event *event)
{
    struct model_call *call = ctx;

    model_call_event(call, event);
    if (event->kind == AGENT_STEP)
        model_call_step(call, event, "");
}

/* Only the files of a program that answered are kept. */
static int keep_files(void *ctx, const struct result *result, struct err *err)
{
    struct analysis *a = ctx;
    const struct collect_options options = {
        .max_total_bytes = a->call.run.limits.disk_bytes,
        .max_visited = a->call.run.limits.inodes,
        .out_dirfd = a->out,
        .work_dirfd = -1,
        .was_laid = result->started,
    };
    struct file_set files;

    if (a->out < 0 || !backend_has_files(result->guest))
        return 0;
    if (backend_collect(result->guest, &options, result->laid, &files, err) < 0)
        return err_wrap(err, "--out");
    result_add_skipped(a->skipped, "out", &files.skipped);
    file_set_done(&files);
    return 0;
}

static void say_lost_displays(struct model_call *call, size_t n)
{
    if (!n || call->set->common.out)
        return;
    AUTO_FREE char *line =
        xasprintf("not kept: %zu display%s (--out DIR keeps them)", n, n == 1 ? "" : "s");
    model_call_say(call, line);
}

static const json_t *last_step(const struct agent *agent)
{
    return json_array_get(agent->steps, json_array_size(agent->steps) - 1);
}

static void print_answer(const struct agent *agent)
{
    const json_t *result = json_object_get(last_step(agent), "result");

    model_call_print_code(json_str(json_object_get(result, "stdout")));
    fflush(stdout);
}

static void show(struct analysis *a, const struct agent *agent)
{
    const json_t *result = json_object_get(last_step(agent), "result");
    struct run_show shown = {.place = {.settings = a->call.set}};

    if (!a->call.set->json) {
        print_answer(agent);
        model_call_files(&a->call, result);
        say_lost_displays(&a->call, json_array_size(json_object_get(result, "results")));
    }
    run_show_end(&shown, json_object_get(result, "results"));
}

static int report(struct analysis *a, const struct agent *agent, struct err *err)
{
    int status = model_call_status(agent, err);

    if (a->call.set->json) {
        json_t *document = analyze_document(agent);
        print_document(document);
        json_decref(document);
    }
    if (status == 0)
        show(a, agent);
    if (!a->call.set->json) {
        if (status < 0 && json_get_true(last_step(agent), "passed"))
            print_answer(agent); /* its files could not be kept */
        if (status > 0)
            model_call_failure(&a->call, agent, false);
        model_call_usage(&a->call);
    }
    return status;
}

static int work(struct model_call *call, struct err *err)
{
    struct analysis *a = (struct analysis *)call;
    const struct analyze_request request = {
        .question = a->question.p, .names = a->names, .trial = &a->trial};
    struct agent agent;

    call->watch.event = on_event;
    call->watch.ctx = call;
    agent_begin(&agent, call->llm, &call->request, &call->watch);
    (void)analyze(&agent, &request);
    model_call_erase(call);
    json_array_extend(json_object_get(json_object_get(last_step(&agent), "result"), "skipped"),
                      a->skipped);
    int status = report(a, &agent, err);
    agent_done(&agent);
    return status;
}

/* ---- the command ---- */

static int prepare(struct analysis *a, struct cli_options *options, struct err *err)
{
    const char *out = options->settings.common.out;

    if (model_call_prepare(&a->call, options, err) < 0 || read_data(a, options, err) < 0 ||
        read_question(a, &options->args, err) < 0 ||
        (out && (a->out = workspace_open_dir(out, true, err)) < 0))
        return -1;
    a->call.run.out_dir = NULL; /* keep_files writes to it */
    a->call.request.component = "analyze";
    a->trial =
        (struct trial_request){.kind = TRIAL_RUN, .prints = true, .passed = keep_files, .ctx = a};
    return 0;
}

static void free_all(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

static int analyze_perform(struct cli_options *options, struct err *err)
{
    struct analysis a = {.call = {.set = &options->settings, .command = &command_analyze},
                         .out = -1,
                         .skipped = json_array()};
    int status = -1;

    if (prepare(&a, options, err) == 0)
        status = model_call_run(&a.call, work, err);
    fd_close(&a.out);
    json_decref(a.skipped);
    free_all(a.files);
    free_all(a.names);
    buf_done(&a.question);
    return status;
}

const struct command command_analyze = {
    .name = "analyze",
    .summary = "let a model answer a question about data files",
    .usage = "glovebox analyze [OPTION]... DATA... QUESTION\n"
             "glovebox analyze [OPTION]... DATA... -- QUESTION...",
    .tables = tables,
    .takes = TAKES,
    .often = ",model,out,file,python,steps,cost-limit,timeout,memory,stream,json,",
    .files = true,
    .perform = analyze_perform,
};
