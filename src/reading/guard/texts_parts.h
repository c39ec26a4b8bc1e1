/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by texts.c and the files with the messages of single profiles.
 */
#ifndef GUARD_TEXTS_PARTS_H
#define GUARD_TEXTS_PARTS_H

#include "base/buf.h"
#include "guard/check.h"

enum { TEXT_LIMIT = 64 << 10 };

struct text {
    struct check *c;
    struct verdict *v;
    enum guard_stage stage; /* the stage that refused */
    struct buf reason;
};

/* Adds the profile's message about one finding to t->reason, or nothing if it has none. */
typedef void label_fn(struct text *t, const struct note *n);
label_fn label_kodeagent, label_chapter, label_restricted, label_agentos, label_smolagents;

void text_kodeagent(struct text *t);
void text_chapter(struct text *t);
void text_restricted(struct text *t);
void text_agentos(struct text *t);
void text_smolagents(struct text *t);

#endif
