/* SPDX-License-Identifier: Apache-2.0
 *
 * The page that a client of port 80 gets when its connection is refused or fails: for the model
 * that reads the program's output.
 */
#ifndef NETWORK_REFUSAL_H
#define NETWORK_REFUSAL_H

#include <stdbool.h>

struct refusal {
    const char *host;
    unsigned port;
    bool allowed; /* a rule allows it, but it failed */
    const char *reason;
    const char *remedy; /* a rule that would help; or "" */
};

/* A whole answer of HTTP/1.1; the caller frees it. */
char *refusal_page(const struct refusal *r);

#endif
