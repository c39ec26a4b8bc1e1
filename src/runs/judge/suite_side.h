/* SPDX-License-Identifier: Apache-2.0
 *
 * One of the two processes for test code and its candidate: a session with a program of ours. We
 * write its standard input, and its standard output is a channel.
 */
#ifndef JUDGE_SUITE_SIDE_H
#define JUDGE_SUITE_SIDE_H

#include "judge/driver.h"
#include "judge/suite.h"
#include "session/session.h"

/* The program suite_tests.py runs the test code; suite_candidate.py serves the candidate. */
extern const struct driver suite_test_program, suite_candidate_program;

struct suite_side {
    struct run_request request;
    struct only_language python;
    struct result result;
    int in[2]; /* its standard input: the end that the session reads, and ours */
    int cancel_fd;
};

/* Prepares *side, whose address must not change, for the request of a candidate with this time
 * limit (0 for none), and writes the program. End with suite_side_done, also after -1. */
int suite_side_init(struct suite_side *side, const struct judge_request *q, int64_t timeout_ms,
                    const struct driver *program, struct err *err);
/* The test code gets the candidate's inputs, and nothing else of the candidate's request. */
void suite_side_seclude(struct suite_side *side, const struct run_request *candidate,
                        const char *document);
/* Runs the side to its end in this thread. on_event receives its events, with ctx. */
void suite_side_run(struct suite_side *side, void (*on_event)(void *, const struct run_event *),
                    void *ctx);
/* Writes to its standard input, which is closed if the side does not read it. Waits for a limited
 * time only: two sides could wait for each other, and their time limits are not checked in the
 * meantime. */
void suite_side_give(struct suite_side *side, const char *p, size_t n);
void suite_side_done(struct suite_side *side);

/* ---- the second try (suite_again.c) ---- */

/* Runs all tests in one sandbox, which has the candidate's inputs and variables and no network, and
 * of which nothing is kept. Returns why there is no verdict on the tests with the numbers `failed`,
 * or NULL if they fail here, too; the caller frees. Sets *ret_cancelled if cancel_fd (-1 for none)
 * stopped it. */
char *suite_again(const struct judge_request *q, const struct suite_task *task, json_t *failed,
                  int64_t timeout_ms, int cancel_fd, bool *ret_cancelled);

/* Returns the document that suite_tests.py reads first; with the candidate's text and the numbers
 * if `failed` is not NULL. NULL if a text is not valid in JSON; the caller frees. */
char *suite_test_document(const struct suite_task *task, int64_t timeout_ms, json_t *failed);

#endif
