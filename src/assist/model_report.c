/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "agent/trial.h"
#include "assist/model_call.h"
#include "base/json_get.h"
#include "base/mem.h"

enum { REPORT_LINES = 30, LINE_MAX_CHARS = 300, FILES_SHOWN = 20 };

static struct str cut(struct str line)
{
    return str_slice(line, 0, line.n < LINE_MAX_CHARS ? line.n : LINE_MAX_CHARS);
}

static char *outcome_of(const json_t *step)
{
    const json_t *result = json_object_get(step, "result");
    int64_t total = json_get_int(result, "total");
    struct str report = json_str(json_object_get(step, "report")), line = {"", 0};

    if (json_get_true(step, "passed"))
        return xstrdup("success");
    if (json_get_true(result, "cancelled"))
        return xstrdup("stopped");
    if (total)
        return xasprintf("%lld of %lld cases passed", (long long)json_get_int(result, "passed"),
                         (long long)total);
    (void)str_next_line(&report, &line);
    return xstrndup(line.p, cut(line).n);
}

void model_call_step(struct model_call *call, const struct agent_event *event, const char *given)
{
    bool known = event->step == 0 && event->sample > 1; /* each sample tries the same program */

    if (call->set->json || known)
        return;
    AUTO_FREE char *outcome = outcome_of(event->document);
    AUTO_FREE char *sample = event->sample ? xasprintf("sample %d, ", event->sample) : xstrdup("");
    AUTO_FREE char *line = event->step ? xasprintf("%sattempt %d: %s", sample, event->step, outcome)
                                       : xasprintf("%s%s: %s", sample, given, outcome);
    model_call_say(call, line);
}

static void say_report(struct model_call *call, struct str report)
{
    struct str line;

    for (int i = 0; i < REPORT_LINES && str_next_line(&report, &line); i++) {
        AUTO_FREE char *text = xasprintf("  %.*s", (int)cut(line).n, line.p);
        if (str_trim(line).n)
            model_call_say(call, text);
    }
}

/* With --stream, it was shown when it came. */
void model_call_reply(struct model_call *call, struct str reply)
{
    if (!str_trim(reply).n) {
        model_call_say(call, "the model's reply was empty");
    } else if (!call->set->stream) {
        model_call_say(call, "the model's reply:");
        say_report(call, reply);
    }
}

/* A reply without a program is not in what was shown of its step. */
void model_call_last_reply(struct model_call *call, const struct agent *agent)
{
    const json_t *step = json_array_get(agent->steps, json_array_size(agent->steps) - 1);
    const struct llm_message *last = NULL;

    for (size_t i = 0; i < agent->messages.n; i++)
        if (agent->messages.at[i].role == LLM_ASSISTANT)
            last = &agent->messages.at[i];
    if (last && !json_get_text(step, "code") && !json_array_size(json_object_get(step, "runs")))
        model_call_reply(call, str_from(last->text));
}

const char *model_call_more(const struct agent *agent)
{
    static const char *const more[AGENT_FAILED + 1] = {
        [AGENT_STEPS] = "; --steps allows more",
        [AGENT_TOKENS] = "; --token-limit allows more",
        [AGENT_COST] = "; --cost-limit allows more",
        [AGENT_TIME] = "; --task-timeout allows more",
    };

    return more[agent->end] ? more[agent->end] : "";
}

void model_call_failure(struct model_call *call, const struct agent *agent, bool best)
{
    const char *report = trial_last_report(agent);
    AUTO_FREE char *line =
        xasprintf("no success after %d attempt%s%s: %s%s", agent->step, agent->step == 1 ? "" : "s",
                  best ? " of the best sample" : "", agent->error.msg, model_call_more(agent));

    model_call_say(call, line);
    say_report(call, str_from(report));
    model_call_last_reply(call, agent);
}

static bool is_kept(const json_t *file)
{
    const char *change = json_get_text(file, "change");

    return json_get_text(file, "path") && change && strcmp(change, "deleted") != 0;
}

/* Why a file, or a folder above it, did not reach --out; NULL if it did. */
static const char *why_not_out(const json_t *skipped, const char *path)
{
    const json_t *row;
    size_t i;

    json_array_foreach(skipped, i, row)
    {
        struct str from = json_str(json_object_get(row, "path"));
        struct str direction = json_str(json_object_get(row, "direction"));
        bool within =
            from.n && str_starts(str_from(path), from.p) && (!path[from.n] || path[from.n] == '/');
        if (within && str_is(direction, "out"))
            return json_get_text(row, "reason");
    }
    return NULL;
}

static void say_file(struct model_call *call, const char *path, const json_t *skipped)
{
    const char *out = call->set->common.out, *why = why_not_out(skipped, path);
    AUTO_FREE char *line = !out  ? xasprintf("not kept: %s (--out DIR keeps files)", path)
                           : why ? xasprintf("%s/%s is not written: %s", out, path, why)
                                 : xasprintf("%s/%s is written", out, path);

    model_call_say(call, line);
}

void model_call_files(struct model_call *call, const json_t *result)
{
    const json_t *file, *skipped = json_object_get(result, "skipped");
    size_t i, n = 0;

    json_array_foreach(json_object_get(result, "files"), i, file)
    {
        if (is_kept(file) && ++n <= FILES_SHOWN)
            say_file(call, json_get_text(file, "path"), skipped);
    }
    if (n <= FILES_SHOWN)
        return;
    AUTO_FREE char *line = xasprintf("and %zu more files", n - FILES_SHOWN);
    model_call_say(call, line);
}

int model_call_samples(struct model_call *call, int (*flow)(void *ctx, struct agent *agent),
                       void *ctx, struct samples_request *request, struct samples *ret,
                       struct err *err)
{
    *request = (struct samples_request){
        .llm = call->llm,
        .settings = &call->set->model,
        .task = &call->request,
        .watch = &call->watch,
        .n = (int)call->set->samples,
        .jobs = (int)call->set->jobs,
        .flow = flow,
        .ctx = ctx,
    };
    int status = samples_run(request, ret, err);
    model_call_erase(call);
    return status;
}
