/* SPDX-License-Identifier: Apache-2.0
 *
 * The page that a client of port 80 gets when its connection is refused or fails: for the model
 * that reads the program's output.
 */
#ifndef NETWORK_REFUSAL_H
#define NETWORK_REFUSAL_H

#include <stdbool.h>

/* A whole answer of HTTP/1.1; the caller frees it. `allowed`: a rule allows it, but it failed.
 * `remedy` is a rule that would help, or NULL. */
char *refusal_page(const char *host, bool allowed, const char *reason, const char *remedy);

#endif
