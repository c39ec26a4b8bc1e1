/* SPDX-License-Identifier: Apache-2.0
 *
 * A suite: a file with one task in each line. A task is a candidate and its tests.
 *
 *     {"id": "a", "code": "...", "func": "f", "cases": [{"args": [1], "expected": 2}]}
 *     {"task_id": "HumanEval/0", "prompt": "...", "completion": "...", "entry_point": "f",
 *      "test": "def check(candidate): ..."}
 *     {"task_id": 2, "code": "...", "test_list": ["assert f(1) == 2"], "test_setup_code": ""}
 *
 * Further keys: setup, test_imports, language, timeout, sample, canonical_solution. Cases are
 * judged by judge_run. In test code, the expected values are part of the code, so it has to run
 * inside: in its own sandbox, beside the candidate's. Calls and values are sent between the two
 * sandboxes (suite_code.c). In src/wall/guests/, suite_link.py packs calls, values, and references
 * to objects that cannot be copied; suite_tables.py packs values of numpy and pandas;
 * suite_remote.py has the test side's copies of the candidate's objects; suite_names.py decides
 * whether a name belongs to the tests, to a library or to the candidate; suite_checks.py counts
 * which checks ran; suite_forms.py runs the forms that tests have. Only the reports of the test
 * side count. A test that failed, and may have failed because of the link, is run again in one
 * process with the candidate (suite_again.c): a failure there confirms it, and a pass leaves the
 * task without a verdict.
 *
 * The file is read line by line, so it may be of any length. Several threads take lines from it; a
 * run is tied to its thread, so each thread completes its own runs.
 */
#ifndef JUDGE_SUITE_H
#define JUDGE_SUITE_H

#include <stdio.h>

#include "base/sha256.h"
#include "judge/judge.h"

enum {
    SUITE_LINE_MAX = 64 << 20,
    SUITE_TESTS_MAX = 100000, /* tests in one task */
    SUITE_PRINTED = 4096,
};

struct suite_task {
    size_t suite, line; /* suite: index in the request's paths */
    const char *id;
    size_t sample;
    struct str code;
    const char *func;     /* NULL: the program's only function */
    const char *language; /* NULL: detect it */
    int64_t timeout_ms;   /* 0: that of the request */
    bool is_code;         /* tested by test code */
    struct case_file cases;

    /* For test code; .p is NULL if absent. */
    struct str prompt, setup;
    struct str *tests;
    size_t test_count;

    struct arena arena;
    struct buf text, problem; /* the line, and the problem's; strings of the task may point there */
    bool given_sample;
    size_t variant, variants; /* which of the candidates on the line; their number, 1 or more */
    const char *none;         /* why the sample has no program; or NULL */
    char hash[SHA256_HEX];    /* of the sample, its problem and the settings; set by suite.c */
    struct str prelude; /* runs before a candidate that is a whole program; .p NULL for none */
};

struct suite_problems;

/* How lines are read. */
struct suite_form {
    bool reference;                        /* the candidate is the problem's own solution */
    bool extract;                          /* the candidate is in a model's reply, between fences */
    const struct suite_problems *problems; /* NULL: each line is its own problem */
};

/* Reads candidate number `variant` of a line. -1 with ERR_USAGE; the id is set then, too, if there
 * is one. End with suite_task_done, also after -1. */
int suite_task_read(struct str line, const struct suite_form *form, size_t variant,
                    struct suite_task *ret, struct err *err);
void suite_task_done(struct suite_task *task);
/* Returns the id of a line, which the caller frees; NULL with ERR_USAGE. */
char *suite_id_read(struct str line, struct err *err);

/* ---- problems in a file of their own (suite_problems.c) ---- */

/* Reads the whole file, and keeps its lines in an unnamed file on the disk: some benchmarks have
 * gigabytes. NULL with ERR_USAGE. End with suite_problems_close. */
struct suite_problems *suite_problems_open(const char *path, struct err *err);
void suite_problems_close(struct suite_problems *problems);
const char *suite_problems_path(const struct suite_problems *problems);
size_t suite_problems_count(const struct suite_problems *problems);
/* Appends the text of a problem. -1 with ERR_USAGE if there is none with this id. Several threads
 * may call it. */
int suite_problems_get(const struct suite_problems *problems, const char *id, struct buf *ret,
                       struct err *err);

/* ---- the readers of a task ---- */

struct suite_reader {
    struct suite_task *task;
    const struct suite_form *form;
    const struct value *sample, *problem; /* objects; the same one without a file of problems */
    struct str problem_text;
    struct err *err;
};

#define SUITE_KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Returns the value of the first of the keys that is present and not null; or NULL. */
const struct value *suite_read_find(const struct value *object, const char *const *keys,
                                    const char **ret_key);
/* Reads the string of the first of these keys; .p is NULL if there is none. */
int suite_read_text(const struct suite_reader *r, const struct value *object,
                    const char *const *keys, struct str *ret);
/* Always -1: "KEY" must be WHAT. */
int suite_read_bad(struct err *err, const char *key, const char *what);
/* Always -1: WHAT, and the names of the fields that are there. */
int suite_read_missing(const struct suite_reader *r, const struct value *object, const char *what);
/* Always -1: says that the error is in the problem, if problems are apart from samples. */
int suite_read_of_problem(const struct suite_reader *r);
struct str suite_read_join(struct arena *arena, struct str a, struct str b);
/* True for an object with tests and without a candidate. */
bool suite_line_is_problem(struct str line);
/* suite_answer.c: reads the candidate. */
int suite_answer_read(struct suite_reader *r);
/* suite_known.c: reads the tests of a problem in the form of EvalPlus or LiveCodeBench. 1; 0 if it
 * has another form; -1. */
