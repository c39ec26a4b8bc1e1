/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/flow_table.h"
#include "agent/solve_parts.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "text/codeact.h"

enum { MESSAGE_MAX = 8 << 20, PROMPT_PART_MAX = 64 << 10 };

/* ---- the system prompt ---- */

static void add_form(const struct solving *s, struct buf *b)
{
    const struct solve_style *style = s->request->style;
    const struct language *language = language_find(s->agent->request->run->program.languages,
                                                    str_from(s->agent->request->language));

    (void)buf_adds(b, s->ret->by_tools ? "- Run programs with the tool " EXECUTE_CODE_NAME
                                         ". You then receive their output.\n"
                                       : style->form);
    if (s->one_shot) {
        (void)buf_adds(b,
                       "- The output of the first program that succeeds is the answer: print the "
                       "answer, and nothing else.\n");
        return;
    }
    (void)buf_adds(b, s->ret->session ? "- Variables and files last from one program to the next.\n"
                                      : "- Each program runs alone: no variables or files last.\n");
    if (s->ret->session && language && language->traits->has_final_answer)
        (void)buf_adds(b, "- A call of final_answer(VALUE) in a program ends the task with that "
                          "answer.\n");
    (void)buf_adds(b, style->finish);
}

static void add_tools(const struct solving *s, struct buf *b)
{
    const struct tool_set *tools = s->request->session->tools;

    if (s->ret->session && tools && tools->source)
        (void)buf_addf(b, "\n\nThese functions exist already:\n\n```\n%s\n```", tools->source);
}

static int say_system(struct solving *s)
{
    AUTO_BUF struct buf form = {0}, tools = {0};
    struct err err;

    buf_init(&form, PROMPT_PART_MAX);
    buf_init(&tools, PROMPT_PART_MAX);
    add_form(s, &form);
    add_tools(s, &tools);
    /* without the line end after the last line: the prompt has one */
    AUTO_FREE char *lines = xstrndup(form.p, form.n - 1);
    const struct prompt_value more[] = {{"form", lines}, {"tools", tools.p}, {0}};
    if (!tools.overflow)
        return agent_say_system(s->agent, "solve", more);
    (void)err_set(&err, ERR_USAGE, "--tools: larger than %d KiB, which is too long for a prompt",
                  PROMPT_PART_MAX >> 10);
    return agent_finish(s->agent, AGENT_FAILED, &err);
}

/* ---- replies ---- */

/* Runs the program and writes the model's next message into *next. */
static int run_code(struct solving *s, struct buf *next)
{
    if (solve_run(s, NULL) < 0 || solve_conclude(s, next) < 0)
        return -1;
    if (!next->n)
        solve_observe(s, next);
    return 0;
}

/* agent->code stays the latest program when the reply has none. */
static int take_code(struct solving *s, struct str reply, struct buf *complaint, bool *ret_found)
{
    struct agent *agent = s->agent;
    struct buf previous = agent->code;

    buf_init(&agent->code, 0);
    int status = agent_take_code(agent, reply, complaint);
    *ret_found = status == 0 && agent->code.n;
    if (*ret_found) {
        buf_done(&previous);
    } else {
        buf_done(&agent->code);
        agent->code = previous;
    }
    return status;
}

/* Adds the closing tag if a stop string ended the reply before it. */
static void add_reply(const struct solving *s, const struct llm_answer *answer, struct buf *ret)
{
    const char *tag = s->request->style->unclosed;

    buf_init(ret, answer->text.n + 16);
    (void)buf_add_str(ret, buf_str(&answer->text));
    if (tag && str_find(buf_str(ret), STR("<code>")) >= 0 && !str_ends(str_trim(buf_str(ret)), tag))
        (void)buf_adds(ret, tag);
}

/* True if the reply is the answer: it follows a program that succeeded. */
static bool is_answer(const struct solving *s, struct str reply)
{
    return s->ready && !s->request->style->answers_in_objects && str_trim(reply).n;
}

static int take_text(struct solving *s, const struct llm_answer *answer, struct buf *next)
{
    AUTO_BUF struct buf reply = {0}, complaint = {0};
    bool found = false;

    add_reply(s, answer, &reply);
    /* The model may show code in its answer after its calls: that code is not a program to run. */
    if (!s->called || !is_answer(s, buf_str(&reply)))
        if (take_code(s, buf_str(&reply), &complaint, &found) < 0)
            return -1;
    if (found)
        return run_code(s, next);
    if (is_answer(s, buf_str(&reply)))
        return solve_answer(s, json_text(str_trim(buf_str(&reply))), "reply", next);
    agent_note(s->agent, complaint.p);
    (void)buf_addf(next, "%s\n", complaint.p);
    return 0;
}

int solve_give_up(struct solving *s, const char *what, struct str words)
{
    struct err err;

    (void)err_set(&err, ERR_GUEST, "%s: %.*s", what, (int)utf8_cut(words, 300), words.p);
    return agent_finish(s->agent, AGENT_GAVE_UP, &err);
}

/* Reads a final answer in the form of kodeagent: true if the reply is one, and *status is the
 * result of solve_answer or solve_give_up. */
static bool take_final(struct solving *s, const struct llm_answer *answer, struct buf *next,
                       int *status)
{
    struct codeact_reply reply;
    struct err err;
    bool final = s->request->style->reply == REPLY_KODEAGENT &&
                 codeact_read(buf_str(&answer->text), &reply, &err) == 0 && reply.final_answer.p;

    if (final)
        *status = reply.task_successful
                      ? solve_answer(s, json_text(reply.final_answer), "reply", next)
                      : solve_give_up(s, "the model gave up", reply.final_answer);
    if (s->request->style->reply == REPLY_KODEAGENT)
        codeact_done(&reply);
    return final;
}

