/* SPDX-License-Identifier: Apache-2.0
 *
 * What `glovebox session` and `glovebox repl` share.
 */
#ifndef CLI_CMD_SESSION_H
#define CLI_CMD_SESSION_H

#include <jansson.h>

#include "cli/cancel.h"
#include "cli/options.h"
#include "cli/show_image.h"
#include "net/http_client.h"
#include "session/result.h"

struct session_settings {
    struct cli_settings cli; /* first: its tables count on it */
    char *name, *tools, *session;
    struct opt_list preload;
    int value;
    int64_t idle_ms, grace_ms, forks;
    bool attempt, attempt_keep, attempt_drop;
};

/* Over struct session_settings. */
extern const struct opt session_options[]; /* of opening one */
extern const struct opt cell_options[];    /* of running a cell */
extern const char *const session_values[]; /* of --value */

/* ---- a subcommand of session ---- */

struct session_call {
    const struct session_settings *set;
    struct opt_set *options;
    char **operands; /* after the subcommand's name */
    size_t operand_n;
    struct http_client client;
    char id[64]; /* of the session that the first operand names, where it names one */
};

bool session_is_given(const struct session_call *call, const char *option);
/* A request about JSON. Body (taken over) may be NULL; *ret is a new reference. -1 with what the
 * daemon said. */
int session_ask(struct session_call *call, const char *method, const char *path, json_t *body,
                json_t **ret, struct err *err);
/* The body that opens one; NULL with *err. Files, tools and the prelude are read. */
json_t *session_body(const struct session_settings *set, struct err *err);
/* A session's id from the beginning of one, or its name. */
int session_find(struct session_call *call, const char *word, char *ret, size_t n, struct err *err);

/* Each the exit status, or -1 with *err. */
int session_run_exec(struct session_call *call, struct err *err);  /* cmd_session_exec.c */
int session_run_files(struct session_call *call, struct err *err); /* cmd_session_files.c */
int session_run_get(struct session_call *call, struct err *err);
int session_run_put(struct session_call *call, struct err *err);
int session_run_new(struct session_call *call, struct err *err); /* cmd_session_verbs.c */
int session_run_fork(struct session_call *call, struct err *err);
int session_run_list(struct session_call *call, struct err *err);
int session_run_show(struct session_call *call, struct err *err);
int session_run_set(struct session_call *call, struct err *err);
int session_run_vars(struct session_call *call, struct err *err);
int session_run_interrupt(struct session_call *call, struct err *err);
int session_run_restart(struct session_call *call, struct err *err);
int session_run_close(struct session_call *call, struct err *err);

/* ---- cmd_session_show.c: what a cell shows beside its output ---- */

struct cell_show {
    int out_fd;           /* a folder for pictures and documents; -1 for none */
    const char *out_name; /* how it was named */
    bool plain;           /* print no text of values: --json, --events */
    bool quiet;
    unsigned cell, shown; /* for the names of files */
    bool asked;
    struct show_terminal terminal;
};

/* A bundle: the best picture of it that the terminal can show, else its text; files of what has a
 * form that can be a file. */
void cell_show_bundle(struct cell_show *show, const json_t *bundle);
/* Those of a result that are a cell's value; displays were shown as they happened. */
void cell_show_value(struct cell_show *show, const json_t *results);
/* That nothing is kept of a cell that was tried, where that is so. */
void cell_say_attempt(const struct cli_settings *settings, const struct result *result);
/* The limits of a session that somebody else opened, as far as a cell that met them tells. */
void cell_limits(const struct result *result, struct jail_limits *ret);

#endif
