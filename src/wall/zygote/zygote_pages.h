/* SPDX-License-Identifier: Apache-2.0
 *
 * The pages that a run touches, learned once from a rehearsal. Each fork touches them while it
 * waits for its run, which then need not spend the time (some 250 faults of two microseconds).
 */
#ifndef ZYGOTE_ZYGOTE_PAGES_H
#define ZYGOTE_ZYGOTE_PAGES_H

/* Called in the zygote, before it forks for the rehearsal. Returns 0, or -1. */
int pages_begin(void);
/* Called in that fork after the rehearsal: notes which pages it has copied or mapped by then. */
void pages_note(void);
/* Called in the zygote after the fork's end. Returns 0, or -1. Without it, or after -1, pages_fetch
 * does nothing. */
int pages_learn(void);
/* Called in the zygote when it allocates and frees no more memory: drops the pages that are not
 * mapped in it. */
void pages_settle(void);
/* Called in each fork: touches the pages. */
void pages_fetch(void);

#endif
