/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/earlier.h"

#include <string.h>

static bool has_record(const struct buf *names, struct str record)
{
    struct str rest = buf_str(names), one;

    while (str_next(&rest, '\0', &one)) {
        if (str_eq(one, record))
            return true;
    }
    return false;
}

static void add_record(struct buf *names, struct str record)
{
    if (!record.n || record.n >= names->limit || has_record(names, record))
        return;
    while (names->n + record.n + 1 > names->limit) {
        const char *end = memchr(names->p, '\0', names->n);
        buf_drop(names, end ? (size_t)(end - names->p) + 1 : names->n);
    }
    (void)buf_add_str(names, record);
    (void)buf_addc(names, '\0');
}

void earlier_learn(struct buf *names, struct str records)
{
    struct str record;

    while (str_next(&records, '\0', &record))
        add_record(names, record);
}

void earlier_text(const struct buf *names, struct buf *ret)
{
    size_t from = ret->n;

    (void)buf_add_str(ret, buf_str(names));
    for (size_t i = from; i < ret->n; i++)
        ret->p[i] = ret->p[i] ? ret->p[i] : '\n';
}
