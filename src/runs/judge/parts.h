/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the judge's files share.
 */
#ifndef JUDGE_PARTS_H
#define JUDGE_PARTS_H

#include "judge/judge.h"
#include "languages/language.h"

enum {
    SHOWN = 200,            /* characters of a value in messages */
    KEPT = 65536,           /* bytes of a program's output or expected output */
    ROOM = 4 << 20,         /* characters of a result in a report */
    BUDGET = 32 << 20,      /* of reports from one driver, before another one continues */
    CHANNEL = 64 << 20,     /* more than all reports of one driver */
    PAYLOAD_NODES = 500000, /* values in the report of a case */
};

struct judge {
    const struct judge_request *q;
    const struct judge_watch *watch;
    struct judge_result *ret;
    bool approved;   /* the reviewer has read the candidate: later runs need no review */
    bool has_run;    /* ret->run is filled in; later runs are added to it */
    bool stop;       /* the remaining cases cannot be judged */
    bool loaded;     /* the candidate was loaded, or, without cases, it ran */
    char *func;      /* the name of the tested function, if known; owned */
    bool has_looked; /* the code was searched for the function's name */
    bool has_started;
    layer_mask held; /* the layers that held in every jail */
};

/* Passes RUN_PREPARING on to the judge's caller. */
void judge_pass_preparing(const struct judge *j, const struct run_event *event);
/* Called when a case has its verdict. */
void judge_done(struct judge *j, size_t number);
/* Adds a run's figures, and takes over the contents of *run. */
void judge_add_run(struct judge *j, struct result *run);
/* Sets a failure for a reason other than a wrong value. The text is copied. */
void judge_fail(struct case_result *r, enum case_end end, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets the failure "Timeout after 30.0s". */
void judge_fail_timeout(struct case_result *r, int64_t ms);
struct result_exception *
judge_copy_exception(const struct result_exception *e); /* NULL gives NULL */
int64_t judge_timeout_ms(const struct judge_request *q, const struct test_case *c);
/* Sets the failure to the reason for which the run ended. */
void judge_fail_run(struct case_result *r, const struct result *run);

/* trust.c: notes that the failure is ours. The text is copied. */
void judge_doubt(struct judge *j, const char *why);
/* Appends the judge's result to the run log; `doubt` is why there is no verdict, or NULL. */
struct recorder;
void judge_record(struct recorder *recorder, const struct run_request *request, struct result *run,
                  const char *doubt);
/* True if a candidate behind these layers cannot reach its judge. */
bool judge_walls(layer_mask held);
/* Fills in the result's members about trust, after all cases. */
void judge_settle_trust(struct judge *j);

/* driver.c: prepares the request for a program of the user that judges. Its sandbox has nothing
 * of the candidate's: no folder that a candidate writes to, no variables, no network, and nothing
 * of it is kept. The caller sets its text and inputs. */
void judge_seclude(struct run_request *q);

/* checker.c: runs the user's checker for one output. *ret is the checker's run; end with
 * result_done. */
struct checker_input {
    struct str in, out, expected;
    int64_t timeout_ms;
};
void checker_judge(const struct judge *j, const struct checker_input *input, struct case_result *r,
                   struct result *ret);

/* calls.c: the cases that are calls. */
void calls_judge(struct judge *j);
/* Without cases, but with a setup: only loads the candidate. */
void calls_load(struct judge *j);

/* value_verdict.c: sets the verdict from the driver's report of a case (JSON). */
void verdict_of_value(const struct judge_request *q, struct str payload, struct case_result *r);
/* As verdict_of_value, for {"raised": {...}} and {"refused": "..."}, with which loading may end,
 * too. False for any other value. */
struct value;
bool verdict_of_failure(const struct judge_request *q, const struct value *reported,
                        struct case_result *r);

/* coverage.c: notes the lines that ran, from the driver's report. */
void coverage_take(struct judge *j, struct str payload, struct case_result *r);

/* beside.c: finds the parts of a client's cases that run with the candidate, as texts to be read in
 * advance: calls, the function's name, a checker. Free them with judge_beside_done. */
struct judge_beside {
    struct beside_text texts[3];
    size_t n;
    struct buf calls, func;
};
void judge_beside_find(const struct judge_request *q, struct judge_beside *ret);
void judge_beside_done(struct judge_beside *b);

/* programs.c: the cases that are whole programs. */
void programs_judge(struct judge *j);

/* outputs.c: compares a program's output with the expected output. The caller frees *ret_detail. */
struct output_wanted {
    struct str text;
    enum output_compare compare;
    const struct tolerance *tolerance;
};
/* Returns COMPARE_DEFAULT with *err if the name is unknown. */
enum output_compare output_compare_from(struct str name, struct err *err);
bool output_matches(const struct output_wanted *wanted, struct str got, char **ret_detail);

#endif
