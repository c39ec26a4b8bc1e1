/* SPDX-License-Identifier: Apache-2.0 */
#include "request/fields.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "languages/code_variables.h"

/* ---- absent ---- */

static void *member(const struct field *f, void *ret)
{
    return (char *)ret + f->offset;
}

static void set_absent(const struct field *f, void *ret)
{
    void *at = member(f, ret);

    switch (f->kind) {
    case FIELD_TEXT:
        *(struct str *)at = (struct str){NULL, 0};
        break;
    case FIELD_WORD:
        *(const char **)at = NULL;
        break;
    case FIELD_CHOICE:
        *(int *)at = 0;
        break;
    case FIELD_BOOL:
        *(enum tri *)at = TRI_ABSENT;
        break;
    case FIELD_COUNT:
    case FIELD_MS:
    case FIELD_BYTES:
        *(int64_t *)at = -1;
        break;
    case FIELD_NUMBER:
        *(double *)at = -1;
        break;
    case FIELD_WORDS:
    case FIELD_MAP:
    case FIELD_FILES:
    case FIELD_ARRAY:
    case FIELD_OBJECT:
    case FIELD_CASES:
    case FIELD_ANY:
        *(json_t **)at = NULL;
        break;
    case FIELD_SETTING: /* request_settings_init */
        break;
    }
}

/* ---- values ---- */

static int wrong(const struct field *f, const char *wanted, struct err *err)
{
    return err_set(err, ERR_USAGE, "'%s' must be %s", f->name, wanted);
}

static bool has_nul(json_t *v)
{
    return strlen(json_string_value(v)) != json_string_length(v);
}

static int read_text(const struct field *f, json_t *v, void *at, struct err *err)
{
    if (!json_is_string(v))
        return wrong(f, "a text", err);
    *(struct str *)at = (struct str){json_string_value(v), json_string_length(v)};
    return 0;
}

static int read_word(const struct field *f, json_t *v, void *at, struct err *err)
{
    if (!json_is_string(v) || has_nul(v))
        return wrong(f, "a text, without NUL", err);
    *(const char **)at = json_string_value(v);
    return 0;
}

static int read_choice(const struct field *f, json_t *v, void *at, struct err *err)
{
    const char *got = json_is_string(v) ? json_string_value(v) : "";
    struct suggestion near = {.word = str_from(got)};
    char all[200] = "";
    size_t n = 0;

    for (int i = 0; f->choices[i]; i++) {
        if (strcmp(f->choices[i], got) == 0) {
            *(int *)at = i + 1;
            return 0;
        }
        suggestion_try(&near, f->choices[i]);
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", f->choices[i]);
    }
    return err_set(err, ERR_USAGE, "'%s' must be one of %s%s%s%s", f->name, all,
                   near.best ? "; did you mean '" : "", near.best ? near.best : "",
                   near.best ? "'?" : "");
}

static int read_bool(const struct field *f, json_t *v, void *at, struct err *err)
{
    if (!json_is_boolean(v))
        return wrong(f, "true or false", err);
    *(enum tri *)at = json_is_true(v) ? TRI_TRUE : TRI_FALSE;
    return 0;
}

/* 30000.0 is a whole number too. */
static int read_count(const struct field *f, json_t *v, void *at, struct err *err)
{
    double real = json_number_value(v);
    bool whole = json_is_integer(v) ||
                 (json_is_real(v) && real >= 0 && real < 1e15 && real == (double)(int64_t)real);

    if (!whole || real < 0)
        return wrong(f,
                     f->kind == FIELD_MS      ? "a whole number of milliseconds"
                     : f->kind == FIELD_BYTES ? "a whole number of bytes"
                                              : "a whole number of 0 or more",
                     err);
    *(int64_t *)at = json_is_integer(v) ? json_integer_value(v) : (int64_t)real;
    return 0;
}

static int read_number(const struct field *f, json_t *v, void *at, struct err *err)
{
    if (!json_is_number(v) || json_number_value(v) < 0)
        return wrong(f, "a number of 0 or more", err);
    *(double *)at = json_number_value(v);
    return 0;
}

static int read_words(const struct field *f, json_t *v, void *at, struct err *err)
{
    bool good = json_is_array(v) || (json_is_string(v) && !has_nul(v));

    for (size_t i = 0; good && i < json_array_size(v); i++)
        good = json_is_string(json_array_get(v, i)) && !has_nul(json_array_get(v, i));
    if (!good)
        return wrong(f, "an array of texts", err);
    *(json_t **)at = v;
    return 0;
}

