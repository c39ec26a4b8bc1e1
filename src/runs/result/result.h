/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of one run. It owns all of its members; result_done frees them.
 */
#ifndef RESULT_RESULT_H
#define RESULT_RESULT_H

#include <jansson.h>

#include "backends/outcome.h"
#include "base/buf.h"
#include "guard/guard.h"
#include "network/rows.h"
#include "result/capture.h"
#include "workspace/workspace.h"

struct backend_guest;

#define RESULT_ID 27

/* The `file` of an exception's line in --prelude. */
#define RESULT_PRELUDE "<prelude>"

struct result_exception {
    char *type;
    char *message;
    int64_t line, column; /* 0 when unknown */
    char *file;           /* the file with the line; NULL: the program or a cell */
    int64_t cell; /* number of the session's cell with the line; 0: the line is in a program */
    char *traceback;
    char *hint;
    char *source; /* the text of the line; NULL when unknown, as are the next two */
    char *calls;  /* the calls that led there: "line 9 in main, line 20" */
    /* The line and column of the program's top level from which the error came (Python); 0 if
     * unknown. */
    int64_t top_line, top_column;
    char *statement;                /* the statement there, as written; NULL if unknown */
    struct result_exception *cause; /* the first exception of a chain, or of a group */
    bool cause_inside;              /* `cause` is in a group */
};

/* The compilation before the run of a program in a compiled language. */
struct result_compile {
    bool happened; /* false: the language is not compiled, or the run did not get there */
    bool success;
    bool cached; /* the same program was compiled before; the rest is about that compilation */
    int exit_code;
    char *report; /* the compiler's messages */
    int64_t duration_ms;
};

enum { FEEDBACK_TEXTS = 32 };

/* Advice for the program's author, the most useful first (explain/feedback.h). */
struct feedback {
    char *texts[FEEDBACK_TEXTS];
    size_t n;
};

enum cell_end {
    CELL_DONE,
    CELL_FAILED,      /* it raised an exception, or its status is not 0 */
    CELL_INTERRUPTED, /* it was interrupted and stopped: the session continues */
    CELL_KILLED,      /* it was interrupted and did not stop: the session is over */
    CELL_DIED,        /* the session ended during the cell, or had ended before */
    CELL_REFUSED,     /* nothing was sent to the guest */
};

/* The outcome of a tried cell. */
enum cell_attempt {
    CELL_UNTRIED, /* it was not tried, or did not run */
    CELL_KEPT,
    CELL_DROPPED, /* the session is as it was before */
    CELL_LOST, /* it should be dropped, but the guest could reach the copy: the session is over */
};

struct result_cell {
    char session[RESULT_ID];
    unsigned number; /* from 1; 0: the run of a program */
    enum cell_end ended;
    enum cell_attempt attempt;
    bool exited; /* it called exit(), quit() or similar, with exit_code; the session continues */
};

struct result {
    char id[RESULT_ID];
    const char *language;
    const char *backend;
    bool net_host;    /* it had the host's network */
    bool net_named;   /* it had a network of hosts by name */
    int64_t began_ms; /* since 1970; 0: it did not begin */
    char source_sha256[SHA256_HEX];

    bool started, success, timed_out, oom_killed, cancelled;
    bool checked;        /* the verdict is set */
    const char *profile; /* the built-in profile that gave the verdict; NULL for none or a file */
    bool skipped;        /* not run, because its invocation failed too often (--context) */
    struct verdict verdict;
    int exit_code;
    int signal; /* 0 for none */
    unsigned limits_hit;
    struct capture out, err;
    struct result_exception *exception; /* NULL for none */
    struct result_compile compile;
    int64_t duration_ms, cpu_ms;
    uint64_t memory_peak;
    struct file_set files;
    struct lay_list *laid; /* the input files; may be NULL */
    struct backend_outcome outcome;
    struct backend_guest *guest; /* dead, but not yet taken down; NULL if nothing was started */
    int attempts;
    struct err error; /* ERR_NONE if no failure is ours */
    struct feedback feedback;
    struct result_cell cell;
    json_t *value, *final_answer; /* typed JSON (backends/cell_wire.h), or NULL */
    json_t *results;              /* bundles, or NULL */
    json_t *context;              /* a changed copy of the request's context, or NULL */
    bool is_final_answer;
    json_t *usage; /* of models, by component; NULL for none */
    bool judged;   /* the tests decide success: see `passed` */
    size_t tests, tests_passed;
    struct jail_limits limits; /* the limits that applied */
    struct net_rows network;   /* what it reached, and what was refused */
    struct buf warnings;       /* lines: see "warnings" in 'glovebox help results' */
    struct buf notes;          /* lines for people: losses and skipped files */
};

