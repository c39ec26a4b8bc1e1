/* SPDX-License-Identifier: Apache-2.0
 *
 * Models name folders as they are in sandboxes that they know. Here, a program's files are in its
 * current folder.
 */
#ifndef AGENT_WORK_PLACES_H
#define AGENT_WORK_PLACES_H

#include "base/str.h"

/* Returns the rest of a path in such a place: "src/a.py" of "/workspace/src/a.py", "" of
 * "/workspace". Any other path is returned as it is. */
struct str work_place_rest(struct str path);

#endif
