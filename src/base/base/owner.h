/* SPDX-License-Identifier: Apache-2.0
 *
 * Names the process that made a file, a container or the like, so that the remains of a killed
 * process can be found.
 */
#ifndef BASE_OWNER_H
#define BASE_OWNER_H

#include <stdbool.h>
#include <stddef.h>

enum { OWNER_MAX = 200 };

/* "4711 6a3e... pid:[4026531836]": this process, the boot of its machine, and its pid namespace. */
void owner_name(char ret[OWNER_MAX]);
/* True if the owner was a process of this pid namespace and has exited. Processes of another
 * namespace cannot be checked: false. */
bool owner_is_dead(const char *owner);
/* True if the owner's boot is another one: an earlier boot, if the owner was on this machine. */
bool owner_has_other_boot(const char *owner);

#endif