void result_init(struct result *r, size_t output_limit);
void result_done(struct result *r);
/* Sets the id, the time, the limits and the code's hash. Called when a run, a cell or a test
 * begins. */
void result_begin(struct result *r, const struct jail_limits *limits, struct str code);
/* Takes what the guest has reached since the last call; a failure is a note. */
void result_take_network(struct result *r, struct backend_guest *guest);
/* Adds rows, as far as there is room. */
void result_add_network(struct result *r, const struct net_rows *rows);
/* Opens a file of the workspace as the run left it; possible until result_done. See
 * workspace_file_open. */
int result_file_open(const struct result *r, const char *path, uint64_t *ret_size, struct err *err);
void result_exception_free(struct result_exception *e);
void feedback_done(struct feedback *f);

/* The side that caused the failure. */
enum error_type {
    ERROR_TYPE_NONE,    /* the run succeeded */
    ERROR_TYPE_GUEST,   /* the program raised an exception, crashed, or exited with a status other
                           than 0 */
    ERROR_TYPE_REFUSED, /* by the guard or a policy, before it ran */
    ERROR_TYPE_LIMIT,   /* the program reached one of its limits */
    ERROR_TYPE_OURS,    /* the request, this host or Glovebox failed, or the run was cancelled */
};
enum error_type result_error_type(const struct result *r);
/* Returns "guest", "refused", "limit" or "ours"; NULL for ERROR_TYPE_NONE. */
const char *error_type_name(enum error_type type);

/* Sets the status of a program that was started, from the outcome. */
void result_read_outcome(struct result *r);
/* True if the guard refused the program: nothing was started. */
bool result_refused(const struct result *r);
/* Writes one line for people about how the run ended, or "" if there is nothing to report. Returns
 * out. */
const char *result_summary(const struct result *r, char *out, size_t n);
/* Returns the exit status of our command (`glovebox help exit-status`). */
int result_exit_status(const struct result *r);
/* Returns the result as a JSON document, which the caller frees. Every report, answer and event is
 * made from it. Code that leaves the program writes it as text (json_write). */
json_t *result_document(const struct result *r);
/* Returns the list `denied`: refused system calls, and how often the network refused something. */
json_t *result_denied(const struct result *r);
/* Adds a failure of ours to a finished document, when a step after the run failed. */
void result_document_fail(json_t *document, const struct err *err);
/* Adds the members of a file's entry in `files`, without path_base64. */
void result_add_file(json_t *object, const struct file_entry *f);
/* Returns an entry of `skipped`, which the caller frees. direction: "in" or "out". */
json_t *result_skipped(struct str path, const char *direction, const char *reason);
/* Adds such an entry for each skipped file. */
void result_add_skipped(json_t *list, const char *direction, const struct skip_list *skipped);
/* Makes an id of 26 characters. Ids are unique and sort by time. */
void result_make_id(char ret[RESULT_ID]);
/* Returns "done", "failed", ... */
const char *cell_end_name(enum cell_end end);
/* Returns "kept", "dropped" or "lost"; "" for CELL_UNTRIED. */
const char *cell_attempt_name(enum cell_attempt attempt);
/* Returns the name of one bit of limits_hit: "wall", "memory", ... */
const char *limit_name(enum jail_limit_hit hit);

#endif
