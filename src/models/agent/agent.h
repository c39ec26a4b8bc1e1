/* SPDX-License-Identifier: Apache-2.0
 *
 * One task for a model: its conversation, its bounds, a document for each step, and the events that
 * show its progress. The flows (generate, solve, fix, ...) are written with these functions:
 *
 *     agent_begin(&agent, llm, &request, &watch);
 *     agent_say_system(&agent, "solve", NULL);
 *     llm_say(&agent.messages, LLM_USER, task);
 *     while (agent_ask(&agent, &question, &answer) == 0) {
 *         ... agent_take_code, agent_check or a trial (agent/trial.h); agent_step_done ...
 *         ... the result is sent back: llm_say(&agent.messages, LLM_USER, observation) ...
 *     }
 *     document = agent_document(&agent);
 *     agent_done(&agent);
 *
 * A call that returns -1 has set `end` and `error`: the task is over. A program of the
 * model is hostile: it is run only behind the wall, and only after the guard allowed it.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "guard/guard.h"
#include "llm/llm.h"
#include "llm/prompts.h"
#include "request/model_settings.h"
#include "request/request.h"
#include "request/reviewer.h"
#include "request/settings.h"
#include "result/result.h"
#include "run/run.h"
#include "text/reply.h"

/* Borrowed until agent_done. */
struct agent_request {
    const char *component; /* the flow's name, for the usage: "solve" */
    /* How programs are run; its `code` and `language` are not used. */
    const struct run_request *run;
    const struct settings *ask;        /* the options of the task; NULL: the task is not a flow */
    const char *language;              /* the name of a row */
    const char *prompts;               /* folder of the user's own prompts; NULL: the usual one */
    const struct reply_options *reply; /* how to find code in replies; NULL: in code blocks */
    struct task_bounds bounds;
    bool has_temperature;
    double temperature;
    bool stream; /* answers are streamed, as AGENT_TEXT */
};

enum agent_event_kind {
    AGENT_ASKS, /* the model is asked: `step` */
    AGENT_TEXT, /* text: a chunk of its answer */
    AGENT_NOTE, /* text: a line, such as a retry and its reason */
    AGENT_CODE, /* text: the program of this step */
    AGENT_RUN,  /* run: an event of the run */
    AGENT_STEP, /* document: the step is over (agent_step_done) */
};

struct agent_event {
    enum agent_event_kind kind;
    int step;   /* from 1 */
    int sample; /* the number, from 1, if several samples run at the same time; else 0 */
    struct str text;
    const struct run_event *run;
    const json_t *document;
};

struct agent_watch {
    void (*event)(void *ctx, const struct agent_event *event); /* may be NULL */
    void *ctx;
    int cancel_fd; /* readable: cancel; -1 for none */
};

enum agent_end {
    AGENT_OPEN,      /* the task is not over */
    AGENT_DONE,      /* it succeeded */
    AGENT_STEPS,     /* it reached the bound on steps */
    AGENT_TOKENS,    /* the bound on tokens */
    AGENT_COST,      /* the bound on cost */
    AGENT_TIME,      /* the bound on time */
    AGENT_GAVE_UP,   /* the model answered that it cannot solve the task */
    AGENT_CANCELLED, /* by the user */
    AGENT_FAILED,    /* by us or by the service: see `error` */
};
/* "done", "steps", "tokens", ... */
const char *agent_end_name(enum agent_end end);

struct agent {
    struct llm *llm;
    const struct agent_request *request;
    const struct agent_watch *watch;
    struct llm_messages messages;  /* the flow adds its own messages; agent_ask adds the answers */
    int64_t began_ms, deadline_ms; /* of clock_mono_ms(); deadline 0: none */
    int step;                      /* number of answers so far */
    enum agent_end end;
    struct err error;  /* unless `end` is AGENT_OPEN or AGENT_DONE */
    bool model_failed; /* the model's service failed, or its price is unknown */
    struct buf code;   /* the latest program; empty for none */
    json_t *steps;     /* a document for each step */
    void *outcome;     /* more results of the flow (agent/flows.c); NULL: none */

    /* With reviews: a copy of the request with a reviewer of ours, which calls `theirs` within the
     * bounds. */
    struct agent_request own;
    struct run_request run;
    struct reviewer reviewer;
    const struct reviewer *theirs;
    /* the usage of reviews, which is not part of the usage of `llm` */
    struct llm_usage_table reviews;
};

/* `llm` and the pointers are borrowed until agent_done. If the request bounds the cost and the
 * model's price is unknown, the task fails here. */
void agent_begin(struct agent *agent, struct llm *llm, const struct agent_request *request,
                 const struct agent_watch *watch);
void agent_done(struct agent *agent);
/* Ends the task; if it has ended already, the first end stays. Returns 0 if the end is AGENT_DONE,
 * else -1. */
int agent_finish(struct agent *agent, enum agent_end end, const struct err *error);

/* Adds the system prompt: prompts/NAME.md with {{language}}, {{rules}} (the sandbox's rules) and
 * the given values, which end with an empty row; `more` may be NULL. */
int agent_say_system(struct agent *agent, const char *name, const struct prompt_value *more);

/* Options of one question; all zero is an ordinary one. */
struct agent_question {
    const struct llm_tool *tools;
    size_t tool_n;
    const json_t *schema;
    bool lenient, builtin; /* as in struct llm_request */
    const char *const *stop;
};

/* Checks every bound, asks the model with all messages, and adds its answer to them. A single
 * answer may exceed the bounds of tokens and cost. Call llm_answer_done in both cases. */
int agent_ask(struct agent *agent, const struct agent_question *question, struct llm_answer *ret);

/* Moves the program that the reply wants to run into agent->code. If there is none or it is blank,
 * agent->code is empty, and *complaint has the reason, for the model; it is initialised here and
 * not empty then. Text of the conversation's last answer after that program is cut: there, models
 * invent the output, and would later take it for the real one. */
int agent_take_code(struct agent *agent, struct str reply, struct buf *complaint);
/* As agent_take_code, but a whole reply without a code block may also be a program if it is valid
 * Python. For tasks in which each reply has to be a program. */
int agent_take_program(struct agent *agent, struct str reply, struct buf *complaint);
/* Sets agent->code to a given program. */
void agent_set_code(struct agent *agent, struct str code);
/* Sets *ret to the guard's verdict on agent->code, without a run. */
int agent_check(struct agent *agent, struct verdict *ret);
/* For a run, a session's cell or the judge: agent->code as a request, the sink of a run's events,
 * and the time limit: the smaller of `wall_ms` and the task's remaining time. */
struct run_request agent_program(const struct agent *agent);
void agent_watch_run(struct agent *agent, struct run_watch *ret);
int64_t agent_time_for(const struct agent *agent, int64_t wall_ms);
/* Call it after such a run. 0, or -1 when the task was cancelled or its time is over. */
int agent_after_run(struct agent *agent);

/* Sends the user a line about the latest answer, such as why it is sent back. */
void agent_note(struct agent *agent, const char *what);
/* Takes over the step's document, sets "step" in it, adds it to agent->steps and reports it. */
void agent_step_done(struct agent *agent, json_t *document);

/* {success, stopped, language, provider, model, code, steps, conversation, usage, duration_ms,
 * error}: the part that the documents of all flows share. The caller owns it. */
json_t *agent_document(const struct agent *agent);

#endif
