/* SPDX-License-Identifier: Apache-2.0
 *
 * The share of one owner in the table of sessions. One thread only.
 */
#ifndef HOSTING_HOLDING_H
#define HOSTING_HOLDING_H

#include <stddef.h>
#include <stdint.h>

#include "hosting/tokens.h"

struct holding {
    struct holding *next;
    char owner[TOKEN_NAME];
    size_t sessions; /* open, or being opened */
    uint64_t memory_bytes;
    size_t waiting_bytes; /* of requests that wait for the turn of their session */
};

/* The owner's holding, made at the first call. It stays until holdings_free. */
struct holding *holding_of(struct holding **all, const char *owner);
void holdings_free(struct holding *all);

#endif
