/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a candidate against cases and reports which passed. Expected values never enter the sandbox:
 * the driver inside (src/guests/judge_driver.py) makes the calls and reports the results, and the
 * comparison happens here. A candidate that writes into the driver's channel can only claim a
 * value, which it could have returned.
 */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "judge/case.h"
#include "session/run.h"

struct judge_request {
    struct run_request run; /* the candidate, its limits, the guard; its timeout is for each case */
    const struct case_file *cases;
    const char *func;            /* NULL: the file's, or the only one there is */
    struct str setup;            /* runs before the candidate, among its names; .p NULL for none */
    bool isolate;                /* a jail for each case */
    bool coverage;               /* find out which lines of a Python candidate run */
    enum output_compare compare; /* of whole programs */
    struct str checker;          /* a program that judges outputs instead; .p NULL for none */
    const char *checker_file;    /* its name */
    bool strict_stderr; /* without cases: a program that writes to standard error has failed */
};

enum case_end {
    CASE_NOT_RUN,
    CASE_ENDED, /* the call returned or the program ended: it may have passed */
    CASE_RAISED,
    CASE_TIMEOUT,
    CASE_EXITED, /* the process did, before the call was over; or a program with a status not 0 */
    CASE_KILLED,
    CASE_MEMORY,
    CASE_LIMIT,   /* another one */
    CASE_UNTOLD,  /* its result is too large, or contains itself */
    CASE_LOAD,    /* the candidate itself could not be loaded */
    CASE_REFUSED, /* by the guard */
    CASE_OURS,    /* it could not be judged, for a reason that is not the candidate's */
};

/* Some lines of the candidate, in order. */
struct line_set {
    uint32_t *at;
    size_t n;
};

struct case_result {
    const struct test_case *test;
    enum case_end end;
    bool passed;
    char *call;                         /* "add(2, k=3)", cut; NULL for none */
    char *output, *expected;            /* as repr() has them, cut; NULL for none */
    char *shown;                        /* the output of a call in words, as str() has it */
    char *detail;                       /* "OK", or what is wrong */
    char *hint;                         /* what may help with it; NULL for none */
    struct result_exception *exception; /* NULL for none */
    int64_t duration_us;                /* by our clock */
    struct str out, err;                /* what was printed, cut; owned */
    struct line_set lines;              /* that ran (coverage) */
};

enum { LINE_CODE = 1, LINE_RAN = 2 };

/* Reported by the candidate's process, which can lie about it. */
struct coverage {
    uint8_t *lines; /* from line 1 on: LINE_CODE, LINE_RAN; NULL when nothing is known */
    size_t n;
};

struct judge_result {
    /* Figures of all runs together; the verdict; what loading printed; the first exception, of
     * loading or of a case; timed_out and oom_killed when a case was. */
    struct result run;
    struct case_result *cases;
    size_t total, passed;
    size_t errors; /* cases that are neither passed nor failed: they could not be judged */
    double score;  /* the weight that passed, of all; from 0 to 1 */
    bool scored;   /* ... is one: there are cases, and all were judged */
    bool all_passed;
    bool unjudged;    /* something of ours failed */
    bool trustworthy; /* the verdict is about the candidate, and it could not reach its judge */
    char *doubt;      /* why not; NULL */
    struct coverage coverage;
    char *message;       /* without cases: "Code executed, no tests", or what failed; or NULL */
    char *feedback_text; /* for a model to read; "" when there is nothing to report */
};

struct judge_watch {
    void (*done)(void *ctx, const struct case_result *result, size_t number); /* may be NULL */
    void (*preparing)(void *ctx, const struct run_event *event); /* RUN_PREPARING; may be NULL */
    void *ctx;
    int cancel_fd; /* -1 for none */
};

/* *ret is always filled in; failures of ours are in ret->run.error. End with judge_result_done. */
void judge_run(const struct judge_request *request, const struct judge_watch *watch,
               struct judge_result *ret);
void judge_result_done(struct judge_result *r);
/* Of the first case that failed; or of all. */
enum error_type judge_error_type(const struct judge_result *r);
enum error_type case_error_type(const struct case_result *r);
/* 0 when all passed, or without cases when it ran; else 1; 125, 126 and so on when something could
 * not be judged. */
int judge_exit_status(const struct judge_result *r);

/* Lines with code, and those of them that ran in no case nor in loading. The caller frees .at. */
struct line_set coverage_never(const struct coverage *c, size_t *ret_code);

/* The run's own document, with the judge's findings; the caller owns it. Reports and answers are
 * made from it. */
json_t *judge_document(const struct judge_result *r);
/* A row of the document's `test_results`, which the caller owns. */
json_t *case_document(const struct case_result *r);

#endif