static int read_map(const struct field *f, json_t *v, void *at, struct err *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(v))
        return wrong(f, "an object of texts", err);
    json_object_foreach(v, key, value) if (!json_is_string(value) || has_nul(value)) return err_set(
        err, ERR_USAGE, "'%s.%.60s' must be a text without NUL", f->name, key);
    *(json_t **)at = v;
    return 0;
}

static int read_json(const struct field *f, json_t *v, void *at, struct err *err)
{
    bool array = json_is_array(v), object = json_is_object(v);

    if (f->kind == FIELD_ARRAY && !array)
        return wrong(f, "an array", err);
    if (f->kind == FIELD_OBJECT && !object)
        return wrong(f, "an object", err);
    if (f->kind == FIELD_FILES && !array && !object)
        return wrong(f, "an array of {name, content}, or an object of contents by name", err);
    if (f->kind == FIELD_CASES && !array && !object && !json_is_string(v))
        return wrong(f, "an array of cases, or the text of a case file", err);
    *(json_t **)at = v;
    return 0;
}

static int read_setting(const struct field *f, json_t *v, void *at, struct err *err)
{
    struct request_settings *to = at;

    return setting_read(f->setting, v, &to->settings, to->lent, err);
}

typedef int read_fn(const struct field *f, json_t *v, void *at, struct err *err);
static read_fn *const readers[] = {
    [FIELD_TEXT] = read_text,       [FIELD_WORD] = read_word,     [FIELD_CHOICE] = read_choice,
    [FIELD_BOOL] = read_bool,       [FIELD_COUNT] = read_count,   [FIELD_MS] = read_count,
    [FIELD_BYTES] = read_count,     [FIELD_NUMBER] = read_number, [FIELD_WORDS] = read_words,
    [FIELD_MAP] = read_map,         [FIELD_FILES] = read_json,    [FIELD_ARRAY] = read_json,
    [FIELD_OBJECT] = read_json,     [FIELD_CASES] = read_json,    [FIELD_ANY] = read_json,
    [FIELD_SETTING] = read_setting,
};

/* ---- the object ---- */

static const struct field *find(const struct field *const *tables, const char *name)
{
    for (; *tables; tables++)
        for (const struct field *f = *tables; f->name; f++)
            if (strcmp(f->name, name) == 0)
                return f;
    return NULL;
}

static int unknown(const struct field *const *tables, const char *name, const char *manual,
                   struct err *err)
{
    struct suggestion near = {.word = str_from(name)};

    for (; *tables; tables++)
        for (const struct field *f = *tables; f->name; f++)
            suggestion_try(&near, f->name);
    if (near.best)
        return err_set(err, ERR_USAGE, "there is no field '%.60s'; did you mean '%s'?", name,
                       near.best);
    return err_set(err, ERR_USAGE, "there is no field '%.60s'%s%s%s", name, manual ? "; " : "",
                   manual ? manual : "", manual ? " lists them" : "");
}

enum field_code field_code(const struct field *f)
{
    return f->setting ? f->setting->code : f->code;
}

bool field_holds_text(const struct field *f)
{
    if (f->setting)
        return f->setting->opt.kind == OPT_STRING || f->setting->opt.kind == OPT_LIST;
    return f->kind == FIELD_TEXT || f->kind == FIELD_WORD || f->kind >= FIELD_WORDS;
}

static int check_variables(const struct field *f, json_t *value, const char *why, struct err *err)
{
    const char *name;
    json_t *item;

    json_object_foreach(value, name, item)
    {
        if (code_variable(str_from(name)))
            return err_set(err, ERR_POLICY,
                           "'%s': %.60s would choose code that nobody reads, and is not for "
                           "clients to set here (%s)",
                           f->name, name, why);
    }
    return 0;
}

/* Nothing of a client's runs unread where the operator has promised it. */
static int check_code(const struct field *f, json_t *value, const struct request_rules *rules,
                      struct err *err)
{
    const char *why = rules->lock_policy ? "--lock-policy" : "--review";
    enum field_code code = field_code(f);
    bool chosen = code == CODE_POLICY || code == CODE_UNJUDGED;

    if (!rules->lock_policy && !rules->reviews)
        return 0;
    if (code == CODE_VARIABLES)
        return check_variables(f, value, why, err);
    if (code != CODE_UNREADABLE && !(chosen && rules->lock_policy))
        return 0;
    return err_set(err, ERR_POLICY, "'%s' is not for clients to choose here (%s)", f->name, why);
}

