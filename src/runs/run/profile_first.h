/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_PROFILE_FIRST_H
#define RUN_PROFILE_FIRST_H

#include "base/buf.h"
#include "request/request.h"

/* True if Python must not evaluate annotations: smolagents does not, so its programs may use names
 * there that they never import. */
bool profile_skips_annotations(const struct run_request *q);
/* True for kodeagent, and for codeact, which adds modules to it. */
bool profile_is_kodeagent(const struct run_request *q);
/* Appends the Python code that runs before a program of the request's profile, or before the first
 * cell of a session; nothing for most profiles. For smolagents, the code fails when a module of
 * --allow-imports is not installed, brings the functions that need no import there, and adds
 * smolagents' words to exceptions. */
void profile_first(const struct run_request *q, bool session, struct buf *out);

#endif
