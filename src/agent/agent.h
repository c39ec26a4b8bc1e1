/* SPDX-License-Identifier: Apache-2.0
 *
 * One task for a model: its conversation, its bounds, what each step did, and what is shown of it
 * meanwhile. The flows (generate, solve, fix, ...) are written with it:
 *
 *     agent_begin(&agent, llm, &request, &watch);
 *     agent_say_system(&agent, "solve", NULL);
 *     llm_say(&agent.messages, LLM_USER, task);
 *     while (agent_ask(&agent, &question, &answer) == 0) {
 *         ... agent_take_code, agent_check or a trial (agent/trial.h); agent_step_done ...
 *         ... what came of it goes back: llm_say(&agent.messages, LLM_USER, observation) ...
 *     }
 *     document = agent_document(&agent);
 *     agent_done(&agent);
 *
 * A call that returns -1 has set `end` and `error`: the task is over. What the model writes is
 * hostile: it is run behind the wall only, and only after the guard.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/bounds.h"
#include "agent/prompts.h"
#include "guard/guard.h"
#include "llm/llm.h"
#include "request/request.h"
#include "request/reviewer.h"
#include "result/result.h"
#include "session/run.h"
#include "text/reply.h"

/* Lent to the agent until agent_done. */
struct agent_request {
    const char *component; /* the flow, for the usage: "solve" */
    /* What programs are run with; its `code` and `language` are not used. */
    const struct run_request *run;
    const char *language;              /* the name of a row */
    const char *prompts;               /* a folder of the user's own prompts; NULL: the usual one */
    const struct reply_options *reply; /* how code is found in replies; NULL: blocks */
    struct agent_bounds bounds;
    bool has_temperature;
    double temperature;
    bool stream; /* answers come in pieces, as AGENT_TEXT */
};

enum agent_event_kind {
    AGENT_ASKS, /* the model is asked: `step` */
    AGENT_TEXT, /* text: a piece of its answer */
    AGENT_NOTE, /* text: a line, such as a retry and its reason */
    AGENT_CODE, /* text: the program of this step */
    AGENT_RUN,  /* run: what happens in the sandbox */
    AGENT_STEP, /* document: the step is over (agent_step_done) */
};

struct agent_event {
    enum agent_event_kind kind;
    int step;   /* from 1 */
    int sample; /* from 1, of several that are tried side by side; else 0 */
    struct str text;
    const struct run_event *run;
    const json_t *document;
};

struct agent_watch {
    void (*event)(void *ctx, const struct agent_event *event); /* may be NULL */
    void *ctx;
    int cancel_fd; /* readable: give up; -1 for none */
};

enum agent_end {
    AGENT_OPEN,      /* it is still under way */
    AGENT_DONE,      /* it has its result */
    AGENT_STEPS,     /* a bound was reached: steps, */
    AGENT_TOKENS,    /* tokens, */
    AGENT_COST,      /* cost, */
    AGENT_TIME,      /* time */
    AGENT_GAVE_UP,   /* the model does not solve it, and says so */
    AGENT_CANCELLED, /* by the user */
    AGENT_FAILED,    /* our own failure or the service's: `error` */
};
/* "done", "steps", "tokens", ... */
const char *agent_end_name(enum agent_end end);

struct agent {
    struct llm *llm;
    const struct agent_request *request;
    const struct agent_watch *watch;
    struct llm_messages messages;  /* the flow adds to it; agent_ask adds the answers */
    int64_t began_ms, deadline_ms; /* of clock_mono_ms(); deadline 0: none */
    int step;                      /* answers so far */
    enum agent_end end;
    struct err error;  /* of an end that is neither AGENT_OPEN nor AGENT_DONE */
    bool model_failed; /* the error is the model's service, or its price, which is unknown */
    struct buf code;   /* the latest program; empty for none */
    json_t *steps;     /* a document for each step */

    /* With reviews: the request with our own reviewer, which asks theirs within the bounds. */
    struct agent_request own;
    struct run_request run;
    struct reviewer reviewer;
    const struct reviewer *theirs;
    struct llm_usage_table reviews; /* what they used: not a part of what `llm` used */
};

/* `llm` and the pointers are lent until agent_done. If the request bounds the cost and the model's
 * price is unknown, the task fails here. */
void agent_begin(struct agent *agent, struct llm *llm, const struct agent_request *request,
                 const struct agent_watch *watch);
void agent_done(struct agent *agent);
/* Ends the task; the first end stays. Returns -1 if it is no AGENT_DONE. */
int agent_finish(struct agent *agent, enum agent_end end, const struct err *error);

/* The system prompt: prompts/NAME.md with {{language}}, {{rules}} (what holds in the sandbox) and
 * the given values, which end with an empty row; NULL for none. */
int agent_say_system(struct agent *agent, const char *name, const struct prompt_value *more);

/* What differs from one question to the next; all zero is an ordinary one. */
struct agent_question {
    const struct llm_tool *tools;
    size_t tool_n;
    const json_t *schema;
    bool lenient, builtin; /* as in struct llm_request */
    const char *const *stop;
};

/* Asks the model with all messages, and adds its answer to them. Before that, every bound is
 * checked; tokens and cost may be exceeded by one answer. Call llm_answer_done in both cases. */
int agent_ask(struct agent *agent, const struct agent_question *question, struct llm_answer *ret);

/* The program that the reply means to be run goes to `agent->code`. If there is none or it is
 * blank, `agent->code` is empty, and *complaint (initialised here, never empty then) has the
 * reason, for the model. */
int agent_take_code(struct agent *agent, struct str reply, struct buf *complaint);
/* The same; a reply without a block may also be a program by itself, if that is in Python. For
 * tasks in which each reply has to be a program. */
int agent_take_program(struct agent *agent, struct str reply, struct buf *complaint);
/* The same for a program that is known. */
void agent_set_code(struct agent *agent, struct str code);
/* The guard's verdict on agent->code, without a run. */
int agent_check(struct agent *agent, struct verdict *ret);
/* For a run, a session's cell or the judge: agent->code as it is to be run, what an event of the
 * run shows, and how long it may take: the least of `wall_ms` and the task's time. */
struct run_request agent_program(const struct agent *agent);
void agent_watch_run(struct agent *agent, struct run_watch *ret);
int64_t agent_time_for(const struct agent *agent, int64_t wall_ms);
/* 0, or -1 when the task was cancelled or its time is over: after such a run. */
int agent_after_run(struct agent *agent);

/* A line for the user about the answer that just came: why it goes back. */
void agent_note(struct agent *agent, const char *what);
/* Adds the step's document (taken over), with "step" set, and reports it. */
void agent_step_done(struct agent *agent, json_t *document);

/* {success, stopped, language, provider, model, code, steps, conversation, usage, duration_ms,
 * error}: the part that the documents of all flows share. The caller's. */
json_t *agent_document(const struct agent *agent);

#endif
