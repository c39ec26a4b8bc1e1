/* SPDX-License-Identifier: Apache-2.0
 *
 * The rights of root. In a container, root may lack capabilities; then root has only the rights of
 * an ordinary user.
 */
#ifndef JAIL_CAPS_H
#define JAIL_CAPS_H

#include <stdbool.h>

/* True if this thread is root and may become any other user and group. */
bool caps_may_set_ids(void);
/* True if we are root without these rights. A guest then runs as root, too, and the kernel does not
 * count root's processes: RLIMIT_NPROC has no effect. */
bool caps_is_bare_root(void);

#endif
