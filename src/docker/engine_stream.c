/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests whose answer is a stream of objects: a pull, a build.
 */
#include "base/mem.h"
#include "docker/engine_parts.h"
#include "docker/json_stream.h"

/* The message of an answer that is an error, safe to print. */
static void read_problem(const struct http_reply *reply, char *out)
{
    json_t *json = json_loadb(reply->body.p, reply->body.n, 0, NULL);
    const char *message = json_string_value(json_object_get(json, "message"));

    engine_show(message ? message : reply->body.p, out, ENGINE_PROBLEM_MAX);
    json_decref(json);
}

int engine_take_piece(void *stream, struct str bytes, struct err *err)
{
    return json_stream_add(stream, bytes, err);
}

int engine_ask_stream(struct engine *e, const struct http_ask *ask,
                      char problem[ENGINE_PROBLEM_MAX], struct err *err)
{
    struct http_reply reply;

    if (engine_reconnect(e, err) < 0)
        return -1;
    int result = http_client_ask(&e->client, ask, &reply, err);
    json_stream_end(ask->ctx);
    if (result == 0 && reply.status != 200)
        read_problem(&reply, problem);
    http_reply_done(&reply);
    return result;
}
