/* SPDX-License-Identifier: Apache-2.0
 *
 * --context with a daemon, which never sees the file. The daemon receives a copy of the document.
 * The changes that it made in the copy are then made in the file.
 */
#include "base/buf.h"
#include "remote/run_remote.h"
#include "text/context.h"

/* with a larger document the run stays here: sending it costs more time than a cold start */
enum { SENT_MAX = 4 << 20 };

static const char *invocation_of(const struct run_request *q)
{
    return q->context.invocation ? q->context.invocation : "";
}

static bool ids_are_valid(const struct run_request *q)
{
    struct err unread;

    return context_check_id(invocation_of(q), "", &unread) == 0 &&
           (!q->context.execution_id ||
            context_check_id(q->context.execution_id, "", &unread) == 0);
}

static bool is_short(const struct context *c)
{
    AUTO_BUF struct buf b = {0};
    struct err unread;

    buf_init(&b, SENT_MAX);
    return context_write(c, &b, &unread) == 0;
}

/* Creates a missing file, as a run in this process does. */
static int open_copy(const struct run_request *q, int cancel_fd, struct context *ret)
{
    struct context_file file;
    struct err unread;

    if (!ids_are_valid(q) || context_file_open(q->context.path, cancel_fd, &file, &unread) < 0)
        return -1;
    *ret = file.context;
    file.context.document = NULL;
    context_file_close(&file);
    return 0;
}

/* A refusal for too many failures is made here, so that its message can name the file. */
int remote_put_context(json_t *body, const struct run_request *q, int cancel_fd,
                       struct context *ret)
{
    if (!q->context.path)
        return q->context.invocation || q->context.execution_id ? -1 : 0;
    if (open_copy(q, cancel_fd, ret) < 0)
        return -1;
    if (!is_short(ret) || context_error_count(ret, invocation_of(q)) > q->door.retries)
        return -1;
    json_object_set_nocheck(body, "context", ret->document);
    if (q->context.invocation)
        json_object_set_new_nocheck(body, "invocation", json_string(q->context.invocation));
    if (q->context.execution_id)
        json_object_set_new_nocheck(body, "execution_id", json_string(q->context.execution_id));
    return 0;
}

static int merge(const struct remote_context *context, const json_t *doc,
                 const struct context *after, struct err *err)
{
    const struct run_request *q = context->request;
    struct context_change change = {.before = &context->before,
                                    .after = after,
                                    .invocation = invocation_of(q),
                                    .success = json_is_true(json_object_get(doc, "success"))};
    struct context_file file;

    if (context_file_open(q->context.path, context->cancel_fd, &file, err) < 0)
        return -1;
    context_merge(&file.context, &change);
    int status = context_file_save(&file, err);
    context_file_close(&file);
    return status;
}

int remote_take_context(const struct remote_context *context, json_t *doc, struct err *err)
{
    const json_t *returned = json_object_get(doc, "context");
    struct context after;

    if (!json_is_object(returned))
        return 0;
    int status = context_copy(returned, &after, err);
    if (status == 0)
        status = merge(context, doc, &after, err);
    context_done(&after);
    json_object_set_new_nocheck(doc, "context", json_null()); /* only the file has the document */
    return status < 0 ? err_wrap(err, "--context") : 0;
}
