/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that are about another process: signals, priorities, processors. A guest sees its forks, in
 * pid namespaces below its own, and the kernel would let it do all that to them, since it owns
 * their user namespaces. One of them may be the copy of itself that a cell is undone with, so for
 * such calls only processes of the caller's own namespace exist.
 */
#ifndef INSIDE_TARGET_H
#define INSIDE_TARGET_H

#include <linux/seccomp.h>

/* 0: the call may continue. Else the errno that it gets. The numbers are in registers, so what was
 * looked at is what the kernel takes; a descriptor of a process may become another one meanwhile.
 */
int target_check(const struct seccomp_notif *request);

#endif
