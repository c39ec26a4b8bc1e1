/* SPDX-License-Identifier: Apache-2.0
 *
 * The process that made something outside of itself, so that what a killed one left is found.
 */
#ifndef BASE_OWNER_H
#define BASE_OWNER_H

#include <stdbool.h>
#include <stddef.h>

enum { OWNER_MAX = 200 };

/* "4711 6a3e... pid:[4026531836]": this process, the boot of its machine, and its pid namespace. */
void owner_name(char ret[OWNER_MAX]);
/* Whether it was a process of this namespace that is gone. Nothing is known of another one. */
bool owner_is_dead(const char *owner);
/* Whether it names another boot: an earlier one, if it was of this machine. */
bool owner_has_other_boot(const char *owner);

#endif