static int permitted(const struct field *f, json_t *value, const struct request_rules *rules,
                     struct err *err)
{
    enum permit permit = f->setting ? f->setting->permit : PERMIT_NONE;
    AUTO_FREE char *what = permit ? xasprintf("'%s'", f->name) : NULL;

    if (permit && permit_check(rules, permit, what, err) < 0)
        return -1;
    return check_code(f, value, rules, err);
}

static int check_required(const struct field *const *tables, json_t *object, struct err *err)
{
    for (; *tables; tables++)
        for (const struct field *f = *tables; f->name; f++)
            if (f->required && (!json_object_get(object, f->name) ||
                                json_is_null(json_object_get(object, f->name))))
                return err_set(err, ERR_USAGE, "'%s' is missing", f->name);
    return 0;
}

void fields_absent(const struct field *table, void *ret)
{
    for (const struct field *f = table; f->name; f++)
        set_absent(f, ret);
}

int fields_read(const struct field *const *tables, json_t *object,
                const struct request_rules *rules, void *ret, struct err *err)
{
    const char *name;
    json_t *value;

    for (const struct field *const *t = tables; *t; t++)
        fields_absent(*t, ret);
    if (!json_is_object(object))
        return err_set(err, ERR_USAGE, "a request must be a JSON object");
    json_object_foreach(object, name, value)
    {
        const struct field *f = find(tables, name);
        if (!f)
            return unknown(tables, name, rules->manual, err);
        if (json_is_null(value) && f->kind != FIELD_ANY)
            continue;
        if (permitted(f, value, rules, err) < 0 ||
            readers[f->kind](f, value, member(f, ret), err) < 0)
            return -1;
    }
    return check_required(tables, object, err);
}

/* ---- the description ---- */

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

static json_t *choice_schema(const struct field *f)
{
    json_t *all = json_array();

    for (int i = 0; f->choices[i]; i++)
        json_array_append_new(all, json_string(f->choices[i]));
    return json_pack("{s:s, s:o}", "type", "string", "enum", all);
}

static json_t *whole_schema(void)
{
    return json_pack("{s:s, s:s, s:i}", "type", "integer", "format", "int64", "minimum", 0);
}

static json_t *items_schema(const struct field *f)
{
    const struct field *const tables[] = {f->items, NULL};

    return f->items ? fields_schema(tables) : json_object();
}

static json_t *kind_schema(const struct field *f)
{
    switch (f->kind) {
    case FIELD_TEXT:
    case FIELD_WORD:
        return of_type("string");
    case FIELD_CHOICE:
        return choice_schema(f);
    case FIELD_BOOL:
        return of_type("boolean");
    case FIELD_COUNT:
    case FIELD_MS:
    case FIELD_BYTES:
        return whole_schema();
    case FIELD_NUMBER:
        return json_pack("{s:s, s:i}", "type", "number", "minimum", 0);
    case FIELD_WORDS:
        return list_of(of_type("string"));
    case FIELD_MAP:
        return map_of(of_type("string"));
    case FIELD_FILES:
        return either(list_of(items_schema(f)), map_of(of_type("string")));
    case FIELD_ARRAY:
        return list_of(items_schema(f));
    case FIELD_OBJECT:
        return map_of(json_object());
    case FIELD_CASES:
        return either(list_of(map_of(json_object())), of_type("string"));
    case FIELD_SETTING:
        return setting_schema(f->setting);
    case FIELD_ANY:
        break;
    }
    return json_object();
}

static json_t *field_schema(const struct field *f)
{
    json_t *schema = kind_schema(f);
    char text[600];

    if (f->setting)
        return schema;
    snprintf(text, sizeof text, "%s%s%s%s", f->help, f->initial ? " Default: " : "",
             f->initial ? f->initial : "", f->initial ? "." : "");
    json_object_set_new(schema, "description", json_string(text));
    return schema;
}

json_t *fields_schema(const struct field *const *tables)
{
    json_t *properties = json_object(), *required = json_array();

    for (; *tables; tables++)
        for (const struct field *f = *tables; f->name; f++) {
            json_object_set_new(properties, f->name, field_schema(f));
            if (f->required)
                json_array_append_new(required, json_string(f->name));
        }
    json_t *schema = json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties,
                               "additionalProperties", 0);
    if (json_array_size(required))
        json_object_set(schema, "required", required);
    json_decref(required);
    return schema;
}
