/* SPDX-License-Identifier: Apache-2.0
 *
 * The service and the account, from the variables that E2B's own packages read: E2B_API_KEY,
 * E2B_API_URL, E2B_SANDBOX_URL, E2B_DOMAIN, E2B_DEBUG.
 */
#ifndef E2B_API_ACCOUNT_H
#define E2B_API_ACCOUNT_H

#include <stdbool.h>

#include "base/err.h"

struct e2b_account {
    char *key;         /* "" if none is needed */
    char *api;         /* the control plane's address, without a slash at the end */
    char *shown;       /* the same, for error messages */
    char *sandbox_url; /* one address for all sandboxes; NULL: each has a host name of its own */
    char *domain;
    bool debug; /* use the one sandbox of this machine, which is never created or killed */
};

/* ERR_UNSUPPORTED without a key, ERR_USAGE for an address that cannot be used: plain HTTP to other
 * machines needs GLOVEBOX_PLAIN_HTTP=1. From now on core dumps of this process contain no memory.
 * Call e2b_account_done in both cases. */
int e2b_account_read(struct e2b_account *ret, struct err *err);
void e2b_account_done(struct e2b_account *account);

#endif
