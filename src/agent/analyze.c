/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/analyze.h"

#include <string.h>

#include "agent/fix.h"
#include "agent/prompts.h"
#include "base/json_get.h"
#include "base/printable.h"
#include "guests/guests.h"
#include "text/data_files.h"
#include "text/format.h"

enum {
    SHAPE_OUTPUT_MAX = 1 << 20,
    SHAPE_MAX = 128 << 10,
    MESSAGE_MAX = 2 << 20,
};

/* ---- the shape ---- */

/* The request of our own program: only limits, place and files are the user's. */
static struct run_request shape_request(const struct agent *agent, char *const *names)
{
    struct run_request q = *agent->request->run;

    q.code = str_from(guest_data_shape_py);
    q.file = NULL;
    q.language = "python";
    q.args = names;
    q.no_check = true;
    q.review = false;
    q.prelude = NULL;
    q.prelude_text = (struct str){0};
    q.env = NULL;
    q.out_dir = NULL;
    q.output_limit = SHAPE_OUTPUT_MAX;
    q.limits.wall_ms = agent_time_for(agent, q.limits.wall_ms);
    return q;
}

/* What came out is hostile: the program read hostile data. */
static json_t *read_shape(const struct run_request *q, const struct result *result, struct err *err)
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
                                    : result_summary(result, &q->limits, line, sizeof line));
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
    session_run(&q, &watch, &result);
    json_t *shape = read_shape(&q, &result, &err);
    result_done(&result);
    if (agent_after_run(agent) == 0) {
        if (!shape)
            (void)agent_finish(agent, AGENT_FAILED, &err);
        return shape;
    }
    json_decref(shape);
    return NULL;
}

/* ---- what is said ---- */

static void add_file(const json_t *file, struct buf *ret)
{
    (void)buf_adds(ret, ret->n ? "\n\n" : "");
    prompt_add_name(ret, json_str(json_object_get(file, "name")));
    (void)buf_adds(ret, ": ");
    printable_add(ret, json_str(json_object_get(file, "shape")));
}

/* The only file, if it is one value of JSON. */
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
    json_array_foreach(json_object_get(shape, "files"), i, file) add_file(file, &files);
    if (agent_say_system(agent, "analyze", NULL) < 0)
        return -1;
    (void)buf_adds(&message, "The data:\n\n");
    format_fenced(&message, STR("text"), buf_str(&files));
    if (strcmp(agent->request->language, "python") == 0)
        add_packages(json_object_get(shape, "packages"), &message);
    if (has_value)
        (void)buf_adds(&message, "\nThe variable `data` has the value of the file already.\n");
    (void)buf_addf(&message, "\nQuestion: %s\n", question);
    llm_say(&agent->messages, LLM_USER, message.p);
    return 0;
}

/* ---- the task ---- */

/* The rest of the task with the lines before each program by which `data` is there. */
static int answer(struct agent *agent, const struct analyze_request *request, const json_t *shape)
{
    const struct agent_request *theirs = agent->request;
    struct run_request run = *theirs->run;
    struct agent_request own = *theirs;
    AUTO_BUF struct buf prelude = {0};
    const char *value = strcmp(theirs->language, "python") == 0
                            ? name_of_value(json_object_get(shape, "files"))
                            : NULL;

    buf_init(&prelude, 64 << 10);
    if (value) {
        data_load_python(str_from(value), &prelude);
        run.prelude_text = buf_str(&prelude);
    }
    own.run = &run;
    agent->request = &own;
    int status = say_question(agent, shape, value != NULL, request->question);
    if (status == 0)
        status = trial_until_passed(agent, request->trial);
    agent->request = theirs;
    return status;
}

int analyze(struct agent *agent, const struct analyze_request *request)
{
    json_t *shape = agent->end == AGENT_OPEN ? find_shape(agent, request->names) : NULL;

    if (!shape)
        return -1;
    int status = answer(agent, request, shape);
    json_decref(shape);
    return status;
}

json_t *analyze_document(const struct agent *agent)
{
    json_t *document = fix_document(agent);
    const json_t *steps = json_object_get(document, "steps");
    const json_t *last = json_array_get(steps, json_array_size(steps) - 1);
    json_t *output = json_object_get(json_object_get(last, "result"), "stdout");
    bool good = agent->end == AGENT_DONE && output;

    json_object_set_new(document, "answer", good ? json_incref(output) : json_null());
    return document;
}
