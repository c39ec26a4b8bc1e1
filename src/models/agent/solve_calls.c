/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "agent/solve_parts.h"
#include "base/mem.h"
#include "formats/json_get.h"
#include "formats/json_write.h"

/* Only so many programs of one answer are run; the others are refused, so that an answer cannot
 * keep the host busy. */
enum { CALLS_MAX = 8, REPLY_MAX = 8 << 20 };

static void solve_calls_say(struct solving *s, const struct llm_call *call, json_t *reply)
{
    AUTO_FREE char *text = json_write(reply, false);

    llm_say_result(&s->agent->messages, call, text, !json_get_true(reply, "success"));
    json_decref(reply);
}

static void solve_calls_refuse(struct solving *s, const struct llm_call *call, const char *why)
{
    solve_calls_say(s, call, execute_refusal(why));
}

static int solve_calls_run(struct solving *s, const struct llm_call *call,
                           struct execute_call *program)
{
    AUTO_BUF struct buf complaint = {0};

    if (s->ret->session && (program->env || program->inputs)) {
        solve_calls_refuse(
            s, call,
            "'environment' and 'input_files' are not available here: let the program "
            "set variables and write files");
        return 0;
    }
    buf_init(&complaint, REPLY_MAX);
    if (solve_run(s, program) < 0 || solve_conclude(s, &complaint) < 0)
        return -1;
    if (complaint.n) {
        solve_calls_refuse(s, call, complaint.p);
        return 0;
    }
    json_t *reply = execute_reply(s->ret->run, program->id);
    /* A replay compares requests, so nothing in them may differ from run to run. */
    json_object_del(reply, "execution_time");
    json_object_del(reply, "execution_id");
    if (s->lost)
        json_object_set_new(reply, "note",
                            json_string("the session was ended by this: its variables are lost, "
                                        "its files are kept"));
    solve_calls_say(s, call, reply);
    return 0;
}

static int answer_call(struct solving *s, const struct llm_call *call)
{
    struct execute_call program;
    struct err err;
    int status = 0;

    if (strcmp(call->name, EXECUTE_CODE_NAME) != 0) {
        solve_calls_refuse(s, call, "there is no such tool; the tool is " EXECUTE_CODE_NAME);
        return 0;
    }
    if (execute_call_read(&program, str_from(call->arguments),
                          s->agent->request->run->program.languages, &err) < 0)
        solve_calls_refuse(s, call, err.msg);
    else
        status = solve_calls_run(s, call, &program);
    execute_call_done(&program);
    return status;
}

int solve_calls(struct solving *s, const struct llm_answer *answer)
{
    for (size_t i = 0; i < answer->call_n; i++) {
        const struct llm_call *call = &answer->calls[i];
        if (i >= CALLS_MAX)
            llm_say_result(&s->agent->messages, call,
                           "not run: of one answer, the first 8 calls are run", true);
        else if (answer_call(s, call) < 0)
            return -1;
    }
    return 0;
}
