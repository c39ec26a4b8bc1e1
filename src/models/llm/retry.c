/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/retry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/num.h"
#include "formats/json_get.h"
#include "net/fetch.h"

enum { DAYS_MS = 100000000 };

bool retry_worth(unsigned status, struct str header_lines, const json_t *document)
{
    static const char *const lasting[] = {"insufficient_quota", "credit_balance_exhausted",
                                          "billing_hard_limit_reached", "billing_not_active"};
    const json_t *error = json_object_get(document, "error");

    if (status != 429 && status < 500)
        return false;
    if (str_is_nocase(fetch_header(header_lines, "x-should-retry"), "false"))
        return false;
    for (size_t i = 0; i < sizeof lasting / sizeof lasting[0]; i++)
        if (str_is(json_str(json_object_get(error, "code")), lasting[i]) ||
            str_is(json_str(json_object_get(error, "type")), lasting[i]))
            return false;
    return true;
}

/* ---- waiting ---- */

static bool read_date(struct str text, int64_t *ret_ms)
{
    char copy[64];
    struct tm tm = {0};

    if (text.n >= sizeof copy)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    const char *end = strptime(copy, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    if (!end || *end)
        return false;
    *ret_ms = (int64_t)timegm(&tm) * 1000;
    return true;
}

static int64_t until(int64_t then_ms, struct str header_lines)
{
    int64_t now_ms = clock_wall_ms();

    (void)read_date(fetch_header(header_lines, "date"), &now_ms);
    return then_ms > now_ms ? then_ms - now_ms : 0;
}

/* Reads a number of seconds such as "1" or "0.5". */
static bool read_seconds(struct str text, int64_t *ret_ms)
{
    int64_t whole = 0;
    struct err err;

    if (num_int64(text, &whole))
        *ret_ms = whole < DAYS_MS / 1000 ? whole * 1000 : DAYS_MS;
    else if (text.n == 0 || num_milli(text, ret_ms, &err) < 0)
        return false;
    return *ret_ms >= 0;
}

static int64_t asked_in_body(const json_t *document)
{
    const json_t *details = json_object_get(json_object_get(document, "error"), "details"), *one;
    int64_t ms;
    size_t i;

    json_array_foreach(details, i, one)
    {
        struct str delay = json_str(json_object_get(one, "retryDelay"));
        if (str_ends(delay, "s") && read_seconds(str_slice(delay, 0, delay.n - 1), &ms))
            return ms;
    }
    return -1;
}

int64_t retry_asked_ms(struct str header_lines, const json_t *document)
{
    struct str after = fetch_header(header_lines, "retry-after");
    int64_t ms;

    if (num_int64(fetch_header(header_lines, "retry-after-ms"), &ms) && ms >= 0)
        return ms;
    if (read_seconds(after, &ms))
        return ms;
    if (read_date(after, &ms))
        return until(ms, header_lines);
    return asked_in_body(document);
}

int64_t retry_backoff_ms(int attempt, unsigned random)
{
    int64_t ms = 500;

    for (int i = 1; i < attempt && ms < 8000; i++)
        ms *= 2;
    return ms - ms * (int64_t)(random % 1000) / 4000;
}
