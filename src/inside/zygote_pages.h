/* SPDX-License-Identifier: Apache-2.0
 *
 * The pages that a run touches, learned once from a rehearsal: each fork makes them its own while
 * it waits for its run, and that does not take the time (some 250 faults of two microseconds).
 */
#ifndef INSIDE_ZYGOTE_PAGES_H
#define INSIDE_ZYGOTE_PAGES_H

/* In the zygote, before it forks for the rehearsal. 0, or -1. */
int pages_begin(void);
/* In that fork, when it has rehearsed: writes down which pages are its own, or there, by now. */
void pages_note(void);
/* In the zygote, after that. Without it, or after -1, nothing is asked for. */
int pages_learn(void);
/* In the zygote, when it allocates and frees nothing more: forgets what is not there. */
void pages_settle(void);
/* In each fork. */
void pages_fetch(void);

#endif
