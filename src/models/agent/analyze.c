/* SPDX-License-Identifier: Apache-2.0
 *
 * A question about data files. A program of ours finds their shape, inside the sandbox. The model
 * receives the shape and the question, and writes a program that prints the answer.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/flow_table.h"
#include "agent/trial.h"
#include "backends/backend.h"
#include "base/mem.h"
#include "formats/json_get.h"
#include "formats/printable.h"
#include "languages/guests.h"
#include "llm/prompts.h"
#include "text/data_files.h"
#include "text/format.h"
#include "workspace/workspace.h"

enum {
    SHAPE_OUTPUT_MAX = 1 << 20,
    SHAPE_MAX = 128 << 10,
    MESSAGE_MAX = 2 << 20,
};

/* ---- the shape ---- */

/* The request of our own program: only limits, place and files are from the user's. */
static struct run_request shape_request(const struct agent *agent, char *const *names)
{
    struct run_request q = *agent->request->run;

    q.program.code = str_from(guest_data_shape_py);
    q.program.file = NULL;
    q.program.language = "python";
    q.program.args = names;
    q.policy.no_check = true;
    q.policy.review = false;
    q.program.prelude = NULL;
    q.program.prelude_text = (struct str){0};
    q.program.env = NULL;
    q.workspace.out_dir = NULL;
    q.output_limit = SHAPE_OUTPUT_MAX;
    q.limits.wall_ms = agent_time_for(agent, q.limits.wall_ms);
    return q;
}

/* The program's output is hostile, for the program read hostile data. */
static json_t *read_shape(const struct result *result, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    char line[700];

    if (result->error.kind != ERR_NONE) {
        *err = result->error;
        return NULL;
    }
    buf_init(&text, SHAPE_OUTPUT_MAX + 4096);
    capture_text(&result->out, &text);
    json_t *document = result->success ? json_loadb(text.p, text.n, 0, NULL) : NULL;
    const char *wrong = json_get_text(document, "error");
    if (document && !wrong)
        return document;
    (void)err_set(err, ERR_USAGE, "%.400s",
                  wrong             ? wrong
                  : result->success ? "the shape of the data cannot be read"
                                    : result_summary(result, line, sizeof line));
    json_decref(document);
    return NULL;
}

static json_t *find_shape(struct agent *agent, char *const *names)
{
    struct run_request q = shape_request(agent, names);
    struct run_watch watch;
    struct result result;
    struct err err;

    agent_watch_run(agent, &watch);
    result_init(&result, q.output_limit);
    run_program(&q, &watch, &result);
    json_t *shape = read_shape(&result, &err);
    result_done(&result);
    if (agent_after_run(agent) == 0) {
        if (!shape)
            (void)agent_finish(agent, AGENT_FAILED, &err);
        return shape;
    }
    json_decref(shape);
    return NULL;
}

/* ---- the question ---- */

static void analyze_add_file(const json_t *file, struct buf *ret)
{
    (void)buf_adds(ret, ret->n ? "\n\n" : "");
    prompt_add_name(ret, json_str(json_object_get(file, "name")));
    (void)buf_adds(ret, ": ");
    printable_add(ret, json_str(json_object_get(file, "shape")));
}

/* Returns the name of the only file if it contains one JSON value, or NULL. */
static const char *name_of_value(const json_t *files)
{
    const json_t *only = json_array_size(files) == 1 ? json_array_get(files, 0) : NULL;
    const char *kind = json_get_text(only, "kind");

    return kind && strcmp(kind, "json") == 0 ? json_get_text(only, "name") : NULL;
}

static void add_packages(const json_t *packages, struct buf *ret)
{
    const json_t *name;
    size_t i;

    json_array_foreach(packages, i, name)
    {
        (void)buf_adds(ret, i ? ", " : "\nInstalled packages: ");
        prompt_add_name(ret, json_str(name));
    }
    (void)buf_adds(ret, json_array_size(packages) ? ".\n" : "");
}

