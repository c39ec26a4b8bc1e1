/* SPDX-License-Identifier: Apache-2.0
 *
 * The pages that a run touches, learned once from a rehearsal: each fork asks for them at once,
 * which is several times cheaper than a fault for each (some 300 of a few microseconds).
 */
#ifndef JAIL_ZYGOTE_PAGES_H
#define JAIL_ZYGOTE_PAGES_H

/* In a fork that has rehearsed: writes down which pages are its own, or there, by now. */
int pages_note(int fd);
/* In the zygote: reads that. Without it, or after -1, nothing is asked for. */
int pages_learn(int fd);
/* In each fork. */
void pages_fetch(void);

#endif
