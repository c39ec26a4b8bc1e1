/* SPDX-License-Identifier: Apache-2.0
 *
 * What stood around a run, as programs read it: layers that held, those that are missing and why,
 * the limits that applied, and what was warned of.
 */
#ifndef RESULT_WALL_JSON_H
#define RESULT_WALL_JSON_H

#include <jansson.h>

#include "result/result.h"

json_t *wall_isolation(layer_mask held);
/* [{"layer", "why", "lost"}]: of what started, every layer that does not hold; of what did not
 * start for want of a layer, those that were required. */
json_t *wall_missing(const struct backend_outcome *outcome);

/* "missing" and "warnings", as members of an object. */
void wall_set(json_t *object, const struct backend_outcome *outcome, struct str warnings);

#endif
