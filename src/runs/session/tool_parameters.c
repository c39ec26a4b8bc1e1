/* SPDX-License-Identifier: Apache-2.0 */
#include "session/tool_parameters.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "python/python.h"

enum { SCHEMA_DEPTH_MAX = 8, DEFAULT_MAX = 10000, LIST_MAX = 100000 };

/* In the order that Python requires. */
static const char *const kinds[] = {"positional_only", "positional_or_keyword", "var_positional",
                                    "keyword_only", "var_keyword"};
enum { KIND_EITHER = 1, KIND_VAR_POSITIONAL = 2, KIND_KEYWORD_ONLY = 3, KIND_VAR_KEYWORD = 4 };

struct reading {
    const char *tool;
    json_t *list;  /* the parameters so far */
    int kind;      /* of the last parameter */
    bool optional; /* an earlier positional parameter may be left out */
    struct err *err;
};

/* ---- one parameter ---- */

static int tool_parameters_check_name(const struct reading *r, const char *name)
{
    size_t i;
    const json_t *other;

    if (!name || !python_is_variable(str_from(name)))
        return err_set(r->err, ERR_USAGE, "tool %.80s: '%.80s' is not a valid parameter name",
                       r->tool, name ? name : "");
    json_array_foreach(r->list, i, other)
    {
        if (strcmp(name, json_string_value(json_object_get(other, "name"))) == 0)
            return err_set(r->err, ERR_USAGE, "tool %.80s: two parameters have the name %.80s",
                           r->tool, name);
    }
    return 0;
}

static int kind_of(const struct reading *r, const json_t *parameter, int *ret)
{
    const json_t *kind = json_object_get(parameter, "kind");

    *ret = KIND_EITHER;
    if (!kind || json_is_null(kind))
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (json_is_string(kind) && strcmp(kinds[i], json_string_value(kind)) == 0) {
            *ret = (int)i;
            return 0;
        }
    return err_set(r->err, ERR_USAGE,
                   "tool %.80s: a parameter's kind must be positional_only, positional_or_keyword, "
                   "var_positional, keyword_only or var_keyword",
                   r->tool);
}

/* Python must be able to define a function with these parameters. */
static int check_order(struct reading *r, const char *name, int kind, bool optional)
{
    bool var = kind == KIND_VAR_POSITIONAL || kind == KIND_VAR_KEYWORD;

    if (kind < r->kind || (var && kind == r->kind))
        return err_set(r->err, ERR_USAGE,
                       "tool %.80s: the parameter %.80s cannot follow a %s parameter", r->tool,
                       name, kinds[r->kind]);
    if (kind <= KIND_EITHER && r->optional && !optional)
        return err_set(r->err, ERR_USAGE,
                       "tool %.80s: the parameter %.80s is required, but follows an optional one",
                       r->tool, name);
    r->kind = kind;
    r->optional = r->optional || (optional && kind <= KIND_EITHER);
    return 0;
}

static int tool_parameters_copy_text(const struct reading *r, const json_t *from, const char *key,
                                     size_t max, json_t *to)
{
    json_t *text = json_object_get(from, key);

    if (!text || json_is_null(text))
        return 0;
    if (!json_is_string(text) || json_string_length(text) > max)
        return err_set(r->err, ERR_USAGE,
                       "tool %.80s: a parameter's %s must be a string of at most %zu bytes",
                       r->tool, key, max);
    json_object_set(to, key, text);
    return 0;
}

static int check_keys(const struct reading *r, const json_t *parameter)
{
    static const char *const known[] = {"name",    "type",     "description",
                                        "default", "optional", "kind"};
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)parameter, key, value)
    {
        size_t i = 0;
        while (i < ARRAY_LEN(known) && strcmp(known[i], key) != 0)
            i++;
        if (i == ARRAY_LEN(known))
            return err_set(r->err, ERR_USAGE, "tool %.80s: a parameter has no '%.80s'", r->tool,
                           key);
    }
    return 0;
}

static int say_many(const struct reading *r)
{
    return err_set(r->err, ERR_USAGE, "tool %.80s: has more than %d parameters", r->tool,
                   TOOL_PARAMETERS_MAX);
}

static size_t size_of(const json_t *value)
{
    return json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
}

/* A default is only for display. If it is long, the row only says that the parameter is
 * optional. */
static void set_default(json_t *row, json_t *initial)
{
    if (initial && size_of(initial) <= DEFAULT_MAX)
        json_object_set(row, "default", initial);
    else
        json_object_set_new(row, "optional", json_true());
}

static int tool_parameters_add(struct reading *r, const json_t *parameter)
{
    const char *name = json_string_value(json_object_get(parameter, "name"));
    json_t *initial = json_object_get(parameter, "default");
    bool optional = initial || json_is_true(json_object_get(parameter, "optional"));
    int kind;

    if (json_array_size(r->list) == TOOL_PARAMETERS_MAX)
        return say_many(r);
    if (check_keys(r, parameter) < 0 || tool_parameters_check_name(r, name) < 0 ||
        kind_of(r, parameter, &kind) < 0 || check_order(r, name, kind, optional) < 0)
        return -1;
    json_t *row = json_pack("{s:s, s:s}", "name", name, "kind", kinds[kind]);
    json_array_append_new(r->list, row);
    if (optional)
        set_default(row, initial);
    return tool_parameters_copy_text(r, parameter, "type", TOOL_TYPE_MAX, row) < 0
               ? -1
               : tool_parameters_copy_text(r, parameter, "description", 10000, row);
}

/* ---- a list ---- */