int suite_known_read(struct suite_reader *r);

/* The result of a task. */
struct suite_result {
    char *id;          /* NULL if the line has none */
    const char *suite; /* its path; NULL in results of earlier releases */
    char *owned_suite; /* its memory, if the result was read from a file */
    size_t line, sample;
    size_t passed, total;
    double score;
    bool all_passed;
    enum judged outcome;
    char *out, *err; /* of a failed sample: printed text, shortened; NULL for none */
    char *detail;    /* "OK", or that of the first failed test */
    char *error; /* why there is no verdict: the line is invalid, or the failure is ours; or NULL */
    char *borrowed;   /* "f,Pair": names that test code took from the candidate; NULL for none */
    char *doubt;      /* why a pass depends on the candidate's own claim; or NULL */
    bool trustworthy; /* the verdict is about the candidate, which could not reach its judge */
    bool counted;     /* for pass@k: false if no candidate could have got a verdict */
    int64_t duration_ms;
    char hash[SHA256_HEX]; /* of the sample (struct suite_task); empty for a line without a task,
                              and in results of earlier releases */
    bool cancelled;        /* the result does not count */
};

void suite_result_done(struct suite_result *r);
/* Keeps what a sample printed, unless it passed: at most SUITE_PRINTED bytes of each stream, of its
 * beginning and its end. */
void suite_result_print(struct suite_result *r, struct str out, struct str err);
/* Returns one line of JSON with its line end; the caller frees. */
char *suite_result_line(const struct suite_result *r);
/* False if the line is no result; the last line of a file may have been cut off. */
bool suite_result_read(struct str line, struct suite_result *ret);

/* ---- how many samples of a task passed ---- */

struct tally_task {
    char *id;
    size_t seen; /* samples in the file so far */
    size_t n, passed;
};

struct tally {
    struct tally_task *at; /* in the order of their first line */
    size_t n, room;
    json_t *places; /* the index in `at`, by id */
};

struct tally_task *tally_task(struct tally *t, const char *id); /* adds a task if the id is new */
const struct tally_task *tally_find(const struct tally *t, const char *id);
void tally_done(struct tally *t);
/* Returns the probability that at least one of k samples passes, if c of n passed: 1 - C(n-c, k) /
 * C(n, k). */
double pass_at_k(size_t n, size_t c, size_t k);
/* Returns the mean of pass_at_k over all tasks with at least k samples; *ret_tasks is the number of
 * these tasks. */
double tally_pass_at(const struct tally *t, size_t k, size_t *ret_tasks);
/* Sets the interval in which pass@k lies with 95 % confidence, for tasks like these. */
void tally_interval(const struct tally *t, size_t k, double *ret_from, double *ret_to);

/* ---- the whole suite ---- */

struct suite_request {
    struct judge_request judge; /* for every task, except code, func and cases */
    const char *const *paths;   /* of the suites, path_n of them; "-" is standard input */
    size_t path_n;
    struct suite_form form;
    int jobs;             /* 0: the number of processors that this process may use */
    const char *results;  /* one line for each task is appended to this file; NULL for none */
    bool resume;          /* do not repeat a sample that has a verdict there */
    const char *settings; /* the hash of all settings that can change a verdict */
    int cancel_fd;        /* -1 for none */
    /* Called in the order in which tasks end, never concurrently; may be NULL. */
    void (*done)(void *ctx, const struct suite_result *result);
    /* Called for samples that are not repeated, as `done`; may be NULL. */
    void (*skipped)(void *ctx, const struct suite_result *result);
    void *ctx;
};

/* The results of one suite. */
struct suite_score {
    size_t tasks, passed, failed, errors, skipped; /* skipped tasks are also in the other counts */
    size_t changed; /* repeated: the earlier verdict is about another text or other settings */
    size_t outcomes[JUDGED_COUNT];
    size_t ids;     /* different ones in the file */
    bool several;   /* a line has several samples */
    size_t samples; /* in the file, set by the caller of suite_run; 0 if it is unknown */
    struct tally tally;
};

struct suite_totals {
    struct suite_score *at; /* one for each suite */
    size_t n;
    bool cancelled;
};

/* -1 with *err if the files cannot be read or written; *ret is always filled in. */
int suite_run(const struct suite_request *request, struct suite_totals *ret, struct err *err);
void suite_totals_done(struct suite_totals *t);

/* ---- for suite.c ---- */

/* Judges a task with test code; *request has the candidate. */
void suite_code_run(const struct judge_request *request, const struct suite_task *task,
                    int cancel_fd, struct suite_result *ret);

/* ---- JUnit's XML ---- */

/* A file of test cases. They are kept in an unnamed file until the totals in the head are known. */
struct junit {
    FILE *out, *cases;
    const char *path;
    char *new_path;
    size_t tests, failures, errors;
    int64_t ms;
};

int junit_open(struct junit *j, const char *path, struct err *err);
void junit_add(struct junit *j, const struct suite_result *r);
/* Completes the file and gives it its name. */
int junit_close(struct junit *j, struct err *err);
/* Appends the text for XML: escaped, and without characters that XML does not permit. */
void junit_escape(struct buf *b, struct str text);

#endif
