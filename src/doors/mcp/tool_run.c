/* SPDX-License-Identifier: Apache-2.0
 *
 * Tools that run something: execute_code and run_command.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/json_get.h"
#include "mcp/tools.h"
#include "run/check.h"

enum { COMMAND_MAX = 100 << 10 }; /* bytes: a command is one argument of a program */

/* ---- progress ---- */

static void tool_run_on_event(void *ctx, const struct run_event *event)
{
    char memory[32], text[100];

    if (event->kind != RUN_PROGRESS)
        return;
    num_format_size(event->memory, memory, sizeof memory);
    snprintf(text, sizeof text, "running for %" PRIu64 " s, %s of memory", event->count / 1000,
             memory);
    mcp_call_progress(ctx, (double)event->count / 1000, 0, text);
}

static struct run_watch watch_of(struct mcp_call *call)
{
    return (struct run_watch){
        .event = tool_run_on_event, .ctx = call, .cancel_fd = call->cancel_fd};
}

static void tool_run_count(const struct mcp_call *call, const struct result *result,
                           int64_t began_ns)
{
    const struct mcp_host *host = call->client->host;

    if (host->ran)
        host->ran(call, result, (clock_mono_ns() - began_ns) / 1000);
}

/* ---- a sandbox of its own ---- */

static void run_alone(struct mcp_call *call, const struct run_request *request)
{
    const struct run_watch watch = watch_of(call);
    int64_t began = clock_mono_ns();
    struct result result;

    result_init(&result, request->output_limit);
    run_program(request, &watch, &result);
    tool_run_count(call, &result, began);
    reply_run(call, &result, NULL);
    result_done(&result);
}

/* ---- in a session ---- */

static void tool_run_cell(struct mcp_call *call, const struct tool_arguments *a,
                          const struct cell_request *cell, bool status_is_value)
{
    struct session_entry *entry = call->entry;
    const struct run_watch watch = watch_of(call);
    int64_t began = clock_mono_ns();
    struct result result;

    result_init(&result, a->request.output_limit);
    session_exec(entry->session, cell, &watch, &result);
    tool_run_count(call, &result, began);
    if (status_is_value && result.success) {
        result.exit_code = (int)json_integer_value(result.value);
        result.success = result.exit_code == 0;
        json_decref(mem_take(&result.value));
        json_decref(mem_take(&result.results));
    }
    reply_run(call, &result, entry->id);
    result_done(&result);
}

static const char *language_of(const struct mcp_call *call, struct session_info *info)
{
    session_info(mcp_call_session(call), info);
    return info->language;
}

static int check_session_language(const struct mcp_call *call, const struct tool_arguments *a,
                                  struct err *err)
{
    const struct language_table *table = &call->service->rules->defaults->languages;
    struct session_info info;
    const char *own = language_of(call, &info), *asked = a->language;

    if (!asked || strcmp(asked, "auto") == 0 ||
        language_find(table, str_from(asked)) == language_find(table, str_from(own)))
        return 0;
    return err_set(err, ERR_USAGE,
                   "the cells of this session are in %s, not in %.40s: leave out 'session_id', or "
                   "open a session for it",
                   own, asked);
}

static int prepare_cell(struct mcp_call *call, const struct tool_arguments *a, struct err *err)
{
    return check_session_language(call, a, err) < 0
               ? -1
               : tool_put_files(mcp_call_session(call), &a->parts, err);
}

/* ---- execute_code ---- */

void tool_execute_code(struct mcp_call *call)
{
    struct tool_arguments a;
    struct err err;

    if (tool_arguments_read(call, &a) == 0) {
        const struct cell_request cell = {.code = a.ask.code_text,
                                          .wall_ms = a.request.limits.wall_ms,
                                          .input = a.ask.input_text,
                                          .cwd = a.ask.cwd};
        a.request.program.value = true;
        if (!call->entry)
            run_alone(call, &a.request);
        else if (prepare_cell(call, &a, &err) < 0)
            mcp_call_fail(call, &err);
        else
            tool_run_cell(call, &a, &cell, false);
    }
    tool_arguments_done(&a);
}

/* ---- run_command ---- */

/* The cell around the command is ours and is not checked by the guard, so the command is checked
 * here. */
static bool allowed(struct mcp_call *call, const struct tool_arguments *a)
{
    struct run_request q = a->request;
    struct result result;

    result_init(&result, q.output_limit);
    check_program(&q, false, call->cancel_fd, &result);
    bool good = result.verdict.allowed;
    if (!good)
        reply_run(call, &result, call->entry->id);
    result_done(&result);
    return good;
}

static void command_in_session(struct mcp_call *call, struct tool_arguments *a)
{
    struct session_info info;
    const char *form = language_traits_of(language_of(call, &info))->command_cell;
    json_t *text = json_stringn(a->command.p, a->command.n);
    AUTO_FREE char *literal = json_dumps(text, JSON_ENCODE_ANY);
    struct cell_request cell = {
        .wall_ms = a->request.limits.wall_ms, .code = a->command, .cwd = a->ask.cwd};

    json_decref(text);
    if (!form) {
        tool_run_cell(call, a, &cell, false);
    } else if (allowed(call, a)) {
        AUTO_BUF struct buf code = {0};
        const char *at = strstr(form, "%s");
        buf_init(&code, 1 << 20);
        (void)buf_addf(&code, "%.*s%s%s", (int)(at - form), form, literal, at + 2);
        cell.code = buf_str(&code);
        cell.no_check = true;
        tool_run_cell(call, a, &cell, true);
    }
}

static int check_command(const struct tool_arguments *a, struct err *err)
{
    if (!str_trim(a->command).n || memchr(a->command.p, '\0', a->command.n))
        return err_set(err, ERR_USAGE, "'command' must be a string with a command, without NUL");
    return a->command.n <= COMMAND_MAX
               ? 0
               : err_set(err, ERR_USAGE,
                         "'command' is longer than %d KiB; give a script in 'files'",
                         COMMAND_MAX >> 10);
}

static int prepare_command(struct mcp_call *call, struct tool_arguments *a, struct err *err)
{
    a->request.program.code = a->command;
    a->request.program.language = "bash";
    if (tool_check_offered(call, "bash", err) < 0 || check_command(a, err) < 0)
        return -1;
    return call->entry ? tool_put_files(mcp_call_session(call), &a->parts, err) : 0;
}

void tool_run_command(struct mcp_call *call)
{
    struct tool_arguments a;
    struct err err;

    if (tool_arguments_read(call, &a) == 0) {
        if (prepare_command(call, &a, &err) < 0)
            mcp_call_fail(call, &err);
        else if (call->entry)
            command_in_session(call, &a);
        else
            run_alone(call, &a.request);
    }
    tool_arguments_done(&a);
}