/* A name alone says nothing about the parameter, so it may be left out. */
static int add_item(struct reading *r, const json_t *item)
{
    if (json_is_object(item))
        return tool_parameters_add(r, item);
    if (!json_is_string(item))
        return tool_parameters_check_name(r, NULL);
    json_t *parameter = json_pack("{s:O, s:b}", "name", item, "optional", 1);
    int result = tool_parameters_add(r, parameter);
    json_decref(parameter);
    return result;
}

static int read_list(struct reading *r, const json_t *given)
{
    const json_t *item;
    size_t i;

    json_array_foreach(given, i, item)
    {
        if (add_item(r, item) < 0)
            return -1;
    }
    return 0;
}

/* ---- a JSON Schema ---- */

static const char *plain_type(const char *type)
{
    static const char *const names[][2] = {
        {"string", "str"}, {"integer", "int"}, {"number", "float"}, {"boolean", "bool"},
        {"array", "list"}, {"object", "dict"}, {"null", "None"},
    };

    for (size_t i = 0; type && i < ARRAY_LEN(names); i++)
        if (strcmp(names[i][0], type) == 0)
            return names[i][1];
    return NULL;
}

static bool add_type(const json_t *schema, struct buf *b, int depth);

/* Appends "str | None", for a list of schemas or of names of types. */
static bool add_any_of(const json_t *list, struct buf *b, int depth)
{
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        const char *plain = plain_type(json_string_value(item));
        if (i && buf_adds(b, " | ") < 0)
            return false;
        if (plain ? buf_adds(b, plain) < 0 : !add_type(item, b, depth + 1))
            return false;
    }
    return i > 0;
}

/* Appends the schema's type. False if it names none. */
static bool add_type(const json_t *schema, struct buf *b, int depth)
{
    const json_t *type = json_object_get(schema, "type"), *any = json_object_get(schema, "anyOf");
    const char *plain = plain_type(json_string_value(type));
    AUTO_BUF struct buf items = {0};

    if (depth == SCHEMA_DEPTH_MAX)
        return false;
    if (json_is_array(type) || json_is_array(any))
        return add_any_of(json_is_array(type) ? type : any, b, depth);
    if (!plain)
        return false;
    buf_init(&items, TOOL_TYPE_MAX);
    if (strcmp(plain, "list") == 0 && add_type(json_object_get(schema, "items"), &items, depth + 1))
        return buf_addf(b, "list[%s]", items.p) == 0;
    return buf_adds(b, plain) == 0;
}

static json_t *parameter_of(const char *name, const json_t *schema, bool required)
{
    json_t *parameter = json_pack("{s:s}", "name", name);
    json_t *initial = json_object_get(schema, "default");
    json_t *description = json_object_get(schema, "description");
    AUTO_BUF struct buf type = {0};

    buf_init(&type, TOOL_TYPE_MAX);
    if (add_type(schema, &type, 0))
        json_object_set_new(parameter, "type", json_stringn(type.p, type.n));
    if (description)
        json_object_set(parameter, "description", description);
    if (!required && initial)
        json_object_set(parameter, "default", initial);
    else if (!required)
        json_object_set_new(parameter, "optional", json_true());
    return parameter;
}

static bool is_required(const json_t *schema, const char *name)
{
    const json_t *item;
    size_t i;

    json_array_foreach(json_object_get(schema, "required"), i, item)
    {
        if (json_is_string(item) && strcmp(json_string_value(item), name) == 0)
            return true;
    }
    return false;
}

/* The properties of a schema have no order; the required ones come first. */
static int read_properties(struct reading *r, const json_t *schema, bool required)
{
    const char *name;
    json_t *property;

    json_object_foreach(json_object_get(schema, "properties"), name, property)
    {
        if (is_required(schema, name) != required)
            continue;
        json_t *parameter = parameter_of(name, property, required);
        int result =
            parameter ? tool_parameters_add(r, parameter) : tool_parameters_check_name(r, "");
        json_decref(parameter);
        if (result < 0)
            return -1;
    }
    return 0;
}

/* Each property is looked up in `required`, so first check that both are small enough. */
static int read_schema(struct reading *r, const json_t *schema)
{
    const char *type = json_string_value(json_object_get(schema, "type"));
    const json_t *properties = json_object_get(schema, "properties");
    size_t required = json_array_size(json_object_get(schema, "required"));

    if ((!type || strcmp(type, "object") != 0) && !properties)
        return err_set(r->err, ERR_USAGE,
                       "tool %.80s: a schema of parameters must have \"type\": \"object\"",
                       r->tool);
    if (properties && !json_is_object(properties))
        return err_set(r->err, ERR_USAGE, "tool %.80s: \"properties\" must be an object", r->tool);
    if (json_object_size(properties) > TOOL_PARAMETERS_MAX || required > TOOL_PARAMETERS_MAX)
        return say_many(r);
    return read_properties(r, schema, true) < 0 ? -1 : read_properties(r, schema, false);
}

int tool_parameters_read(const char *tool, const json_t *given, json_t **ret, struct err *err)
{
    struct reading r = {.tool = tool, .err = err};

    *ret = NULL;
    if (!given || json_is_null(given))
        return 0;
    if (!json_is_array(given) && !json_is_object(given))
        return err_set(err, ERR_USAGE,
                       "tool %.80s: parameters must be a list of names or of objects, or a JSON "
                       "Schema",
                       tool);
    r.list = json_array();
    int result = json_is_array(given) ? read_list(&r, given) : read_schema(&r, given);
    if (result == 0 && size_of(r.list) > LIST_MAX)
        result = err_set(err, ERR_USAGE, "tool %.80s: its parameters have more than %d bytes", tool,
                         LIST_MAX);
    if (result < 0) {
        json_decref(r.list);
        return -1;
    }
    *ret = r.list;
    return 0;
}
