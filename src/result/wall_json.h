/* SPDX-License-Identifier: Apache-2.0
 *
 * The wall around a run, as programs read it: layers that held, layers that are missing with the
 * reason, the limits that applied, and warnings.
 */
#ifndef RESULT_WALL_JSON_H
#define RESULT_WALL_JSON_H

#include <jansson.h>

#include "result/result.h"

json_t *wall_isolation(layer_mask held);
/* [{"layer", "why", "lost"}]: for a run that started, every layer that does not hold; for a run
 * that a missing layer prevented, the layers that were required. */
json_t *wall_missing(const struct backend_outcome *outcome);
/* [{"name", "count"}]: the system calls that were refused and reported. */
json_t *wall_denied(const struct backend_outcome *outcome);

/* Adds "missing" and "warnings" as members of an object. */
void wall_set(json_t *object, const struct backend_outcome *outcome, struct str warnings);

#endif
