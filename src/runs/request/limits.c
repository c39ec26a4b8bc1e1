/* SPDX-License-Identifier: Apache-2.0 */
#include "request/limits.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "request/setting.h"

#define OF_JAIL(id) JAIL_LIMIT_##id
#define OF_RESULT   JAIL_LIMITS

static const struct row {
    enum setting_id id;
    enum jail_limit limit; /* JAIL_LIMITS: the limit on output in a result */
} rows[] = {
#define LIMIT(id, text, field, unit, value, most, whose, ...) {SETTING_##id, whose},
#include "request/request.def"
};

static const struct limit_place {
    size_t offset, size; /* in struct jail_limits */
} places[JAIL_LIMITS] = {
#define JAIL_LIMIT(id, type, member, name)                                                         \
    [JAIL_LIMIT_##id] = {offsetof(struct jail_limits, member), sizeof(type)},
#include "limits/limits.def"
};

static uint64_t limits_get(enum jail_limit limit, const struct jail_limits *limits)
{
    const char *at = (const char *)limits + places[limit].offset;

    return places[limit].size == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static void limits_put(enum jail_limit limit, struct jail_limits *limits, uint64_t value)
{
    char *at = (char *)limits + places[limit].offset;

    if (places[limit].size == sizeof(uint32_t))
        *(uint32_t *)at = (uint32_t)value;
    else
        *(uint64_t *)at = value;
}

void limits_from_settings(const struct settings *s, struct jail_limits *ret)
{
    *ret = (struct jail_limits){0};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].limit != JAIL_LIMITS)
            limits_put(rows[i].limit, ret,
                       *(const uint64_t *)((const char *)s + settings_all[rows[i].id].opt.offset));
}

unsigned limits_asked(const struct settings *s)
{
    unsigned asked = 0;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].limit != JAIL_LIMITS && settings_asked(s, rows[i].id))
            asked |= 1U << rows[i].limit;
    return asked;
}

static bool in_thousandths(const struct row *row)
{
    return settings_all[row->id].opt.kind == OPT_MILLI;
}

json_t *limits_json(const struct jail_limits *limits, uint64_t kept)
{
    json_t *object = json_object();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t n = rows[i].limit != JAIL_LIMITS ? limits_get(rows[i].limit, limits) : kept;
        json_object_set_new(object, settings_all[rows[i].id].field,
                            in_thousandths(&rows[i]) ? json_real((double)n / 1000)
                                                     : json_integer((json_int_t)n));
    }
    return object;
}

json_t *limits_schema(void)
{
    json_t *properties = json_object(), *required = json_array();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *field = settings_all[rows[i].id].field;
        json_object_set_new(
            properties, field,
            json_pack("{s:s}", "type", in_thousandths(&rows[i]) ? "number" : "integer"));
        json_array_append_new(required, json_string(field));
    }
    return json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required",
                     required);
}
