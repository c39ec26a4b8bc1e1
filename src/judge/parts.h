/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the judge's own files.
 */
#ifndef JUDGE_PARTS_H
#define JUDGE_PARTS_H

#include "judge/judge.h"
#include "languages/language.h"

enum {
    SHOWN = 200,            /* characters of a value */
    KEPT = 65536,           /* bytes of what a program printed, or should have */
    ROOM = 4 << 20,         /* characters of a result on its way */
    BUDGET = 32 << 20,      /* the most that one driver reports before another one continues */
    CHANNEL = 64 << 20,     /* more than that ever comes to */
    PAYLOAD_NODES = 500000, /* values in the report of a case */
};

struct judge {
    const struct judge_request *q;
    const struct judge_watch *watch;
    struct judge_result *ret;
    bool approved;   /* the reviewer has read the candidate: later runs need no review */
    bool has_run;    /* ret->run is filled in; later ones are added to it */
    bool stop;       /* what is left cannot be judged */
    bool loaded;     /* the candidate was, or without cases: it ran */
    char *func;      /* the name of the tested function, if it was reported; owned */
    bool has_looked; /* for it in the text */
    bool has_started;
    layer_mask held; /* by every jail */
};

/* Passes RUN_PREPARING on to the judge's caller. */
void judge_pass_preparing(const struct judge *j, const struct run_event *event);
/* A case is over; its verdict is in. */
void judge_done(struct judge *j, size_t number);
/* Adds a run's figures; takes what *run holds. */
void judge_add_run(struct judge *j, struct result *run);
/* The case failed for a reason that lies outside its value. The text is copied. */
void judge_fail(struct case_result *r, enum case_end end, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "Timeout after 30.0s" */
void judge_fail_timeout(struct case_result *r, int64_t ms);
struct result_exception *
judge_copy_exception(const struct result_exception *e); /* NULL gives NULL */
int64_t judge_timeout_ms(const struct judge_request *q, const struct test_case *c);
/* What ended a whole run is the reason. */
void judge_fail_run(struct case_result *r, const struct result *run,
                    const struct jail_limits *limits);

/* trust.c: notes that something of ours failed. The text is copied. */
void judge_doubt(struct judge *j, const char *why);
/* A candidate behind these layers cannot reach what judges it. */
/* Appends to the run log what came of it all; `doubt` is why there is no verdict, or NULL. */
struct recorder;
void judge_record(struct recorder *recorder, const struct run_request *request, struct result *run,
                  const char *doubt);
bool judge_walls(layer_mask held);
/* Fills in the result's members about trust, when all is judged. */
void judge_settle_trust(struct judge *j);

/* secluded.c: a program of the user's that judges gets a sandbox with nothing of the candidate's:
 * no folder that a candidate writes to, no variables, no network, and nothing of it is kept. Its
 * text and inputs are the caller's to set. */
void judge_seclude(struct run_request *q);

/* checker.c: asks the user's checker about an output. *ret is its run; end with result_done. */
struct checker_input {
    struct str in, out, expected;
    int64_t timeout_ms;
};
void checker_judge(const struct judge *j, const struct checker_input *input, struct case_result *r,
                   struct result *ret);

/* calls.c: the cases that are calls. */
void calls_judge(struct judge *j);
/* No cases, but a setup: only loads the candidate. */
void calls_load(struct judge *j);

/* value_verdict.c: the driver's report of a case (JSON). */
void verdict_of_value(const struct judge_request *q, struct str payload, struct case_result *r);
/* The same of {"raised": {...}} and {"refused": "..."}, which loading may end with as well. False
 * when it is something else. */
struct value;
bool verdict_of_failure(const struct judge_request *q, const struct value *reported,
                        struct case_result *r);

/* coverage.c: notes the lines that ran, as the driver reports them. */
void coverage_take(struct judge *j, struct str payload, struct case_result *r);

/* beside.c: what a client's cases bring that runs with the candidate, as texts to be read before:
 * calls, the function's name, a checker. Free them with judge_beside_done. */
struct judge_beside {
    struct beside_text texts[3];
    size_t n;
    struct buf calls, func;
};
void judge_beside_find(const struct judge_request *q, struct judge_beside *ret);
void judge_beside_done(struct judge_beside *b);

/* programs.c: the cases that are whole programs. */
void programs_judge(struct judge *j);

/* outputs.c: what a program wrote, held against what it should have. The detail is the caller's. */
struct output_wanted {
    struct str text;
    enum output_compare compare;
    const struct tolerance *tolerance;
};
bool output_matches(const struct output_wanted *wanted, struct str got, char **ret_detail);

#endif
