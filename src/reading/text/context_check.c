/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that a document is a context.
 */
#include "text/context_parts.h"

#include <stdio.h>

/* A location in the document, for messages. */
struct context_place {
    char path[300];
};

static struct context_place inside(const struct context_place *outer, const char *key)
{
    struct context_place p;

    snprintf(p.path, sizeof p.path, "%.200s%s%.80s", outer ? outer->path : "", outer ? "." : "",
             key);
    return p;
}

/* The type that a value must have. */
struct shape {
    enum { A_STRING, A_COUNT, A_LIST, AN_OBJECT } kind;
    const struct shape *each; /* of a list's items, or an object's members; NULL: anything */
    const struct key {
        const char *name; /* NULL: the last */
        const struct shape *shape;
    } * keys;      /* an object's own members; NULL: it has none */
    bool is_input; /* an input file, whose name and content are required */
};

static const struct shape string = {.kind = A_STRING}, count = {.kind = A_COUNT},
                          list = {.kind = A_LIST}, names = {.kind = A_LIST, .each = &string};

static const struct key scope_keys[] = {{KEY_ID, &string}, {KEY_PROCESSED, &names}, {0}};
static const struct shape scope = {.kind = AN_OBJECT, .keys = scope_keys},
                          scopes = {.kind = AN_OBJECT, .each = &scope};
static const struct key context_keys[] = {
    {KEY_ID, &string}, {KEY_PROCESSED, &names}, {KEY_SEPARATE, &scopes}, {0}};
static const struct shape context = {.kind = AN_OBJECT, .keys = context_keys};

static const struct key input_keys[] = {{"encoding", &string}, {0}};
static const struct shape input = {.kind = AN_OBJECT, .keys = input_keys, .is_input = true},
                          inputs = {.kind = A_LIST, .each = &input};

static const struct shape counts = {.kind = AN_OBJECT, .each = &count},
                          results = {.kind = AN_OBJECT, .each = &list};

static bool is_kind(const json_t *value, const struct shape *shape)
{
    switch (shape->kind) {
    case A_STRING:
        return json_is_string(value);
    case A_COUNT:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case A_LIST:
        return json_is_array(value);
    case AN_OBJECT:
        return json_is_object(value);
    }
    return false;
}

static int check_value(const json_t *value, const struct shape *shape,
                       const struct context_place *p, struct err *err);

static int check_each(const json_t *value, const struct shape *shape, const struct context_place *p,
                      struct err *err)
{
    json_t *of = (json_t *)value, *part; /* jansson's iterators take no const */
    const char *key;
    size_t i;

    json_array_foreach(of, i, part)
    {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        struct context_place at = inside(p, index);
        if (check_value(part, shape, &at, err) < 0)
            return -1;
    }
    json_object_foreach(of, key, part)
    {
        struct context_place at = inside(p, key);
        if (check_value(part, shape, &at, err) < 0)
            return -1;
    }
    return 0;
}

/* null counts as missing: google/adk leaves None there. */
static int context_check_keys(const json_t *object, const struct key *keys,
                              const struct context_place *outer, struct err *err)
{
    for (; keys->name; keys++) {
        const json_t *value = json_object_get(object, keys->name);
        struct context_place p = inside(outer, keys->name);
        if (value && !json_is_null(value) && check_value(value, keys->shape, &p, err) < 0)
            return -1;
    }
    return 0;
}

static int check_value(const json_t *value, const struct shape *shape,
                       const struct context_place *p, struct err *err)
{
    static const char *const words[] = {"a string", "a whole number", "a list", "an object"};

    if (!is_kind(value, shape))
        return err_set(err, ERR_USAGE, "%s: must be %s", p->path, words[shape->kind]);
    if (shape->is_input && (!json_is_string(json_object_get(value, "name")) ||
                            !json_is_string(json_object_get(value, "content"))))
        return err_set(err, ERR_USAGE, "%s: needs a name and content, both strings", p->path);
    if (shape->each && check_each(value, shape->each, p, err) < 0)
        return -1;
    return shape->keys ? context_check_keys(value, shape->keys, p, err) : 0;
}

int context_check_document(const json_t *doc, struct err *err)
{
    static const struct key keys[] = {{KEY_CONTEXT, &context},
                                      {KEY_INPUTS, &inputs},
                                      {KEY_ERRORS, &counts},
                                      {KEY_RESULTS, &results},
                                      {0}};

    return json_is_object(doc) ? context_check_keys(doc, keys, NULL, err)
                               : err_set(err, ERR_USAGE, "line 1: must be an object");
}
