/* SPDX-License-Identifier: Apache-2.0 */
#include "far/far.h"

static const bool is_limit[BACKEND_ABILITIES] = {
#define JAIL_LIMIT(id, ...) [CAN_LIMIT_##id] = true,
#include "limits/limits.def"
};

static bool is_empty(const struct far_ability *row)
{
    return !row->how && !row->never && !row->layers && !row->held;
}

struct backend_need far_need(const struct far_ability *rows, enum backend_ability ability)
{
    const struct far_ability *row = &rows[ability];

    if (is_limit[ability] && is_empty(row))
        return (struct backend_need){.why_not = "has no such limit"};
    return (struct backend_need){.why_not = row->never, .layers = row->layers};
}