static int take_reply(struct solving *s, const struct llm_answer *answer, struct buf *next)
{
    int status = 0;

    if (answer->finish == LLM_FINISH_REFUSED)
        return solve_give_up(s, "the model refused the task", buf_str(&answer->text));
    if (answer->finish == LLM_FINISH_LENGTH) {
        agent_note(s->agent, "the reply was cut at its maximum of tokens (--max-tokens)");
        (void)buf_adds(next, "Your reply was cut at its maximum length, and nothing of it was run. "
                             "Write a shorter one.\n");
        return 0;
    }
    return take_final(s, answer, next, &status) ? status : take_text(s, answer, next);
}

/* ---- the loop ---- */

void solve_step_done(struct solving *s, const struct buf *next)
{
    bool says = next && next->n;

    agent_step_done(s->agent, json_pack("{s:o, s:o?}", "runs", s->runs, "message",
                                        says ? json_text(buf_str(next)) : NULL));
    if (says)
        llm_say(&s->agent->messages, LLM_USER, next->p);
}

static int solve_take(struct solving *s, const struct llm_answer *answer)
{
    AUTO_BUF struct buf next = {0};

    buf_init(&next, MESSAGE_MAX);
    s->runs = json_array();
    int status = answer->call_n ? solve_calls(s, answer) : take_reply(s, answer, &next);
    solve_step_done(s, status == 0 ? &next : NULL);
    return status;
}

int solve_converse(struct solving *s, const struct agent_question *question,
                   int (*take_answer)(struct solving *s, const struct llm_answer *answer))
{
    for (;;) {
        struct llm_answer answer;
        int status = agent_ask(s->agent, question, &answer);

        if (status == 0)
            status = take_answer(s, &answer);
        llm_answer_done(&answer);
        if (status < 0)
            return s->agent->end == AGENT_DONE ? 0 : -1;
    }
}

static int ask_all(struct solving *s)
{
    const struct solve_style *style = s->request->style;
    json_t *parameters =
        execute_code_schema(EXECUTE_IN_TASK, s->agent->request->run->program.languages);
    json_t *schema = style->structured ? solve_style_schema() : NULL;
    const struct llm_tool tool = {EXECUTE_CODE_NAME, execute_code_description(EXECUTE_IN_TASK),
                                  parameters};
    const struct agent_question question = {
        .tools = s->ret->by_tools ? &tool : NULL,
        .tool_n = s->ret->by_tools ? 1 : 0,
        .schema = s->ret->by_tools ? NULL : schema,
        .stop = s->ret->by_tools ? NULL : style->stop,
        .lenient = true,
    };
    int status = solve_converse(s, &question, solve_take);

    json_decref(parameters);
    json_decref(schema);
    return status;
}

/* Sets the text for the user in the style "chapter", also for a task that is not solved. */
static void add_solution(const struct solving *s)
{
    if (s->request->style->format != FORMAT_CHAPTER || !s->ret->run)
        return;
    buf_init(&s->ret->solution, MESSAGE_MAX);
    format_solution(s->ret->run, str_from(s->task), buf_str(&s->agent->code), &s->ret->solution);
}

static int solve(const struct flow_task *task, struct agent *agent)
{
    const struct solve_request *request = &task->solve.request;
    struct solve_result *ret = agent->outcome;
    struct solving s = {.agent = agent, .request = request, .ret = ret, .task = task->ask->task};

    s.one_shot = request->one_shot || request->style->one_shot || agent->request->bounds.steps == 1;
    ret->by_tools = request->calls == SOLVE_TOOLS ||
                    (request->calls == SOLVE_AUTO && request->style == &solve_styles[0] &&
                     llm_has_tools(agent->llm));
    ret->builtin = request->calls == SOLVE_BUILTIN;
    if (solve_check_open(&s) < 0)
        return -1;
    if (ret->builtin)
        return solve_builtin(&s);
    if (solve_open(&s) < 0 || say_system(&s) < 0)
        return -1;
    llm_say(&agent->messages, LLM_USER, s.task);
    int status = ask_all(&s);
    add_solution(&s);
    return status;
}

static void solve_done(void *outcome)
{
    struct solve_result *result = outcome;

    json_decref(result->answer);
    json_decref(result->run);
    buf_done(&result->solution);
    session_close(result->session);
}

/* agent_document with {answer, answer_by, solution, style, calls, result}. */
static json_t *solve_document(const struct flow_task *task, const struct agent *agent)
{
    const struct solve_request *request = &task->solve.request;
    const struct solve_result *result = agent->outcome;
    json_t *document = agent_document(agent);

    json_object_update_new(
        document, json_pack("{s:O?, s:s?, s:o?, s:s, s:s, s:O?}", "answer", result->answer,
                            "answer_by", result->answer_by, "solution",
                            result->solution.n ? json_text(buf_str(&result->solution)) : NULL,
                            "style", request->style->name, "calls",
                            result->builtin    ? "builtin"
                            : result->by_tools ? "tools"
                                               : "blocks",
                            "result", result->run));
    return document;
}

const struct flow flow_solve = {.verb = V_SOLVE,
                                .temperature = 0.2,
                                .outcome = sizeof(struct solve_result),
                                .work = solve,
                                .document = solve_document,
                                .done = solve_done};
