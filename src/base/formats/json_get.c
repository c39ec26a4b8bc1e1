/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/json_get.h"

#include <stdio.h>

#include "formats/encoded.h"

struct str json_str(const json_t *value)
{
    return (struct str){json_string_value(value), json_string_length(value)};
}

const char *json_get_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

struct str json_get_str(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value) ? json_str(value) : STR("");
}

const char *json_get_word(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);

    return text ? text : "";
}

int64_t json_get_int(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

struct str json_get_bytes(const json_t *object, const char *key, struct buf *room)
{
    char name[32];
    struct err err;

    snprintf(name, sizeof name, "%s_base64", key);
    const json_t *odd = json_object_get(object, name);
    buf_init(room, json_string_length(odd) + 1);
    if (odd && encoded_read(json_str(odd), STR("base64"), room, &err) == 0)
        return buf_str(room);
    return json_str(json_object_get(object, key));
}

bool json_get_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}
