/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FORMATS_JSON_WRITE_H
#define FORMATS_JSON_WRITE_H

#include <jansson.h>
#include <stdbool.h>

/* Returns JSON as a string, which the caller frees; indented if pretty. Each number has the fewest
 * digits that read back as the same value: 0.1 is written as 0.1 (jansson writes
 * 0.10000000000000001), and 0.10000001 keeps all its digits. Characters that a terminal must not
 * receive (utf8_is_hidden) are escaped. The value must not be deeper than cell_decode allows. */
char *json_write(const json_t *value, bool pretty);

#endif
