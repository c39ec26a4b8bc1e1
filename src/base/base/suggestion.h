/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean ...?": finds the name nearest to a mistyped word.
 */
#ifndef BASE_SUGGESTION_H
#define BASE_SUGGESTION_H

#include "base/str.h"

struct suggestion {
    struct str word;
    const char *best; /* NULL while nothing is near enough */
    unsigned cost;
};

/* Start with `struct suggestion n = {.word = word};`, try every name, read n.best; ties go to the
 * first. Counts letters missing, extra, wrong or swapped with their neighbour; '-', '_' and case
 * make no difference; a word that begins the name is always near, and "memory_mb" is near to
 * "memory_bytes" and "memory": a unit at the end counts as one letter. Long words are near to
 * nothing, so that the cost of a hostile one stays small. */
void suggestion_try(struct suggestion *n, const char *candidate);

#endif
