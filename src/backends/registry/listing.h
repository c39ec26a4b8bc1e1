/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REGISTRY_LISTING_H
#define REGISTRY_LISTING_H

#include <jansson.h>

/* All backends with their current abilities on this host, for `doctor --json` and GET /v1/backends.
 * `about` has facts about a container engine: an object of strings and arrays of strings. Inspects
 * the host the first time, which takes as long as a run. The caller owns the list. */
json_t *backends_listing(void);

#endif
