/* SPDX-License-Identifier: Apache-2.0
 *
 * The features of the language that a policy may forbid, one name each.
 */
#ifndef POLICY_FEATURES_H
#define POLICY_FEATURES_H

#include "syntax/tree.h"

struct feature {
    const char *name, *summary;
};

extern const struct feature features[];
size_t feature_count(void);

/* The bits of the features that a node uses; mostly 0. */
uint64_t features_of(const struct node *n);

#endif
