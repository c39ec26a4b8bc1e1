/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_mono_ns(void); /* never goes back; for durations and deadlines */
int64_t clock_mono_ms(void);
int64_t clock_wall_ms(void); /* milliseconds since 1970, for the log */

#define CLOCK_TEXT 40
/* RFC 3339 in UTC with milliseconds: "2025-01-31T18:00:00.123Z". */
void clock_text(int64_t wall_ms, char ret[CLOCK_TEXT]);

#endif
