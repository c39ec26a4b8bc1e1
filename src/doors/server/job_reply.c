/* SPDX-License-Identifier: Apache-2.0
 *
 * The last part of a job's reply: the answer, or the reason why there is none.
 */
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "server/front.h"
#include "server/job.h"

int job_end_status(const struct job *job)
{
    static const int statuses[] = {[END_CLOSED] = 409, [END_DAEMON] = 503};
    enum job_end end = job->end;

    if (end == END_LATE)
        return job->begun ? 504 : 503;
    return end && (!job->status || job->status >= 400) ? statuses[end] : 0;
}

void job_end_words(const struct job *job, struct err *ret)
{
    enum job_end end = job->end;

    switch (end) {
    case END_NONE:
        break;
    case END_LATE:
        err_set(ret, ERR_TIMEOUT, "the deadline of this request passed while it %s",
                job->begun ? "ran" : "waited for its turn");
        break;
    case END_CLOSED:
        err_set(ret, ERR_USAGE, "the session was closed");
        break;
    case END_DAEMON:
        err_set(ret, ERR_LIMIT, "the daemon is stopping");
        break;
    }
}

static void answer_ended(struct job *job, int status)
{
    struct err why = {0};

    if (job->end == END_LATE)
        metrics_refused(job->server->metrics, REFUSAL_DEADLINE);
    job_end_words(job, &why);
    call_refuse(job->call, status, status == 503 ? "Retry-After: 1\r\n" : NULL,
                err_kind_name(why.kind), "%s", why.msg);
}

/* The error that ends a stream; the caller frees. NULL: the stream ended without an error. */
static char *stream_error(const struct job *job)
{
    struct err why = {0};

    if (job->status < 400 || !job->answer || strncmp(job->answer, "{\"error\":", 9) != 0)
        return NULL;
    if (!job_end_status(job))
        return xstrdup(job->answer);
    job_end_words(job, &why);
    return error_text(err_kind_name(why.kind), why.msg);
}

static void end_stream(struct job *job)
{
    struct call *call = job->call;
    AUTO_FREE char *error = stream_error(job);

    if (job->overrun) {
        metrics_refused(job->server->metrics, REFUSAL_SLOW);
        http_break(call->x);
        return;
    }
    /* after the first line, an error must be a line as well */
    if (error) {
        AUTO_FREE char *line = xasprintf("{\"event\":\"error\",%s\n", error + 1);
        http_piece(call->x, str_from(line));
    }
    if (job->call)
        http_end(call->x);
}

void job_reply(struct job *job)
{
    struct call *call = job->call;
    int ended = job_end_status(job);

    if (!call)
        return;
    if (http_begun(call->x)) {
        end_stream(job);
    } else if (ended) {
        answer_ended(job, ended);
    } else if (!job->status) {
        call_refuse(call, 503, "Retry-After: 1\r\n", "limit", "the daemon is stopping");
    } else if (job->file_fd >= 0) {
        http_answer_file(call->x, job->type, fd_take(&job->file_fd), job->file_size);
    } else {
        char *text = job->answer;
        job->answer = NULL;
        http_answer(call->x, &(struct http_answer){.status = job->status,
                                                   .type = job->type,
                                                   .extra = job->extra,
                                                   .body = text,
                                                   .size = job->answer_n});
    }
}
