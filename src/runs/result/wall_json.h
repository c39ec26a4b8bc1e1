/* SPDX-License-Identifier: Apache-2.0
 *
 * The wall around a run, as JSON: the layers that held, the missing layers with the reason, the
 * limits that applied, and warnings.
 */
#ifndef RESULT_WALL_JSON_H
#define RESULT_WALL_JSON_H

#include <jansson.h>

#include "result/result.h"

json_t *wall_isolation(layer_mask held);
/* Returns [{"layer", "why", "lost"}]: for a run that started, every layer that does not hold; for a
 * run that a missing layer prevented, the required layers. */
json_t *wall_missing(const struct backend_outcome *outcome);
/* Returns [{"name", "count"}]: the refused and reported system calls. */
json_t *wall_denied(const struct backend_outcome *outcome);
struct net_rows;
/* The rows of a network by name. */
json_t *wall_network(const struct net_rows *rows);
/* Returns the number of refusals among them. */
uint64_t wall_network_refused(const struct net_rows *rows);

/* Adds "missing" and "warnings" as members of an object. */
void wall_set(json_t *object, const struct backend_outcome *outcome, struct str warnings);

#endif
