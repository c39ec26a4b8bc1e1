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
#include "result/capture.h"
#include "workspace/workspace.h"

struct backend_guest;

#define RESULT_ID 27

/* The `file` of a place in --prelude. */
#define RESULT_PRELUDE "<prelude>"

struct result_exception {
    char *type;
    char *message;
    int64_t line, column; /* 0 when unknown */
    char *file;           /* that the line is of; NULL: the program or a cell */
    int64_t cell;         /* number of the session's cell with the line; 0: a program */
    char *traceback;
    char *hint;
    char *source; /* the text of the line; NULL when unknown, as are the next two */
    char *calls;  /* the calls that led there: "line 9 in main, line 20" */
    /* Where it left the program's own top level (Python); 0 when unknown. */
    int64_t top_line, top_column;
    char *statement; /* of the top level, which was left there, as written; NULL when unknown */
    struct result_exception *cause; /* the first of a chain, or the first one inside a group */
    bool cause_inside;              /* true: inside a group */
};

enum { FEEDBACK_TEXTS = 32 };

/* Feedback for the program's author, the most useful first (explain/feedback.h). */
struct feedback {
    char *texts[FEEDBACK_TEXTS];
    size_t n;
};

enum cell_end {
    CELL_DONE,
    CELL_FAILED,      /* it raised, or has a status that is not 0 */
    CELL_INTERRUPTED, /* it was asked to stop, and did: the session continues */
    CELL_KILLED,      /* it was asked to stop, and did not: the session is over */
    CELL_DIED,        /* the session ended meanwhile, or had ended before */
    CELL_REFUSED,     /* nothing was sent to the guest */
};

/* The outcome of a tried cell. */
enum cell_attempt {
    CELL_UNTRIED, /* it was not tried, or did not run */
    CELL_KEPT,
    CELL_DROPPED, /* the session is as it was before */
    CELL_LOST, /* it was to be dropped, but the copy of before was reached: the session is over */
};

struct result_cell {
    char session[RESULT_ID];
    unsigned number; /* from 1; 0: a program's run, no cell */
    enum cell_end ended;
    enum cell_attempt attempt;
    bool exited; /* it called exit(), quit() or similar, with exit_code; the session continues */
};

struct result {
    char id[RESULT_ID];
    const char *language;
    const char *backend;
    int64_t began_ms; /* since 1970; 0: it was not begun */
    char source_sha256[SHA256_HEX];

    bool started, success, timed_out, oom_killed, cancelled;
    bool checked; /* the verdict is set */
    bool skipped; /* not run, because its invocation failed too often (--context) */
    struct verdict verdict;
    int exit_code;
    int signal; /* 0 for none */
    unsigned limits_hit;
    struct capture out, err;
    struct result_exception *exception; /* NULL for none */
    int64_t duration_ms, cpu_ms;
    uint64_t memory_peak;
    struct file_set files;
    struct lay_list *laid; /* files that were laid; may be NULL */
    struct backend_outcome outcome;
    struct backend_guest *guest; /* dead, not yet taken down; NULL when nothing was started */
    int attempts;
    struct err error; /* kind ERR_NONE when the failure is not ours */
    struct feedback feedback;
    struct result_cell cell;
    json_t *value, *final_answer; /* typed JSON (backends/cell_wire.h), or NULL */
    json_t *results;              /* bundles, or NULL */
    json_t *context;              /* the changed copy of the request's, or NULL */
    bool is_final_answer;
    json_t *usage; /* of models, by component; NULL for none */
    bool judged;   /* the tests decide success, */
    size_t tests, tests_passed;
    struct jail_limits limits; /* limits that applied */
    struct buf warnings;       /* lines: see "warnings" in 'glovebox help results' */
    struct buf notes;          /* lines for people: losses and skipped files */
};

void result_init(struct result *r, size_t output_limit);
void result_done(struct result *r);
/* Sets the id, the time and the code's sum, as a run, a cell or a test begins. */
void result_begin(struct result *r, struct str code);
/* A file of the workspace as the run left it, until result_done; see workspace_file_open. */
int result_file_open(const struct result *r, const char *path, uint64_t *ret_size, struct err *err);
void result_exception_free(struct result_exception *e);
void feedback_done(struct feedback *f);

/* The side that caused the failure. */
enum error_type {
    ERROR_TYPE_NONE,    /* it succeeded */
    ERROR_TYPE_GUEST,   /* the program: it raised, crashed, or exited with a status that is not 0 */
    ERROR_TYPE_REFUSED, /* by the guard or a policy, before it ran */
    ERROR_TYPE_LIMIT,   /* the program reached one of its limits */
    ERROR_TYPE_OURS, /* not the program: the request, this host, Glovebox, or the run was stopped */
};
enum error_type result_error_type(const struct result *r);
/* "guest", "refused", "limit", "ours"; NULL for ERROR_TYPE_NONE. */
const char *error_type_name(enum error_type type);

/* The guard refused the program: nothing was started. */
bool result_refused(const struct result *r);
/* One line for people about how the run ended, or "" when there is nothing to report. Returns
 * out. */
const char *result_summary(const struct result *r, const struct jail_limits *limits, char *out,
                           size_t n);
/* The exit status for our program (DESIGN 5.1). */
int result_exit_status(const struct result *r);
/* The result as one document, which the caller frees: every report, answer and event is made from
 * it. It becomes text (json_write) only where it leaves the program. */
json_t *result_document(const struct result *r);
/* Puts a failure of ours into a finished document: a step after the run failed. */
void result_document_fail(json_t *document, const struct err *err);
/* A row of the document's `skipped`, which the caller frees. direction: "in" or "out". */
json_t *result_skipped(struct str path, const char *direction, const char *reason);
/* The same for each of them. */
void result_add_skipped(json_t *list, const char *direction, const struct skip_list *skipped);
/* 26 characters that are unique, and that sort by time. */
void result_make_id(char ret[RESULT_ID]);
/* "done", "failed", ... */
const char *cell_end_name(enum cell_end end);
/* "kept", "dropped", "lost"; "" for CELL_UNTRIED. */
const char *cell_attempt_name(enum cell_attempt attempt);
/* "wall", "memory", ... for one bit of limits_hit. */
const char *limit_name(enum jail_limit_hit hit);

#endif
