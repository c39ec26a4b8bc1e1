/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <jansson.h>
#include <stdbool.h>

/* JSON as text, which the caller frees; indented when pretty. Each number is written in the fewest
 * digits that read back the same: 0.1, and not 0.10000000000000001 (as jansson would) or 0.1 for
 * 0.10000001. Characters that a terminal must not receive (utf8_is_hidden) are escaped. The value
 * is no deeper than what cell_decode lets pass. */
char *json_write(const json_t *value, bool pretty);

#endif
