/* SPDX-License-Identifier: Apache-2.0
 *
 * A task for a model on the command line: a row of agent/flows.h, and the output for its user. A
 * command is a struct flow_command; flow_command_run does the rest.
 */
#ifndef CLI_FLOW_CALL_H
#define CLI_FLOW_CALL_H

#include "agent/event_json.h"
#include "agent/flows.h"
#include "console/command.h"
#include "console/options.h"

struct flow_call;

/* The operands of a command, in this order. */
enum flow_operands {
    OPERAND_PROGRAM = 1 << 0, /* one FILE, or - for standard input; or -c CODE instead */
    OPERAND_DATA = 1 << 1,    /* data files, before the last operand or "--" */
    OPERAND_WORDS = 1 << 2,   /* the task in words */
    OPERAND_ARGS = 1 << 3,    /* after "--", the program's own arguments */
};

struct flow_command {
    unsigned verb; /* of a flow */
    unsigned operands;
    const char *words; /* the part of an error about missing words: "task; describe the program" */
    void (*event)(void *ctx, const struct agent_event *event);
    /* Shows the result. Returns the exit status, or -1 with *err. */
    int (*report)(struct flow_call *call, const struct flow_output *output, struct err *err);
};

struct flow_call {
    const struct flow_command *command;
    struct cli_options *options;
    const struct cli_settings *set;
    struct flow_task task;
    struct agent_watch watch;
    /* Filled in from the operands. */
    struct buf code; /* with a line end; empty: there is no program */
    struct buf words;
    const char *file;      /* the program's file; NULL: none */
    const char *shown;     /* the program's name in messages */
    char **files, **names; /* SRC:NAME of all files; names of the data. NULL-terminated */
    size_t file_n, name_n;
    /* Whether the output is a terminal, and whether a line of progress is on it now. */
    bool terminal, drawn;
    bool in_line; /* the shown text of the model did not end its line yet */
    size_t received;
    int64_t drawn_ms;
    struct agent_lines lines; /* for --events */
};

int flow_command_run(const struct flow_command *command, struct cli_options *options,
                     struct err *err);
/* flow_read.c: fills in call->code to call->names, and *run. -1 with *err. */
int flow_read(struct flow_call *call, struct run_request *run, struct err *err);
void flow_read_done(struct flow_call *call);

/* ---- what is shown (flow_call.c, flow_report.c) ---- */

/* Show chunks of an answer and notes; flow_event_steps also shows a line for each attempt. */
void flow_event(void *ctx, const struct agent_event *event);
void flow_event_steps(void *ctx, const struct agent_event *event);
/* Prints a line for the user to standard error. */
void flow_say(struct flow_call *call, const char *what);
/* Removes the line of progress from the terminal, before something else is written. */
void flow_erase(struct flow_call *call);
/* 0: done; 1: the bounds were reached without a success; -1 with *err for a failure. */
int flow_status(const struct flow_output *output, struct err *err);
/* Names the option for the bound that the task reached: "; --steps allows more", or "". */
const char *flow_more(enum agent_end end);
/* Prints why the task has no success, and what failed last. */
void flow_report_failure(struct flow_call *call, const struct flow_output *output);
/* Print the first lines of a reply without a program; the second does so for the last reply. */
void flow_report_reply(struct flow_call *call, struct str reply);
void flow_report_last_reply(struct flow_call *call, const json_t *document);
/* Prints for the files of a run's result that they were written to --out, or why not, or that they
 * were not kept. */
void flow_report_files(struct flow_call *call, const json_t *result);
/* Prints the usage of the task. */
void flow_report_usage(struct flow_call *call);
/* "120 + 8 tokens, about $0.000034"; the caller frees. */
char *flow_usage_text(const struct llm_usage *usage);
/* Writes a program to standard output; on a terminal, made safe. */
void flow_print_code(struct str code);
const json_t *flow_last_step(const json_t *document);

/* flow_programs.c, flow_solve.c */
int flow_report_program(struct flow_call *call, const struct flow_output *output, struct err *err);
int flow_report_written(struct flow_call *call, const struct flow_output *output, struct err *err);
int flow_report_answer(struct flow_call *call, const struct flow_output *output, struct err *err);
int flow_report_solved(struct flow_call *call, const struct flow_output *output, struct err *err);
void flow_event_solve(void *ctx, const struct agent_event *event);

#endif
