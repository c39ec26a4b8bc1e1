/* SPDX-License-Identifier: Apache-2.0 */
#include "store/log_when.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/num.h"

enum { HOURS_PER_DAY = 24 };

static bool read_age(const char *text, int64_t *ret_ms)
{
    struct str s = str_trim(str_from(text));
    struct err ignored;
    char last = s.n ? s.p[s.n - 1] : '0';

    if (last >= '0' && last <= '9')
        return false;
    if (last != 'd')
        return num_duration_ms(s, ret_ms, &ignored) == 0;
    s = str_trim(str_slice(s, 0, s.n - 1));
    if (!s.n || s.p[s.n - 1] > '9') /* "1hd" */
        return false;
    AUTO_FREE char *hours = xasprintf("%.*sh", (int)s.n, s.p);
    return num_duration_ms(str_from(hours), ret_ms, &ignored) == 0 &&
           !__builtin_mul_overflow(*ret_ms, HOURS_PER_DAY, ret_ms);
}

int log_parse_age(const char *text, int64_t *ret_ms, struct err *err)
{
    int64_t ms;

    if (!read_age(text, &ms))
        return err_set(err, ERR_USAGE, "'%.80s' is not an age; write it like 90s, 12h or 30d",
                       text);
    *ret_ms = ms;
    return 0;
}

static bool read_time(const char *text, int64_t *ret_ms)
{
    static const char *const formats[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
                                          "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"};

    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        struct tm tm = {.tm_isdst = -1};
        const char *end = strptime(text, formats[i], &tm);
        if (!end || *end)
            continue;
        *ret_ms = (int64_t)mktime(&tm) * 1000;
        return true;
    }
    return false;
}

int log_parse_moment(const char *text, int64_t now_ms, int64_t *ret_ms, struct err *err)
{
    int64_t age;

    if (read_time(text, ret_ms))
        return 0;
    if (!read_age(text, &age))
        return err_set(err, ERR_USAGE,
                       "'%.80s' is not a time; write it like 2h, 30d, 2025-01-31 or "
                       "'2025-01-31 18:00'",
                       text);
    *ret_ms = age < now_ms ? now_ms - age : 1; /* 0 would select nothing */
    return 0;
}
