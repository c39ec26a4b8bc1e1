/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a candidate against cases and reports which passed. Expected values never enter the sandbox:
 * the driver inside (src/wall/guests/judge_driver.py) makes the calls and reports the results, and
 * the comparison happens here. A candidate that writes into the driver's channel can only claim a
 * value, which it could have returned.
 *
 * In a run of the candidate, the driver replaces the language's runner. The driver reads setup and
 * calls from standard input, and standard output is the channel for its reports. Values arrive as
 * typed JSON (judge_codec.py), are decoded in an arena (values/value_typed.c) and compared
 * (values/compare.c). If the jail dies, the current case fails, and the others continue in a new
 * jail. trust.c decides what caused a failure: if it is a failure of ours, there is no verdict on
 * the candidate.
 */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "judge/case.h"
#include "run/run.h"

struct judge_request {
    struct run_request run; /* the candidate, its limits, the guard; its timeout is for each case */
    const struct case_file *cases;
    const char *func; /* NULL: that of the case file, or the only function of the program */
    struct str setup; /* runs before the candidate, which sees its names; .p NULL for none */
    bool isolate;     /* a jail for each case */
    bool coverage;    /* report which lines of a Python candidate run */
    enum output_compare compare; /* of whole programs */
    struct str checker;          /* a program that judges the outputs; .p NULL for none */
    const char *checker_file;    /* its name */
    bool strict_stderr; /* without cases: a program that writes to standard error has failed */
};

enum case_end {
    CASE_NOT_RUN,
    CASE_ENDED, /* the call returned or the program ended: it may have passed */
    CASE_RAISED,
    CASE_TIMEOUT,
    CASE_EXITED, /* the process exited during the call; or a program exited with a status other than
                    0 */
    CASE_KILLED,
    CASE_MEMORY,
    CASE_CPU,     /* processor time */
    CASE_LIMIT,   /* another limit */
    CASE_UNTOLD,  /* the result is too large, or contains itself */
    CASE_LOAD,    /* the candidate could not be loaded */
    CASE_REFUSED, /* by the guard */
    CASE_OURS,    /* it could not be judged, for a reason outside the candidate */
};

/* The outcome of a case in one word; for a sample, that of its first case that did not pass. */
#define JUDGED_EACH(X)                                                                             \
    X(PASSED, "passed")                                                                            \
    X(WRONG, "wrong")         /* it answered, and the answer is not the expected one */            \
    X(EXCEPTION, "exception") /* also if it could not be loaded */                                 \
    X(TIMEOUT, "timeout")     /* elapsed or processor time */                                      \
    X(MEMORY, "memory")                                                                            \
    X(REFUSED, "refused") /* by the guard or a policy; also a program that does not parse */       \
    X(EXITED, "exited")   /* it exited or was killed before it answered */                         \
    X(NONE, "none")       /* the sample has no program */                                          \
    X(OURS, "ours")       /* no verdict, for a reason outside the candidate */
enum judged {
#define JUDGED(ID, name) JUDGED_##ID,
    JUDGED_EACH(JUDGED)
#undef JUDGED
        JUDGED_COUNT
};

/* Numbers of lines of the candidate, sorted. */
struct line_set {
    uint32_t *at;
    size_t n;
};

struct case_result {
    const struct test_case *test;
    enum case_end end;
    bool passed;
    char *call;                         /* "add(2, k=3)", shortened; NULL for none */
    char *output, *expected;            /* as repr() shows them, shortened; NULL for none */
    char *shown;                        /* the output of a call, as str() shows it */
    char *detail;                       /* "OK", or the difference */
    char *hint;                         /* advice; NULL for none */
    struct result_exception *exception; /* NULL for none */
    int64_t duration_us;                /* measured by our clock */
    struct str out, err;                /* what was printed, shortened; owned */
    struct line_set lines;              /* the lines that ran (coverage) */
};

enum { LINE_CODE = 1, LINE_RAN = 2 };

/* Reported by the candidate's process, which can report anything. */
struct coverage {
    uint8_t *lines; /* from line 1 on: LINE_CODE, LINE_RAN; NULL if unknown */
    size_t n;
};

struct judge_result {
    /* The sum of all runs: figures, the guard's verdict, output of the loading, the first exception
     * of the loading or of a case; timed_out and oom_killed if a case was. */
    struct result run;
    struct case_result *cases;
    size_t total, passed;
    size_t errors; /* cases that could not be judged: neither passed nor failed */
    double score;  /* the passed weight divided by the total weight, from 0 to 1 */
    bool scored;   /* `score` is valid: there are cases, and all were judged */
    bool all_passed;
    bool unjudged;    /* something of ours failed */
    bool trustworthy; /* the verdict is about the candidate, which could not reach its judge */
    char *doubt;      /* why it is not trustworthy; or NULL */
    struct coverage coverage;
    char *message;       /* without cases: "Code executed, no tests", or the failure; or NULL */
    char *feedback_text; /* for a model to read; "" if there is nothing to report */
};

struct judge_watch {
    void (*done)(void *ctx, const struct case_result *result, size_t number); /* may be NULL */
    void (*preparing)(void *ctx, const struct run_event *event); /* RUN_PREPARING; may be NULL */
    void *ctx;
    int cancel_fd; /* -1 for none */
};

/* Judges the candidate. *ret is always filled in; failures of ours are in ret->run.error. End with
 * judge_result_done. */
void judge_run(const struct judge_request *request, const struct judge_watch *watch,
               struct judge_result *ret);
void judge_result_done(struct judge_result *r);
/* Returns the type of one error: ours if something could not be judged, otherwise that of the first
 * failed case, otherwise that of the run. */
enum error_type judge_error_type(const struct judge_result *r);
enum error_type case_error_type(const struct case_result *r);
const char *judged_name(enum judged outcome);
/* False if there is no such outcome. */
bool judged_from(const char *name, enum judged *ret);
enum judged case_judged(const struct case_result *r);
enum judged judge_judged(const struct judge_result *r);
/* Returns 0 if all cases passed, or, without cases, if the program ran; otherwise 1; 125, 126 and
 * so on if something could not be judged. */
int judge_exit_status(const struct judge_result *r);

/* Returns the lines with code that ran neither in a case nor during loading; *ret_code is the
 * number of all lines with code. The caller frees .at. */
struct line_set coverage_never(const struct coverage *c, size_t *ret_code);

/* Returns the document of the run with the judge's findings; the caller owns it. Reports and
 * answers are made from it. */
json_t *judge_document(const struct judge_result *r);
/* Returns an entry of the document's `test_results`, which the caller owns. */
json_t *case_document(const struct case_result *r);

#endif
