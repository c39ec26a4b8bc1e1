/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_mono_ns(void); /* never goes back; for durations and deadlines */
int64_t clock_mono_ms(void);
int64_t clock_wall_ms(void); /* milliseconds since 1970, for the log */

#endif
