/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/json_get.h"
#include "formats/printable.h"

enum { DEPTH_MAX = 32 };

struct checker {
    struct buf place; /* "answer.items.2" */
    unsigned depth;
    struct err *err;
};

static int check(struct checker *c, const json_t *schema, const json_t *value);

static int schema_refuse(struct checker *c, const char *what)
{
    return err_set(c->err, ERR_GUEST, "%s %s", c->place.p, what);
}

/* ---- types ---- */

static bool has_type(const json_t *value, const char *name)
{
    static const struct {
        const char *name;
        json_type type;
    } types[] = {{"object", JSON_OBJECT},   {"array", JSON_ARRAY},    {"string", JSON_STRING},
                 {"integer", JSON_INTEGER}, {"number", JSON_INTEGER}, {"number", JSON_REAL},
                 {"boolean", JSON_TRUE},    {"boolean", JSON_FALSE},  {"null", JSON_NULL}};

    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (name && strcmp(types[i].name, name) == 0 && json_typeof(value) == types[i].type)
            return true;
    return false;
}

static int check_type(struct checker *c, const json_t *wanted, const json_t *value)
{
    const json_t *name;
    size_t i;
    char what[64];

    if (json_is_string(wanted) && has_type(value, json_string_value(wanted)))
        return 0;
    json_array_foreach(wanted, i, name) if (has_type(value, json_string_value(name))) return 0;
    snprintf(what, sizeof what, "is not of the type '%.20s'",
             json_is_string(wanted) ? json_string_value(wanted) : "one of several");
    return schema_refuse(c, what);
}

static int check_enum(struct checker *c, const json_t *allowed, const json_t *value)
{
    const json_t *one;
    size_t i;

    json_array_foreach(allowed, i, one) if (json_equal(one, value)) return 0;
    return schema_refuse(c, "is none of the allowed values");
}

/* ---- sizes ---- */

static double size_of(const json_t *value)
{
    return json_is_array(value)    ? (double)json_array_size(value)
           : json_is_string(value) ? (double)utf8_count(json_str(value))
                                   : json_number_value(value);
}

static int check_least(struct checker *c, const json_t *bound, const json_t *value)
{
    return size_of(value) < json_number_value(bound) ? schema_refuse(c, "is too small") : 0;
}

static int check_most(struct checker *c, const json_t *bound, const json_t *value)
{
    return size_of(value) > json_number_value(bound) ? schema_refuse(c, "is too large") : 0;
}

/* ---- members ---- */

/* Checks one member. Its name is appended to c->place for error messages, and removed again if the
 * member is right. */
static int check_part(struct checker *c, const json_t *schema, const json_t *value,
                      const char *name)
{
    size_t before = c->place.n;

    (void)buf_addf(&c->place, ".");
    printable_add_word(&c->place, str_from(name), 60);
    int status = check(c, schema, value);
    if (status == 0) {
        c->place.n = before;
        c->place.p[before] = '\0';
    }
    return status;
}

static int check_properties(struct checker *c, const json_t *properties, const json_t *value)
{
    const char *name;
    json_t *schema;

    json_object_foreach((json_t *)(uintptr_t)properties, name, schema)
    {
        const json_t *member = json_object_get(value, name);
        if (member && check_part(c, schema, member, name) < 0)
            return -1;
    }
    return 0;
}

static int schema_check_required(struct checker *c, const json_t *required, const json_t *value)
{
    const json_t *name;
    size_t i;
    char what[96];

    json_array_foreach(required, i, name)
    {
        snprintf(what, sizeof what, "has no '%.60s'", json_string_value(name));
        if (json_is_object(value) && !json_object_get(value, json_string_value(name)))
            return schema_refuse(c, what);
    }
    return 0;
}

static int check_items(struct checker *c, const json_t *items, const json_t *value)
{
    const json_t *item;
    size_t i;
    char name[32];

    json_array_foreach(value, i, item)
    {
        snprintf(name, sizeof name, "%zu", i);
        if (check_part(c, items, item, name) < 0)
            return -1;
    }
    return 0;
}

static int check_no_others(struct checker *c, const json_t *schema, const json_t *value)
{
    const json_t *known = json_object_get(schema, "properties");
    const char *name;
    json_t *member;

    json_object_foreach((json_t *)(uintptr_t)value, name, member) if (
        !json_object_get(known, name)) return schema_refuse(c, "has a member that is not expected");
    return 0;
}

static int check_nothing(struct checker *c, const json_t *bound, const json_t *value)
{
    (void)c;
    (void)bound;
    (void)value;
    return 0;
}

static const struct word {
    const char *name;
    int (*check)(struct checker *c, const json_t *bound, const json_t *value);
    const char *only; /* values of this type; NULL: all */
} words[] = {
    {"type", check_type, NULL},
    {"enum", check_enum, NULL},
    {"properties", check_properties, "object"},
    {"required", schema_check_required, "object"},
    {"items", check_items, "array"},
    {"minItems", check_least, "array"},
    {"maxItems", check_most, "array"},
    {"minLength", check_least, "string"},
    {"maxLength", check_most, "string"},
    {"minimum", check_least, "number"},
    {"maximum", check_most, "number"},
    {"additionalProperties", check_nothing, NULL}, /* needs the properties: see check */
    {"description", check_nothing, NULL},
    {"title", check_nothing, NULL},
};

static int check_word(struct checker *c, const char *name, const json_t *bound, const json_t *value)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(words[i].name, name) == 0)
            return !words[i].only || has_type(value, words[i].only)
                       ? words[i].check(c, bound, value)
                       : 0;
    return err_set(c->err, ERR_BUG, "the schema's word '%.40s' is not supported", name);
}

static int check(struct checker *c, const json_t *schema, const json_t *value)
{
    const char *name;
    json_t *bound;

    if (++c->depth > DEPTH_MAX)
        return schema_refuse(c, "is too deep");
    json_object_foreach((json_t *)(uintptr_t)schema, name,
                        bound) if (check_word(c, name, bound, value) < 0) return -1;
    c->depth--;
    if (json_is_false(json_object_get(schema, "additionalProperties")) && json_is_object(value))
        return check_no_others(c, schema, value);
    return 0;
}

int schema_check(const json_t *schema, const json_t *value, struct err *err)
{
    struct checker c = {.err = err};

    buf_init(&c.place, 4096);
    (void)buf_adds(&c.place, "answer");
    int status = check(&c, schema, value);
    buf_done(&c.place);
    return status;
}
