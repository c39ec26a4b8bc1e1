/* SPDX-License-Identifier: Apache-2.0
 *
 * The host of calls that come as lines.
 */
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "server/mcp_calls.h"
#include "server/mcp_line.h"

enum {
    READER_WAIT_MS = 30000,
    READER_STEP_MS = 20,
    UNSENT_MAX = 256 << 10, /* beyond this, progress is dropped */
};

static struct mcp_line *line_of(const struct mcp_call *call)
{
    return (struct mcp_line *)(void *)((char *)call->client -
                                       offsetof(struct mcp_line, dialog.client));
}

/* ---- work ---- */

/* So that the memory of the answers stays bounded. */
static bool has_reader(const struct mcp_call *call)
{
    const struct timespec step = {.tv_nsec = READER_STEP_MS * 1000 * 1000};

    for (int waited = 0; line_of(call)->full; waited += READER_STEP_MS) {
        if (call->cancelled || waited >= READER_WAIT_MS)
            return false;
        nanosleep(&step, NULL);
    }
    return true;
}

static void work(struct job *job)
{
    struct mcp_call *call = mcp_calls_enter(job);

    if (!call)
        return;
    if (has_reader(call))
        call->work(call);
    else
        mcp_calls_fail(call, "the client does not read its answers");
    char *text = mcp_dialog_text(&line_of(call)->dialog, call);
    if (text)
        job_answer(job, 200, text);
    job->status = 200;
}

static void host_begin(struct mcp_call *call, struct session_entry *entry)
{
    mcp_calls_begin(call, entry, work);
}

/* ---- messages ---- */

static void pass_to_line(const struct mcp_call *call, struct str text, bool is_progress)
{
    const struct mcp_line *line = line_of(call);
    bool is_slow = line->call && http_unsent(line->call->x) > UNSENT_MAX;

    if (!is_progress || !is_slow)
        line->dialog.send(line->dialog.ctx, xstrndup(text.p, text.n));
}

static void host_note(const struct mcp_call *call, json_t *message, bool is_progress)
{
    mcp_calls_note(call, message, is_progress, pass_to_line);
}

static void host_over(struct mcp_call *call)
{
    struct mcp_line *line = line_of(call);
    struct job *job = call->task;

    mcp_line_enter(line);
    mcp_dialog_over(&line->dialog, call, job ? mem_take(&job->answer) : NULL);
    if (job)
        job_free(job);
    mcp_line_leave(line);
}

/* ---- requests of tools ---- */

static int host_request(const struct mcp_call *call, struct run_fields *fields,
                        struct request_parts *parts, struct run_request *ret, struct err *err)
{
    if (mcp_calls_request(call, fields, parts, ret, err) < 0)
        return -1;
    if (!call->entry)
        line_settings_add_files(line_of(call)->settings, parts, ret);
    return 0;
}

static void *hold_settings(const struct mcp_call *call)
{
    return line_settings_hold(line_of(call)->settings);
}

static void drop_settings(void *settings)
{
    line_settings_drop(settings);
}

const struct mcp_host mcp_line_host = {
    .begin = host_begin,
    .stop = mcp_calls_stop,
    .note = host_note,
    .over = host_over,
    .request = host_request,
    .ran = mcp_calls_ran,
    .hold_settings = hold_settings,
    .drop_settings = drop_settings,
};
