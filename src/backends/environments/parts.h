/* SPDX-License-Identifier: Apache-2.0
 *
 * For this room's own files.
 */
#ifndef ENVIRONMENTS_PARTS_H
#define ENVIRONMENTS_PARTS_H

#include "environments/environments.h"

/* Locks an environment for use, by its ID. */
int env_use(const char *id, struct env_used *ret, struct err *err);
/* As env_list, with the packages; the one that was used last comes first. */
json_t *env_list_all(struct err *err);
/* Prunes the store to its usual ceiling, after something was made. */
void env_hold_ceiling(void);
/* Removes an environment that is not in use. ERR_LIMIT if it is. */
int env_remove_id(const char *id, struct err *err);

#endif
