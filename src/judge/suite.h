/* SPDX-License-Identifier: Apache-2.0
 *
 * A suite: a file with a task in each line, each a candidate and what it is tested with.
 *
 *     {"id": "a", "code": "...", "func": "f", "cases": [{"args": [1], "expected": 2}]}
 *     {"task_id": "HumanEval/0", "prompt": "...", "completion": "...", "entry_point": "f",
 *      "test": "def check(candidate): ..."}
 *     {"task_id": 2, "code": "...", "test_list": ["assert f(1) == 2"], "test_setup_code": ""}
 *
 * Further keys: setup, test_imports, language, timeout, sample, canonical_solution. Cases are
 * judged by judge_run. Test code carries what it expects as code, so it has to run inside: in a
 * sandbox of its own, beside the candidate's, and calls and values go to and fro between the two
 * (suite_code.c).
 *
 * The file is read line by line, so it may be of any length. Several threads take lines from it; a
 * run is tied to its thread, and each thread sees its own runs to their end.
 */
#ifndef JUDGE_SUITE_H
#define JUDGE_SUITE_H

#include <stdio.h>

#include "judge/judge.h"

enum {
    SUITE_LINE_MAX = 64 << 20,
    SUITE_TESTS_MAX = 100000, /* tests in one task */
    SUITE_JOBS_MAX = 256,
};

struct suite_task {
    size_t line;
    const char *id;
    size_t sample;
    struct str code;
    const char *func;     /* NULL for the only one there is */
    const char *language; /* NULL to detect */
    int64_t timeout_ms;   /* 0: as the request says */
    bool is_code;         /* tested by test code */
    struct case_file cases;

    /* Of test code; .p is NULL where there is none. */
    struct str prompt, setup;
    struct str *tests;
    size_t test_count;

    struct arena arena;
    struct buf text; /* the line, to which texts may point */
    bool given_sample;
};

/* Reads a line. `reference` takes the suite's own solution for the candidate. -1 with ERR_USAGE,
 * then the id is set where there is one. End with suite_task_done in either case. */
int suite_task_read(struct str line, bool reference, struct suite_task *ret, struct err *err);
void suite_task_done(struct suite_task *task);

/* What came of a task. */
struct suite_result {
    char *id; /* NULL for a line that has none */
    size_t line, sample;
    size_t passed, total;
    double score;
    bool all_passed;
    char *detail;     /* "OK", or of the first test that failed */
    char *error;      /* no verdict: the line is broken, or the failure is ours; or NULL */
    char *borrowed;   /* "f,Pair": names that test code had from the candidate; NULL for none */
    char *doubt;      /* why a pass is the candidate's own word; NULL for no reason */
    bool trustworthy; /* the verdict is about the candidate, which could not reach its judge */
    bool counted;     /* by pass@k: false if no candidate could have had a verdict */
    int64_t duration_ms;
    bool cancelled; /* it does not count */
};

void suite_result_done(struct suite_result *r);
/* One line of JSON with its end; the caller frees. */
char *suite_result_line(const struct suite_result *r);
/* False when it is none, as the last line of a file may be that was cut off. */
bool suite_result_read(struct str line, struct suite_result *ret);

/* ---- how many samples of a task passed ---- */

struct tally_task {
    char *id;
    size_t seen; /* samples met in the file so far */
    size_t n, passed;
};

struct tally {
    struct tally_task *at; /* in the order in which they came */
    size_t n, room;
    uint32_t *index; /* open addressing: a place in `at` + 1 */
    size_t index_size;
};

struct tally_task *tally_task(struct tally *t, const char *id); /* made when it is new */
const struct tally_task *tally_find(const struct tally *t, const char *id);
void tally_done(struct tally *t);
/* The chance that one of k samples passes, of n of which c did: 1 - C(n-c, k) / C(n, k). */
double pass_at_k(size_t n, size_t c, size_t k);
/* Its mean over all tasks with k samples or more; *ret_tasks is the number of these tasks. */
double tally_pass_at(const struct tally *t, size_t k, size_t *ret_tasks);

/* ---- all of it ---- */

struct suite_request {
    struct judge_request judge; /* what holds for every task; code, func and cases are the task's */
    const char *path;           /* "-" for standard input */
    bool reference;
    int jobs;
    const char *results; /* appended to, one line for each task; NULL for none */
    bool resume;         /* a task with a line there is done */
    int cancel_fd;       /* -1 for none */
    /* In the order in which tasks end, one at a time; may be NULL. */
    void (*done)(void *ctx, const struct suite_result *result);
    /* The same for those that were done before. */
    void (*skipped)(void *ctx, const struct suite_result *result);
    void *ctx;
};

struct suite_totals {
    size_t tasks, passed, failed, errors, skipped; /* skipped ones are among the others as well */
    struct tally tally;
    bool cancelled;
};

/* -1 with *err when the files cannot be read or written; *ret is filled in either case. */
int suite_run(const struct suite_request *request, struct suite_totals *ret, struct err *err);
void suite_totals_done(struct suite_totals *t);

/* ---- for suite.c ---- */

/* The same, of test code: *request has the candidate. */
void suite_code_run(const struct judge_request *request, const struct suite_task *task,
                    int cancel_fd, struct suite_result *ret);

/* ---- JUnit's XML ---- */

/* A file of test cases. They are kept in a file beside it until the numbers in the head are known.
 */
struct junit {
    FILE *out, *cases;
    const char *path;
    char *new_path;
    size_t tests, failures, errors;
    int64_t ms;
};

int junit_open(struct junit *j, const char *path, struct err *err);
void junit_add(struct junit *j, const struct suite_result *r);
/* Puts the file in its place. */
int junit_close(struct junit *j, struct err *err);
/* Text as XML takes it: escaped, and without characters that it does not permit. */
void junit_escape(struct buf *b, struct str text);

#endif
