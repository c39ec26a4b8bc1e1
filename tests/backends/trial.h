/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the contract share: one guest and what its sink received.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include "backends/backend.h"

struct trial {
    const struct backend *backend;
    struct backend_job job;
    struct backend_sink sink;
    struct backend_outcome outcome;
    struct backend_guest *guest;
    struct err err;
    char *argv[4];
    char said[2][100];
    size_t said_n[2];
    bool started, early; /* early: something was printed before the start */
    unsigned limits;
};

/* `script` is for sh; fake.c knows the same words. */
void trial_plan(struct trial *t, const struct backend *backend, const char *script);
int trial_run(struct trial *t);
bool trial_starts(struct trial *t);
bool trial_steps_until_over(struct trial *t, int64_t patience_ms);

/* files.c: of a guest with in.txt, laid from the list, and out.txt, which it wrote ("data"). */
void test_files_of(struct backend_guest *guest, struct lay_list *laid);
/* Of a living guest. */
void test_change_of(struct backend_guest *guest);
void test_warm(const struct backend *b);     /* warm.c */
void test_sessions(const struct backend *b); /* sessions.c */

#endif
