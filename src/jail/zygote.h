/* SPDX-License-Identifier: Apache-2.0
 *
 * What a zygote calls: an interpreter that was started inside a nest (inside_nest.c), has
 * everything loaded, and whose forks become guests. Built as a shared object of its own that needs
 * nothing of the library; the interpreter loads it by descriptor.
 *
 *     zygote_open();
 *     while (zygote_wait() == 0) {
 *         pid = fork();                      -- the interpreter's own way
 *         if (pid == 0) {
 *             if (zygote_enter() < 0) _exit(127);
 *             ... zygote_words() is what to run
 *         }
 *         zygote_forked(pid);
 *     }
 *
 * One thread. The zygote holds capabilities in the nest's user namespace only, and never runs what
 * a guest wrote. zygote_enter gives them up, in this order: the jail's namespaces, its cgroups, ids
 * and capabilities, and then all that guest_enter does.
 */
#ifndef JAIL_ZYGOTE_H
#define JAIL_ZYGOTE_H

#include <stddef.h>

/* What a run touches is learned from a rehearsal: a plain fork acts as a guest would and at its end
 * calls zygote_note with a pipe, whose other end the zygote gives to zygote_learn. 0 or -1. */
int zygote_note(int fd);
int zygote_learn(int fd);
/* Reads the spec, and tells the nest that all is loaded. 0, or -1. */
int zygote_open(void);
/* Until a fork is wanted: 0; and the next fork is born in the new jail's pid namespace. Meanwhile
 * reaps guests and reports how they ended. -1: the nest is gone. */
int zygote_wait(void);
/* The parent's half, also after a fork that failed (pid -1). */
void zygote_forked(int pid);
/* The child's half: returns when it is locked in and told what to run. */
int zygote_enter(void);
/* How many arguments, each of them, each NAME=VALUE, all NUL-terminated. */
const char *zygote_words(size_t *ret_n);

/* ---- in a guest that is to be forked ---- */

/* Into the jail that waits for it: 0 in the fork, whose channel has these numbers by then; 1 in the
 * guest; or an errno, negative. */
int zygote_fork(int channel_in, int channel_out);

#endif
