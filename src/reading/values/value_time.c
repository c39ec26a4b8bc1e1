/* SPDX-License-Identifier: Apache-2.0 */
#include "values/value_time.h"

struct cursor {
    struct str s;
    size_t at;
    bool bad;
};

static int64_t take_digits(struct cursor *c, size_t n)
{
    int64_t v = 0;

    for (size_t i = 0; i < n; i++, c->at++) {
        if (c->at >= c->s.n || c->s.p[c->at] < '0' || c->s.p[c->at] > '9') {
            c->bad = true;
            return 0;
        }
        v = v * 10 + (c->s.p[c->at] - '0');
    }
    return v;
}

static bool value_time_take(struct cursor *c, char expected)
{
    bool here = c->at < c->s.n && c->s.p[c->at] == expected;

    c->at += here;
    return here;
}

static int64_t take_within(struct cursor *c, size_t n, int64_t low, int64_t high)
{
    int64_t v = take_digits(c, n);

    c->bad |= v < low || v > high;
    return v;
}

static bool is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Reads a date as days since 0001-01-01. */
static int64_t take_date(struct cursor *c)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    int64_t year = take_within(c, 4, 1, 9999);

    c->bad |= !value_time_take(c, '-');
    int64_t month = take_within(c, 2, 1, 12);
    c->bad |= !value_time_take(c, '-');
    int64_t day = take_within(c, 2, 1, 31);
    if (c->bad || month < 1 || month > 12)
        return 0;
    bool leap = is_leap(year);
    int length = before[month] - before[month - 1] + (leap && month == 2);
    c->bad |= day > length;
    year--;
    return year * 365 + year / 4 - year / 100 + year / 400 + before[month - 1] +
           (leap && month > 2) + day - 1;
}

/* Reads up to six digits after a dot. */
static int64_t take_fraction(struct cursor *c)
{
    int64_t v = 0, scale = 100000;

    if (!value_time_take(c, '.'))
        return 0;
    for (; c->at < c->s.n && c->s.p[c->at] >= '0' && c->s.p[c->at] <= '9'; c->at++, scale /= 10)
        v += (c->s.p[c->at] - '0') * scale;
    return v;
}

static int64_t take_clock(struct cursor *c, int64_t hours)
{
    int64_t seconds = take_within(c, 2, 0, hours) * 3600, micro = 0;

    c->bad |= !value_time_take(c, ':');
    seconds += take_within(c, 2, 0, 59) * 60;
    if (value_time_take(c, ':')) {
        seconds += take_within(c, 2, 0, 59);
        micro = take_fraction(c);
    }
    return seconds * 1000000 + micro;
}

static void take_zone(struct cursor *c, struct value *ret)
{
    ret->aware = false;
    ret->time.from_utc = 0;
    if (c->at == c->s.n)
        return;
    ret->aware = true;
    if (value_time_take(c, 'Z'))
        return;
    bool minus = value_time_take(c, '-');
    c->bad |= !minus && !value_time_take(c, '+');
    int64_t distance = take_clock(c, 23);
    ret->time.from_utc = minus ? -distance : distance;
}

bool value_read_moment(struct str text, bool date, bool clock, struct value *ret)
{
    struct cursor c = {.s = text};
    int64_t days = date ? take_date(&c) : 0, micro = 0;

    if (date && clock)
        c.bad |= !value_time_take(&c, 'T') && !value_time_take(&c, ' ');
    if (clock)
        micro = take_clock(&c, 23);
    ret->time.days = days;
    ret->time.micro = micro;
    ret->time.from_utc = 0;
    if (clock)
        take_zone(&c, ret);
    return !c.bad && c.at == c.s.n;
}

#define DAY_MICRO 86400000000

void value_make_span(int64_t days, int64_t seconds, int64_t micro, struct value *ret)
{
    seconds += micro / 1000000;
    micro = micro % 1000000 + seconds % 86400 * 1000000;
    days += seconds / 86400;
    while (micro < 0) {
        micro += DAY_MICRO;
        days--;
    }
    ret->time.days = days + micro / DAY_MICRO;
    ret->time.micro = micro % DAY_MICRO;
    ret->time.from_utc = 0;
}
