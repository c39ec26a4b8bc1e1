/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the schema and the description of a row's field.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "request/setting.h"

static json_t *of_type(const char *type)
{
    return json_pack("{s:s}", "type", type);
}

static json_t *either(json_t *a, json_t *b)
{
    return json_pack("{s:[o,o]}", "anyOf", a, b);
}

static json_t *list_of(json_t *items)
{
    return json_pack("{s:s, s:o}", "type", "array", "items", items);
}

static json_t *map_of(json_t *values)
{
    return json_pack("{s:s, s:o}", "type", "object", "additionalProperties", values);
}

static json_t *choice_schema(const struct setting *row)
{
    json_t *all = json_array();

    for (int i = 0; row->opt.choices[i]; i++)
        json_array_append_new(all, json_string(row->opt.choices[i]));
    return json_pack("{s:s, s:o}", "type", "string", "enum", all);
}

static json_t *kind_schema(const struct setting *row)
{
    switch (row->opt.kind) {
    case OPT_FLAG:
    case OPT_NEGATION:
        return of_type("boolean");
    case OPT_STRING:
        return of_type("string");
    case OPT_LIST: /* one string is a list of it */
        return either(list_of(of_type("string")), of_type("string"));
    case OPT_MILLI:
        return json_pack("{s:s, s:i}", "type", "number", "minimum", 0);
    case OPT_CHOICE:
        return choice_schema(row);
    case OPT_SIZE:
    case OPT_DURATION:
    case OPT_INT:
        break;
    }
    return json_pack("{s:s, s:s, s:i}", "type", "integer", "format", "int64", "minimum", 0);
}

static json_t *items_schema(const struct setting *row)
{
    return row->items ? ask_schema(row->items) : json_object();
}

static json_t *value_schema(const struct setting *row)
{
    switch (row->shape) {
    case SHAPE_OF_KIND:
        return kind_schema(row);
    case SHAPE_MAP:
        return map_of(of_type("string"));
    case SHAPE_TEXT:
        return of_type("string");
    case SHAPE_WORDS:
        return list_of(of_type("string"));
    case SHAPE_FILES:
        return either(list_of(items_schema(row)), map_of(of_type("string")));
    case SHAPE_ARRAY:
        return list_of(items_schema(row));
    case SHAPE_OBJECT:
        return map_of(json_object());
    case SHAPE_CASES:
        return either(list_of(map_of(json_object())), of_type("string"));
    case SHAPE_ANY:
        break;
    }
    return json_object();
}

/* Describes "elapsed time" in sentences: "Elapsed time. Default: 30s. Permitted only if ..." */
static void setting_schema_describe(const struct setting *row, struct buf *b)
{
    const char *text = row->meaning ? row->meaning : row->opt.help;
    const char *initial = row->unset ? row->unset : row->opt.initial;

    bool list = text[strcspn(text, " ,")] == ','; /* "python, javascript, ..." */

    (void)buf_addf(b, "%c%s.", list ? *text : toupper((unsigned char)*text), text + 1);
    if (initial)
        (void)buf_addf(b, " Default: %s.", initial);
    if (row->ceiling)
        (void)buf_addf(b, " The daemon's --max-%s is the maximum.", row->opt.name);
    if (row->permit)
        (void)buf_addf(b, " Permitted only if the daemon was started with --allow %s.",
                       permit_name(row->permit));
}

static json_t *setting_schema(const struct setting *row)
{
    json_t *schema = value_schema(row);
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1000);
    setting_schema_describe(row, &text);
    json_object_set_new(schema, "description", json_stringn(text.p, text.n));
    return schema;
}

json_t *ask_schema(const struct ask_form *form)
{
    json_t *properties = json_object(), *required = json_array();
    struct ask_walk walk = {0};
    const struct setting *row;

    while ((row = ask_next(form, &walk))) {
        json_object_set_new(properties, row->field, setting_schema(row));
        if (row->required && (!form->verb || row->required & form->verb))
            json_array_append_new(required, json_string(row->field));
    }
    json_t *schema = json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties,
                               "additionalProperties", 0);
    if (json_array_size(required))
        json_object_set(schema, "required", required);
    json_decref(required);
    return schema;
}
