/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/flow_call.h"
#include "formats/json_get.h"
#include "terminal/safe_text.h"

enum { NOT_DONE = 1, REPORT_LINES = 30, LINE_MAX_CHARS = 300, FILES_SHOWN = 20 };

static struct str flow_report_cut(struct str line)
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
    return xstrndup(line.p, flow_report_cut(line).n);
}

void flow_event_steps(void *ctx, const struct agent_event *event)
{
    struct flow_call *call = ctx;
    /* step 0 is the given program, which every sample tries */
    bool known = event->step == 0 && event->sample > 1;

    flow_event(call, event);
    if (event->kind != AGENT_STEP || call->set->json || known)
        return;
    AUTO_FREE char *outcome = outcome_of(event->document);
    AUTO_FREE char *sample = event->sample ? xasprintf("sample %d, ", event->sample) : xstrdup("");
    AUTO_FREE char *line = event->step ? xasprintf("%sattempt %d: %s", sample, event->step, outcome)
                                       : xasprintf("%s%s: %s", sample, call->shown, outcome);
    flow_say(call, line);
}

static void say_report(struct flow_call *call, struct str report)
{
    struct str line;

    for (int i = 0; i < REPORT_LINES && str_next_line(&report, &line); i++) {
        AUTO_FREE char *text = xasprintf("  %.*s", (int)flow_report_cut(line).n, line.p);
        if (str_trim(line).n)
            flow_say(call, text);
    }
}

/* With --stream, the reply was shown when it arrived. */
void flow_report_reply(struct flow_call *call, struct str reply)
{
    if (!str_trim(reply).n) {
        flow_say(call, "the model's reply was empty");
    } else if (!call->set->common.stream) {
        flow_say(call, "the model's reply:");
        say_report(call, reply);
    }
}

const json_t *flow_last_step(const json_t *document)
{
    const json_t *steps = json_object_get(document, "steps");

    return json_array_get(steps, json_array_size(steps) - 1);
}

/* If the last reply has no program, nothing of it was shown with its step. */
void flow_report_last_reply(struct flow_call *call, const json_t *document)
{
    const json_t *step = flow_last_step(document), *message, *last = NULL;
    size_t i;

    json_array_foreach(json_object_get(document, "conversation"), i, message)
    {
        if (str_is(json_str(json_object_get(message, "role")), "assistant"))
            last = message;
    }
    if (last && !json_get_text(step, "code") && !json_array_size(json_object_get(step, "runs")))
        flow_report_reply(call, json_str(json_object_get(last, "content")));
}

const char *flow_more(enum agent_end end)
{
    static const char *const more[AGENT_FAILED + 1] = {
        [AGENT_STEPS] = "; --steps allows more",
        [AGENT_TOKENS] = "; --token-limit allows more",
        [AGENT_COST] = "; --cost-limit allows more",
        [AGENT_TIME] = "; --task-timeout allows more",
    };

    return more[end] ? more[end] : "";
}

int flow_status(const struct flow_output *output, struct err *err)
{
    if (output->failed)
        *err = output->error;
    return output->failed ? -1 : output->end == AGENT_DONE ? 0 : NOT_DONE;
}

void flow_report_failure(struct flow_call *call, const struct flow_output *output)
{
    long long attempts = json_get_int(output->document, "attempts");
    AUTO_FREE char *line =
        xasprintf("no success after %lld attempt%s%s: %s%s", attempts, attempts == 1 ? "" : "s",
                  call->task.samples > 1 ? " of the best sample" : "", output->error.msg,
                  flow_more(output->end));

    flow_say(call, line);
    say_report(call, json_str(json_object_get(flow_last_step(output->document), "report")));
    flow_report_last_reply(call, output->document);
}

static bool is_kept(const json_t *file)
{
    const char *change = json_get_text(file, "change");

    return json_get_text(file, "path") && change && strcmp(change, "deleted") != 0;
}

/* Returns why a file, or a folder above it, did not reach --out; NULL if it did. */
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

static void say_file(struct flow_call *call, const char *path, const json_t *skipped)
{
    const char *out = call->set->common.out, *why = why_not_out(skipped, path);
    AUTO_FREE char *line = !out  ? xasprintf("not kept: %s (--out DIR keeps files)", path)
                           : why ? xasprintf("%s/%s is not written: %s", out, path, why)
                                 : xasprintf("%s/%s is written", out, path);

    flow_say(call, line);
}

void flow_report_files(struct flow_call *call, const json_t *result)
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
    flow_say(call, line);
}

/* ---- programs and figures ---- */

/* A file or a pipe gets the model's text unchanged; for a terminal, the text is made safe. */
void flow_print_code(struct str code)
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

char *flow_usage_text(const struct llm_usage *u)
{
    AUTO_FREE char *tokens = u->tokens_known
                                 ? xasprintf("%lld + %lld tokens", (long long)u->prompt_tokens,
                                             (long long)u->completion_tokens)
                                 : xstrdup("tokens unknown");
    AUTO_FREE char *cost =
        u->cost_known ? xasprintf("about $%.6f", u->cost) : xstrdup("cost unknown");

    return xasprintf("%s, %s", tokens, cost);
}

void flow_report_usage(struct flow_call *call)
{
    struct llm_usage u;

    llm_usage_total(llm_usage_of(call->task.llm), &u);
    if (u.requests == 0)
        return;
    AUTO_FREE char *line = flow_usage_text(&u);

    flow_say(call, line);
}
