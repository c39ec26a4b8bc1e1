/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls with another process as their target: signals, priorities, processors. A guest sees its
 * forks, in pid namespaces below its own, and the kernel would permit these calls on them, since
 * the guest owns their user namespaces. A fork may be the copy to which a session returns when a
 * cell is undone. So for such calls only processes of the caller's own namespace exist.
 */
#ifndef INSIDE_TARGET_H
#define INSIDE_TARGET_H

#include <linux/seccomp.h>

/* Returns 0 if the call may continue, otherwise the errno for its caller. Process numbers are in
 * registers, so the kernel uses the number that was checked. A descriptor may be replaced by that
 * of another process meanwhile. */
int target_check(const struct seccomp_notif *request);

#endif
