/* SPDX-License-Identifier: Apache-2.0
 *
 * One of the processes that test code and its candidate run in: a session with a program of ours,
 * whose standard input is ours to write and whose standard output is a channel.
 */
#ifndef JUDGE_SUITE_SIDE_H
#define JUDGE_SUITE_SIDE_H

#include "judge/judge.h"
#include "languages/language.h"
#include "session/session.h"

struct suite_program;
/* suite_tests.py runs the file that it gets; suite_candidate.py serves the candidate. */
extern const struct suite_program suite_test_program, suite_candidate_program;

struct suite_side {
    struct run_request request;
    struct language language;
    struct language *row;
    struct language_table table;
    struct result result;
    int in[2]; /* its standard input: ours to write, and what the session reads */
    int cancel_fd;
};

/* Prepares *side, which stays where it is, for the request of a candidate with this time limit (0
 * for none), and writes the program. End with suite_side_done, also after -1. */
int suite_side_init(struct suite_side *side, const struct judge_request *q, int64_t timeout_ms,
                    const struct suite_program *program, struct err *err);
/* The candidate's inputs are laid for the test code as well, and nothing else of its request. */
void suite_side_seclude(struct suite_side *side, const struct run_request *candidate,
                        const char *document);
/* Runs it to its end in this thread. on_event gets what it prints, with ctx. */
void suite_side_run(struct suite_side *side, void (*on_event)(void *, const struct run_event *),
                    void *ctx);
/* Writes to its standard input, which is closed if the side does not read. Never waits long: two
 * sides could wait for each other, and their clocks are not checked meanwhile. */
void suite_side_give(struct suite_side *side, const char *p, size_t n);
void suite_side_done(struct suite_side *side);

#endif
