/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files share that go through a program in the order in which it runs.
 */
#ifndef GUARD_PROGRAM_FLOW_H
#define GUARD_PROGRAM_FLOW_H

#include "guard/program_sure.h"

#define EVERYTHING (~(bits)0) /* where nothing gets to */

struct later;

struct flow {
    struct program *p;
    const struct scope *scope;
    bits now, never, doors;
    bits at_break; /* on every way out of the loop around by `break` */
    bits ran;      /* bound when functions can have run for the first time */
    bool has_run;
    const struct node *drained; /* a generator that is run to its end where it stands */
    struct later *first, **end;
};

void flow_look(struct flow *f, const struct node *n);
void flow_list(struct flow *f, struct node_list list);
void flow_maybe(struct flow *f, const struct node *n);   /* NULL is fine */
int flow_child(void *ctx, struct node *n);               /* for node_each_child */
void flow_bind(struct flow *f, const struct name *name); /* NULL is fine */

/* program_branches.c: false, and nothing is done, where the node is none that branches. */
bool flow_branch(struct flow *f, const struct node *n);

#endif
