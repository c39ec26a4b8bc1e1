/* SPDX-License-Identifier: Apache-2.0
 *
 * Images of sessions. They are in an engine that other clients and the operator use as well, so a
 * client needs the operator's permission, and its image names are separate from those of others.
 */
#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "routes/cell_parts.h"
#include "routes/routes.h"

struct commit_fields {
    const char *image;
};
const struct setting commit_rows[] = {
    {.field = "image",
     .opt = {.kind = OPT_STRING, .offset = offsetof(struct commit_fields, image)},
     .code = CODE_UNREADABLE,
     .required = V_ANY,
     .meaning = "the image's name, optionally with a tag. For a client with a token it becomes "
                "localhost/TOKEN'S NAME/NAME"},
    {.field = NULL},
};

static void commit_work(struct job *job)
{
    struct session_entry *e = job->turn.entry;
    struct commit_fields fields = {0};
    const char *owner = job->owner[0] ? job->owner : NULL;
    struct err err;

    if (job_read(job, &fields, &err) < 0 ||
        session_commit(e->session, fields.image, owner, &err) < 0)
        session_fail(job, &err);
    else
        job_answer_json(job, 201, json_pack("{s:s, s:s}", "id", e->id, "image", fields.image));
}

/* A client without a name is refused: its image would look like one of the daemon's own user. */
static int check_caller(const struct call *call, struct err *err)
{
    if (permit_check(call_rules(call), PERMIT_COMMIT, "an image of a session", err) < 0)
        return -1;
    if (call_is_own_user(call) || (call->owner[0] && strcmp(call->owner, TOKEN_NAMELESS) != 0))
        return 0;
    return err_set(err, ERR_POLICY,
                   "an image's name contains the name of the client's token: use a token that has "
                   "a name in --token-file");
}

static bool is_permitted(struct call *call)
{
    struct err err;

    if (check_caller(call, &err) == 0)
        return true;
    call_refuse(call, 403, NULL, "policy", "%s", err.msg);
    return false;
}

void handle_session_commit(struct call *call)
{
    struct session_entry *e = session_of(call);
    struct job *job = e && is_permitted(call) ? job_new(call->server, call) : NULL;

    if (!job)
        return;
    job->work = commit_work;
    session_submit(e, job);
}
