/* SPDX-License-Identifier: Apache-2.0
 *
 * A test that failed over the link between two sandboxes may have failed because of the link: the
 * link cannot transfer every property of a value. Such a test is run again with its candidate in
 * one process, as a plain Python would run it. If it fails there, too, it has failed. If it passes,
 * there is no verdict: in that process the candidate can change the test, so that a pass proves
 * nothing.
 */
#ifndef JUDGE_SUITE_AGAIN_H
#define JUDGE_SUITE_AGAIN_H

#include <jansson.h>

#include "judge/suite.h"

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
