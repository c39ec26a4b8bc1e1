/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts of earlier reviews: a file each in the folder "reviews" of the user's state folder.
 */
#ifndef REVIEW_REVIEW_CACHE_H
#define REVIEW_REVIEW_CACHE_H

#include "base/sha256.h"
#include "request/reviewer.h"

enum {
    REVIEW_CACHE_FILES = 1000,
    REVIEW_CACHE_DAYS = 30,
    REVIEW_REASON_MAX = 500, /* bytes of a reason, in a file and elsewhere */
};

/* True with the verdict for this key. A file that is too old, damaged, or open to other users does
 * not count. */
bool review_cache_find(const char key[SHA256_HEX], struct review_answer *ret);
/* Stores a verdict, and removes the oldest ones if there are too many. A failure is ignored: the
 * next review asks the model again. */
void review_cache_keep(const char key[SHA256_HEX], const struct review_answer *answer);

#endif
