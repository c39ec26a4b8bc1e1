/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that `glovebox session` and `glovebox repl` share.
 */
#ifndef CLI_CMD_SESSION_H
#define CLI_CMD_SESSION_H

#include <jansson.h>

#include "console/command.h"
#include "console/options.h"
#include "console/show_bundle.h"
#include "net/http_client.h"
#include "result/result.h"
#include "terminal/cancel.h"

struct session_settings {
    struct cli_settings cli; /* first: its tables count on it */
    char *name, *session;
    bool attempt, attempt_keep, attempt_drop;
};

/* Options over struct session_settings. */

/* ---- a subcommand of session ---- */

struct session_call {
    const struct session_settings *set;
    struct opt_set *options;
    char **operands; /* after the subcommand's name */
    size_t operand_n;
    struct http_client client;
    char id[64]; /* the session that the first operand names, if it names one */
};

/* The part that both commands share: options, settings, help, errors. */
typedef int session_story(struct session_call *call, const struct opt_args *args, struct err *err);
int session_main(const struct command *command, int argc, char **argv, session_story *story);
/* Connects call->client. */
int session_open_daemon(struct session_call *call, struct err *err);

bool session_is_given(const struct session_call *call, const char *option);
/* Refuses options that `takes` (as in struct command) does not list: they have no effect there. */
int session_check_options(const struct session_call *call, const char *takes, unsigned settings,
                          const char *command, struct err *err);
/* A request with a JSON body, which is taken over and may be NULL; *ret is a new reference. -1 with
 * the daemon's message. */
int session_ask(struct session_call *call, const char *method, const char *path, json_t *body,
                json_t **ret, struct err *err);
/* Opens a session by the options. *ret is the daemon's answer, a new reference. */
int session_open_new(struct session_call *call, json_t **ret, struct err *err);
/* The number of sessions with this name, or with an id that begins so; -1 with *err. If it is one,
 * *ret is its id. */
int session_count(struct session_call *call, const char *word, char *ret, size_t n,
                  struct err *err);
/* Finds a session's id from its beginning, or from the session's name. */
int session_find(struct session_call *call, const char *word, char *ret, size_t n, struct err *err);

/* session_ask about call->id: `what` is the rest of the address, such as "/get". */
int session_ask_about(struct session_call *call, const char *method, const char *what, json_t *body,
                      json_t **ret, struct err *err);
/* Print a daemon's answer, which they take over; 0. As JSON; or as one word without --json. */
int session_put_json(json_t *doc);
int session_put_word(const struct session_call *call, json_t *doc, const char *word);
int session_not_text(const char *what, struct err *err);

/* Each returns the exit status, or -1 with *err. */
int session_run_exec(struct session_call *call, struct err *err);  /* cmd_session_exec.c */
int session_run_files(struct session_call *call, struct err *err); /* cmd_session_files.c */
int session_run_get(struct session_call *call, struct err *err);
int session_run_put(struct session_call *call, struct err *err);
int session_run_new(struct session_call *call, struct err *err); /* cmd_session_verbs.c */
int session_run_fork(struct session_call *call, struct err *err);
int session_run_commit(struct session_call *call, struct err *err);
int session_run_list(struct session_call *call, struct err *err);
int session_run_show(struct session_call *call, struct err *err);
int session_run_set(struct session_call *call, struct err *err); /* cmd_session_vars.c */
int session_run_vars(struct session_call *call, struct err *err);
/* Prints rows of {"name", "type", "value"}. */
void session_print_variables(const json_t *rows);
int session_run_interrupt(struct session_call *call, struct err *err);
int session_run_restart(struct session_call *call, struct err *err);
int session_run_close(struct session_call *call, struct err *err);

/* ---- cmd_session_show.c: displays of a cell, in addition to its output ---- */

struct cell_show {
    struct show_place place;
    int out_fd;           /* --out, a folder for pictures and documents; -1 for none */
    unsigned cell, saved; /* for the names of files */
};

/* Shows a bundle: its picture if the terminal can show it, else its text; and writes a file for
 * every form that is a picture or a document. If the printer prints no output, only the files. */
void cell_show_bundle(struct cell_show *show, const json_t *bundle);
/* Shows the results that are a cell's value; displays were shown when they happened. */
void cell_show_value(struct cell_show *show, const json_t *results);
/* report_result for a cell; adds that nothing was kept if a tried cell was undone. */
void cell_report(const struct cli_settings *settings, struct printer *printer,
                 const json_t *document);
/* The session cannot run more cells. */
bool cell_ended_session(const json_t *document);

#endif
