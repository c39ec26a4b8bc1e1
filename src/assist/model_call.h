/* SPDX-License-Identifier: Apache-2.0
 *
 * What all commands share that give a task to a model: reading the task, opening the model,
 * Ctrl-C, and what a terminal shows meanwhile.
 *
 *     struct model_call call = {.set = &options.settings, .command = &command_generate};
 *     if (model_call_prepare(&call, &options, &err) == 0)
 *         status = model_call_run(&call, work, &err);
 */
#ifndef ASSIST_MODEL_CALL_H
#define ASSIST_MODEL_CALL_H

#include "agent/samples.h"
#include "console/command.h"
#include "console/options.h"

/* For the `takes` of a command: the options of the model, of the task's bounds, and of how programs
 * are run. */
#define MODEL_TAKES                                                                                \
    ",temperature,stream,model,provider,model-url,key-file,plain-http,model-timeout,"              \
    "model-retries,max-tokens,prices,prompts,record,replay,"
#define BOUNDS_TAKES ",steps,token-limit,cost-limit,task-timeout,"

/* --steps and the other bounds of a task (model_options.c). */
extern const struct opt task_options[];

struct model_call {
    const struct cli_settings *set;
    const struct command *command;
    const struct language *language;
    struct run_request run;
    struct agent_request request; /* all but the component */
    struct agent_watch watch;
    struct llm *llm; /* during model_call_run */
    bool terminal, drawn;
    bool in_line; /* what the model wrote did not end its line yet */
    size_t received;
    int64_t drawn_ms;
};

/* Language, temperature, bounds, and what programs are run with. -1 with ERR_USAGE also for an
 * option on the command line that the command does not take. */
int model_call_prepare(struct model_call *call, const struct cli_options *options, struct err *err);
/* The operands, joined by blanks, or standard input for "-": the task in the user's words. `what`
 * is missing if there is none: "task; describe the program". */
int model_call_task(const struct opt_args *args, const char *what, struct buf *ret,
                    struct err *err);
/* Opens the model, does the work with Ctrl-C as call->watch.cancel_fd, and closes it. Returns what
 * the work returned: an exit status, or -1 with *err; 128 + the signal after Ctrl-C. */
int model_call_run(struct model_call *call, int (*work)(struct model_call *call, struct err *err),
                   struct err *err);

/* Does the flow --samples times. Call samples_done in both cases. */
int model_call_samples(struct model_call *call, int (*flow)(void *ctx, struct agent *agent),
                       void *ctx, struct samples_request *request, struct samples *ret,
                       struct err *err);

/* Shows what happens: pieces of an answer and notes. A command with a watch of its own may call it
 * with the model_call. */
void model_call_event(void *ctx, const struct agent_event *event);

/* A line about a step: an attempt of the model's, or the program that it was given. Not with
 * --json.
 */
void model_call_step(struct model_call *call, const struct agent_event *event, const char *given);
/* The option that moves the bound that the task reached: "; --steps allows more", or "". */
const char *model_call_more(const struct agent *agent);
/* Why the task has no success, and what failed last; `best`: there were other samples. */
void model_call_failure(struct model_call *call, const struct agent *agent, bool best);
/* The first lines of a reply that has no program; of the last one, if it has none. */
void model_call_reply(struct model_call *call, struct str reply);
void model_call_last_reply(struct model_call *call, const struct agent *agent);
/* The files of a run's result: written to --out, or not, and why; or not kept. */
void model_call_files(struct model_call *call, const json_t *result);
/* A line for the user, on standard error. */
void model_call_say(struct model_call *call, const char *what);
/* Takes the line of progress off the terminal, before something else is written. */
void model_call_erase(struct model_call *call);
/* What the task used. */
void model_call_usage(struct model_call *call);
/* "120 + 8 tokens, about $0.000034"; the caller frees. */
char *model_usage_text(const struct llm_usage *usage);
/* Writes a program to a file, with a line end. */
int model_call_save(const char *path, struct str code, struct err *err);
/* Writes a program to standard output: a terminal does not obey what is in it. */
void model_call_print_code(struct str code);
/* The exit status of a task that ended like this: 0 done, 1 the bounds were reached without a
 * success; -1 with *err for a failure. */
int model_call_status(const struct agent *agent, struct err *err);

#endif
