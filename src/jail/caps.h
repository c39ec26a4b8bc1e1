/* SPDX-License-Identifier: Apache-2.0
 *
 * What root may do: in a container, root may lack capabilities, and is then a user like others.
 */
#ifndef JAIL_CAPS_H
#define JAIL_CAPS_H

#include <stdbool.h>

/* Whether this thread is root and may become any other user and group. */
bool caps_may_set_ids(void);
/* Whether we are root and may not. A guest then has this uid as well, whose processes the kernel
 * does not count: RLIMIT_NPROC does not hold. */
bool caps_is_bare_root(void);

#endif
