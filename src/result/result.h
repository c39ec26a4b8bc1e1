/* SPDX-License-Identifier: Apache-2.0
 *
 * What came of one run. Everything in it belongs to it; result_done frees.
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

struct result_exception {
    char *type;
    char *message;
    int64_t line, column; /* 0 when unknown */
    int64_t cell;         /* of a session, in which the line is; 0: of a program */
    char *traceback;
    char *hint;
    char *source; /* the text of the line; NULL when unknown, as are the next two */
    char *calls;  /* from where: "line 9 in main, line 20" */
    /* Where it left the program's own top level (Python); 0 when unknown. */
    int64_t top_line, top_column;
    struct result_exception *cause; /* the first of a chain, or the first inside of a group */
    bool cause_inside;              /* ... the latter */
};

enum { FEEDBACK_TEXTS = 32 };

/* What the program's author should know, the most useful first (explain/feedback.h). */
struct feedback {
    char *texts[FEEDBACK_TEXTS];
    size_t n;
};

enum cell_end {
    CELL_DONE,
    CELL_FAILED,      /* it raised, or has a status that is not 0 */
    CELL_INTERRUPTED, /* it was asked to stop, and did: the session goes on */
    CELL_KILLED,      /* ... and did not: the session is over */
    CELL_DIED,        /* the session ended meanwhile, or had ended before */
    CELL_REFUSED,     /* nothing was sent to the guest */
};

/* Of a cell that was tried. */
enum cell_attempt {
    CELL_UNTRIED, /* it was not, or did not come to be run */
    CELL_KEPT,
    CELL_DROPPED, /* the session is as it was before */
};

struct result_cell {
    char session[RESULT_ID];
    unsigned number; /* from 1; 0: a program's run, no cell */
    enum cell_end ended;
    enum cell_attempt attempt;
    bool exited; /* it called exit(), quit() or the like, with exit_code; the session goes on */
};

struct result {
    char id[RESULT_ID];
    const char *language;
    const char *backend;
    char source_sha256[SHA256_HEX];

    bool started, success, timed_out, oom_killed, cancelled;
    bool checked; /* the verdict is one */
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
    struct lay_list *laid; /* what went in; may be NULL */
    struct backend_outcome outcome;
    struct backend_guest *guest; /* dead, not yet taken down; NULL when nothing was started */
    int attempts;
    struct err error; /* kind ERR_NONE when the failure is not ours */
    struct feedback feedback;
    struct result_cell cell;
    json_t *value, *final_answer; /* typed JSON (session/cell_wire.h), or NULL */
    json_t *results;              /* bundles, or NULL */
    bool is_final_answer;
    bool judged; /* what counts are the tests, */
    size_t tests, tests_passed;
    struct jail_limits limits; /* that applied */
    struct buf warnings;       /* lines: see "warnings" in 'glovebox help results' */
    struct buf notes;          /* lines for people: what was lost, what was skipped */
};

void result_init(struct result *r, size_t output_limit);
void result_done(struct result *r);
/* The workspace as the run left it, until result_done: a folder to open files below, never by
 * following a link; -1 for none. */
int result_folder(const struct result *r);
void result_exception_free(struct result_exception *e);
void feedback_done(struct feedback *f);

/* Whose failure it was. */
enum error_type {
    ERROR_TYPE_NONE,  /* it succeeded */
    ERROR_TYPE_GUEST, /* the program's: it raised, crashed, or ended with a status that is not 0 */
    ERROR_TYPE_REFUSED, /* by the guard or a policy, before it ran */
    ERROR_TYPE_LIMIT,   /* the program came to one of its limits */
    ERROR_TYPE_OURS,    /* not the program's: the request, this host, Glovebox, or it was stopped */
};
enum error_type result_error_type(const struct result *r);
/* "guest", "refused", "limit", "ours"; NULL for ERROR_TYPE_NONE. */
const char *error_type_name(enum error_type type);

/* The guard said no: nothing was started. */
bool result_refused(const struct result *r);
/* One line for people about how it ended, or "" when there is nothing to say. Returns out. */
const char *result_summary(const struct result *r, const struct jail_limits *limits, char *out,
                           size_t n);
/* What the program should exit with (DESIGN 5.1). */
int result_exit_status(const struct result *r);
/* The result as one document, the caller's: every report, answer and event is made from it. It
 * becomes text (json_write) only where it leaves the program. */
json_t *result_document(const struct result *r);
/* Puts a failure of ours into a finished document: what came after the run went wrong. */
void result_document_fail(json_t *document, const struct err *err);
/* A row of its `skipped`, the caller's. direction: "in" or "out". */
json_t *result_skipped(struct str path, const char *direction, const char *reason);
/* 26 characters that nobody else has, and that sort by time. */
void result_make_id(char ret[RESULT_ID]);
/* "done", "failed", ... */
const char *cell_end_name(enum cell_end end);
/* "kept", "dropped"; "" for CELL_UNTRIED. */
const char *cell_attempt_name(enum cell_attempt attempt);
/* "wall", "memory", ... for one bit of limits_hit. */
const char *limit_name(enum jail_limit_hit hit);

#endif
