/* SPDX-License-Identifier: Apache-2.0
 *
 * /v1/environments: the environments of the daemon's user, which all its clients share. A worker
 * makes one; the lines of a stream say what it does meanwhile.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "environments/environments.h"
#include "environments/requirement.h"
#include "languages/pythons.h"
#include "routes/handle_parts.h"
#include "routes/routes.h"
#include "run/event_json.h"

struct environment_fields {
    const char *name, *python;
    json_t *pip; /* lent by the body */
    bool offline;
};

#define AT(field) offsetof(struct environment_fields, field)

const struct setting environment_rows[] = {
    {.field = "name",
     .opt = {.kind = OPT_STRING, .offset = AT(name)},
     .code = CODE_NONE,
     .required = V_ANY,
     .meaning = "its name; an environment that has it loses it"},
    {.field = "pip",
     .code = CODE_UNREADABLE,
     .shape = SHAPE_WORDS,
     .json_at = AT(pip),
     .meaning = "its packages, such as 'pandas>=2': a list, or a string with commas between them; "
                "without them, those of the set with this name"},
    {.field = "python",
     .opt = {.kind = OPT_STRING, .offset = AT(python)},
     .code = CODE_OPERATOR,
     .meaning = "the version of Python to make it from, as 3.12; a path needs --allow host-files"},
    {.field = "offline",
     .opt = {.kind = OPT_FLAG, .offset = AT(offline)},
     .code = CODE_NONE,
     .meaning = "use only what is stored already"},
    {.field = NULL},
};

/* ---- making ---- */

static void handle_environments_say(void *ctx, const char *line)
{
    struct job *job = ctx;
    const struct run_event event = {.kind = RUN_PREPARING, .text = str_from(line)};

    if (job->streams)
        job_send_event(job, &event);
}

static int check_fields(const struct job *job, const struct environment_fields *f, struct err *err)
{
    unsigned minor;

    if (permit_check(job->rules, PERMIT_PACKAGES, "an environment of a client's", err) < 0)
        return -1;
    if (f->python && !python_is_version(str_from(f->python), &minor))
        return permit_check(job->rules, PERMIT_HOST_FILES, "a Python by its path", err);
    return 0;
}

static json_t *make(struct job *job, const struct environment_fields *f, struct err *err)
{
    const char *usual = f->pip ? NULL : env_set(f->name);
    size_t n = json_array_size(f->pip);
    AUTO_FREE const char **texts = xcalloc(n + 2, sizeof *texts);
    char **wanted = NULL;
    struct env_used used = ENV_USED_NONE;
    const struct env_watch watch = {handle_environments_say, job, job->cancel_fd};

    for (size_t i = 0; i < n; i++)
        texts[i] = json_string_value(json_array_get(f->pip, i));
    texts[n] = json_is_string(f->pip) ? json_string_value(f->pip) : usual;
    int result = requirements_read((char *const *)texts, &wanted, err);
    const struct env_want want = {
        .requirements = wanted, .python = f->python, .offline = f->offline, .fresh = !f->offline};
    if (result == 0)
        result = env_check_named(wanted, err);
    if (result == 0)
        result = env_make(&want, &watch, &used, err);
    if (result == 0)
        result = env_name(f->name, used.id, err);
    requirements_done(wanted);
    json_t *about = result == 0 ? env_describe(f->name, err) : NULL;
    env_close(&used);
    return about;
}

void environment_make_work(struct job *job)
{
    struct environment_fields fields = {0};
    json_t *about = NULL;
    struct err err;

    if (job_read(job, &fields, &err) == 0 && check_fields(job, &fields, &err) == 0)
        about = make(job, &fields, &err);
    if (!about) {
        job_fail(job, &err);
    } else if (job->streams) {
        job_line_json(job, event_finished(about));
        job->status = 201;
    } else {
        job_answer_json(job, 201, about);
    }
}

/* ---- the others ---- */

void environments_work(struct job *job)
{
    struct err err;
    json_t *all = env_list(&err);

    if (all)
        job_answer_json(job, 200, json_pack("{s:o}", "environments", all));
    else
        job_fail(job, &err);
}

static void environment_fail(struct job *job, const struct err *err)
{
    if (err->kind == ERR_USAGE)
        job_answer(job, 404, error_text("usage", err->msg));
    else
        job_fail(job, err);
}

static void show_work(struct job *job)
{
    struct err err;
    json_t *about = env_describe(job->own, &err);

    if (about)
        job_answer_json(job, 200, about);
    else
        environment_fail(job, &err);
}

static void remove_work(struct job *job)
{
    struct err err;

    if (permit_check(job->rules, PERMIT_PACKAGES, "the removal of an environment", &err) < 0)
        job_fail(job, &err);
    else if (env_remove(job->own, &err) < 0)
        environment_fail(job, &err);
    else
        job_answer_json(job, 200, json_pack("{s:s}", "removed", (char *)job->own));
}

static void submit_by_name(struct call *call, void (*work)(struct job *job))
{
    struct job *job = job_bare(call->server, call);

    job->own = xstrdup(call->rest.p);
    job->work = work;
    job_submit(job);
}

void handle_environment_show(struct call *call)
{
    submit_by_name(call, show_work);
}

void handle_environment_remove(struct call *call)
{
    submit_by_name(call, remove_work);
}
