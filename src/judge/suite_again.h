/* SPDX-License-Identifier: Apache-2.0
 *
 * A test that failed over the link between two sandboxes may have failed because of the link: it
 * cannot carry all that a value is. Such a test is run again with its candidate in one process, as
 * a plain Python would run it. If it fails there, too, it has failed. If it passes, there is no
 * verdict: in that process the candidate can do to the test what it likes, so that a pass shows
 * nothing.
 */
#ifndef JUDGE_SUITE_AGAIN_H
#define JUDGE_SUITE_AGAIN_H

#include <jansson.h>

#include "judge/suite.h"

/* Runs all tests in one sandbox, which has the candidate's inputs and variables, no network, and
 * of which nothing is kept. Why there is no verdict of the tests with these numbers, or NULL if
 * they fail here as well; the caller frees. *ret_cancelled when cancel_fd (-1 for none) stopped it.
 */
char *suite_again(const struct judge_request *q, const struct suite_task *task, json_t *failed,
                  int64_t timeout_ms, int cancel_fd, bool *ret_cancelled);

/* What suite_tests.py reads first, with the candidate's text and these numbers if `failed` is not
 * NULL. NULL when a text has no form in JSON; the caller frees. */
char *suite_test_document(const struct suite_task *task, int64_t timeout_ms, json_t *failed);

#endif