static int say_question(struct agent *agent, const json_t *shape, bool has_value,
                        const char *question)
{
    AUTO_BUF struct buf files = {0}, message = {0};
    const json_t *file;
    size_t i;

    buf_init(&files, SHAPE_MAX);
    buf_init(&message, MESSAGE_MAX);
    json_array_foreach(json_object_get(shape, "files"), i, file) analyze_add_file(file, &files);
    if (agent_say_system(agent, "analyze", NULL) < 0)
        return -1;
    (void)buf_adds(&message, "The data:\n\n");
    format_fenced(&message, STR("text"), buf_str(&files));
    if (language_traits_of(agent->request->language)->has_data)
        add_packages(json_object_get(shape, "packages"), &message);
    if (has_value)
        (void)buf_adds(&message, "\nThe variable `data` has the value of the file already.\n");
    (void)buf_addf(&message, "\nQuestion: %s\n", question);
    llm_say(&agent->messages, LLM_USER, message.p);
    return 0;
}

/* ---- the task ---- */

/* Returns the names of the request's files, which are the data; NULL-terminated. The caller frees.
 */
static char **names_of(const struct run_request *run)
{
    char **names = xcalloc(run->workspace.input_count + 1, sizeof *names);

    for (size_t i = 0; i < run->workspace.input_count; i++)
        names[i] = xstrndup(run->workspace.inputs[i].name.p, run->workspace.inputs[i].name.n);
    return names;
}

static void free_names(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

static int keep_files(void *ctx, const struct result *result, struct err *err)
{
    const struct flow_task *task = ctx;
    const struct collect_options options = {
        .max_total_bytes = task->run.limits.disk_bytes,
        .max_visited = task->run.limits.inodes,
        .out_dirfd = task->out,
        .work_dirfd = -1,
        .was_laid = result->started,
    };
    struct file_set files;

    if (task->out < 0 || !backend_has_files(result->guest))
        return 0;
    if (backend_collect(result->guest, &options, result->laid, &files, err) < 0)
        return err_wrap(err, "--out");
    result_add_skipped(task->skipped, "out", &files.skipped);
    file_set_done(&files);
    return 0;
}

/* Does the rest of the task. If the only file holds one JSON value, our lines that load it as
 * `data` run before each program of the model. */
static int analyze_answer(const struct flow_task *task, struct agent *agent, const json_t *shape)
{
    const struct trial_request what = {
        .kind = TRIAL_RUN, .prints = true, .passed = keep_files, .ctx = (void *)(uintptr_t)task};
    const struct agent_request *theirs = agent->request;
    struct run_request run = *theirs->run;
    struct agent_request own = *theirs;
    AUTO_BUF struct buf prelude = {0};
    const char *value = language_traits_of(theirs->language)->has_data
                            ? name_of_value(json_object_get(shape, "files"))
                            : NULL;

    buf_init(&prelude, 64 << 10);
    if (value) {
        data_load_python(str_from(value), &prelude);
        run.program.prelude_text = buf_str(&prelude);
    }
    own.run = &run;
    agent->request = &own;
    int status = say_question(agent, shape, value != NULL, task->ask->task);
    if (status == 0)
        status = trial_until_passed(agent, &what);
    agent->request = theirs;
    return status;
}

static int analyze(const struct flow_task *task, struct agent *agent)
{
    char **names = task->names ? NULL : names_of(&task->run);
    json_t *shape = find_shape(agent, names ? names : task->names);
    int status = shape ? analyze_answer(task, agent, shape) : -1;

    json_array_extend(json_object_get(json_object_get(trial_last(agent), "result"), "skipped"),
                      task->skipped);
    json_decref(shape);
    free_names(names);
    return status;
}

/* trial_document with "answer", the output of the last program; null without success. */
static json_t *analyze_document(const struct flow_task *task, const struct agent *agent)
{
    json_t *document = trial_document(agent);
    json_t *output = json_object_get(json_object_get(trial_last(agent), "result"), "stdout");
    bool good = agent->end == AGENT_DONE && output;

    (void)task;
    json_object_set_new(document, "answer", good ? json_incref(output) : json_null());
    return document;
}

const struct flow flow_analyze = {.verb = V_ANALYZE,
                                  .temperature = 0.2,
                                  .needs_files = true,
                                  .keeps_files = true,
                                  .work = analyze,
                                  .document = analyze_document};
