/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_LISTING_H
#define BACKENDS_LISTING_H

#include <jansson.h>

/* All backends with their abilities here and now, for `doctor --json` and GET /v1/backends. `about`
 * has facts about a container engine: an object of texts and arrays of texts. Looks at the host the
 * first time, which takes as long as a run. The caller owns the list. */
json_t *backends_listing(void);

#endif
