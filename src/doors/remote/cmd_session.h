/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that `glovebox session` and `glovebox repl` share.
 */
#ifndef REMOTE_CMD_SESSION_H
#define REMOTE_CMD_SESSION_H

#include <jansson.h>

#include "console/command.h"
#include "console/options.h"
#include "net/http_client.h"
#include "report/show_bundle.h"
#include "request/setting.h"
#include "result/result.h"
#include "terminal/cancel.h"

struct session_settings {
    struct cli_settings cli; /* the first member, as the tables of cli_settings require */
    char *session;
};

/* Options over struct session_settings. */

/* ---- a subcommand of session ---- */

struct session_call {
    const struct session_settings *set;
    struct opt_set *options;
    char **operands; /* after the subcommand's name */
    size_t operand_n;
    struct http_client client;
    char id[64]; /* the session that the first operand names; or "" */
};

/* The beginning of both commands: options, settings, help, errors. */
typedef int session_story(struct session_call *call, const struct opt_args *args, struct err *err);
int cmd_session_main(const struct command *command, int argc, char **argv, session_story *story);
/* Connects call->client. */
int cmd_session_open_daemon(struct session_call *call, struct err *err);

bool cmd_session_is_given(const struct session_call *call, const char *option);
/* Refuses options that are rows of other verbs only, because they have no effect. -1 with *err. */
int cmd_session_check_options(const struct session_call *call, unsigned verbs, const char *command,
                              struct err *err);
/* Sends a request with a JSON body, which is taken over and may be NULL. *ret is the answer, a new
 * reference. -1 with the daemon's message. */
int cmd_session_ask(struct session_call *call, const char *method, const char *path, json_t *body,
                    json_t **ret, struct err *err);
/* Opens a session with the options. *ret is the daemon's answer, a new reference. */
int cmd_session_open_new(struct session_call *call, json_t **ret, struct err *err);
/* Returns the number of sessions that have `word` as their name or at the beginning of their id; -1
 * with *err. If the number is 1, *ret is the id. */
int cmd_session_count(struct session_call *call, const char *word, char *ret, size_t n,
                      struct err *err);
/* Finds a session's id by its first characters, or by the session's name. -1 with *err. */
int cmd_session_find(struct session_call *call, const char *word, char *ret, size_t n,
                     struct err *err);

/* As cmd_session_ask, about the session call->id: `what` is the end of the address, such as "/get".
 */
int cmd_session_ask_about(struct session_call *call, const char *method, const char *what,
                          json_t *body, json_t **ret, struct err *err);
/* As cmd_session_ask_about, for an answer that is not needed. */
int cmd_session_tell(struct session_call *call, const char *method, const char *what, json_t *body,
                     struct err *err);
/* These print a daemon's answer and take it over; they return 0. The first prints JSON; the second
 * prints one word, or JSON with --json. */
int cmd_session_put_json(json_t *doc);
int cmd_session_put_word(const struct session_call *call, json_t *doc, const char *word);
int cmd_session_not_text(const char *what, struct err *err);

/* All of them return the exit status, or -1 with *err. */
int cmd_session_exec(struct session_call *call, struct err *err);  /* cmd_session_exec.c */
int cmd_session_files(struct session_call *call, struct err *err); /* cmd_session_files.c */
int cmd_session_get(struct session_call *call, struct err *err);
int cmd_session_put(struct session_call *call, struct err *err);
int cmd_session_new(struct session_call *call, struct err *err); /* cmd_session_verbs.c */
int cmd_session_fork(struct session_call *call, struct err *err);
int cmd_session_commit(struct session_call *call, struct err *err);
int cmd_session_network(struct session_call *call, struct err *err);
int cmd_session_list(struct session_call *call, struct err *err);
int cmd_session_show(struct session_call *call, struct err *err);
int cmd_session_set(struct session_call *call, struct err *err); /* cmd_session_vars.c */
int cmd_session_vars(struct session_call *call, struct err *err);
/* Prints rows of {"name", "type", "value"}. */
void cmd_session_print_variables(const json_t *rows);
int cmd_session_interrupt(struct session_call *call, struct err *err);
int cmd_session_restart(struct session_call *call, struct err *err);
int cmd_session_close(struct session_call *call, struct err *err);

/* ---- cmd_session_show.c: displays of a cell, in addition to its output ---- */

struct cell_show {
    struct show_place place;
    int out_fd;           /* --out, a folder for pictures and documents; -1 for none */
    unsigned cell, saved; /* numbers for the names of files */
};

/* Shows a bundle: as a picture if the terminal supports that, otherwise as text. Also writes a file
 * for every form that is a picture or a document. If the printer prints no output, only the files
 * are written. */
void cell_show_bundle(struct cell_show *show, const json_t *bundle);
/* Shows the results that are a cell's value; displays were shown during the run. */
void cell_show_value(struct cell_show *show, const json_t *results);
/* As report_result, for a cell; also prints that nothing was kept if a tried cell was undone. */
void cell_report(const struct cli_settings *settings, struct printer *printer,
                 const json_t *document);
/* True if the session cannot run more cells. */
bool cell_ended_session(const json_t *document);

#endif
