/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t now_ns(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t clock_mono_ns(void)
{
    return now_ns(CLOCK_MONOTONIC);
}

int64_t clock_mono_ms(void)
{
    return now_ns(CLOCK_MONOTONIC) / 1000000;
}

int64_t clock_wall_ms(void)
{
    return now_ns(CLOCK_REALTIME) / 1000000;
}

void clock_text(int64_t wall_ms, char ret[CLOCK_TEXT])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm tm;

    ret[0] = '\0';
    if (!gmtime_r(&seconds, &tm))
        return;
    size_t n = strftime(ret, CLOCK_TEXT - 8, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(ret + n, CLOCK_TEXT - n, ".%03dZ", (int)(wall_ms % 1000));
}
