/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a program ran, as far as advice about its errors depends on it.
 */
#ifndef EXPLAIN_ADVICE_PLACE_H
#define EXPLAIN_ADVICE_PLACE_H

#include <stdbool.h>

struct result;

struct advice_place {
    bool net;      /* it had a network: advice about a missing one would be wrong */
    bool named;    /* it had a network of hosts by name */
    bool installs; /* the backend installs packages (--pip) */
};

struct advice_place advice_place_of(const struct result *result);

#endif
