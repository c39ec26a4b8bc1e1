/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a document is a context.
 */
#include "context/context_parts.h"

#include <stdio.h>

/* A place in the document, for messages. */
struct place {
    char path[300];
};

static struct place inside(const struct place *outer, const char *key)
{
    struct place p;

    snprintf(p.path, sizeof p.path, "%.200s%s%.80s", outer ? outer->path : "", outer ? "." : "",
             key);
    return p;
}

static int wrong(const struct place *p, const char *what, struct err *err)
{
    return err_set(err, ERR_USAGE, "%s: must be %s", p->path, what);
}

typedef int check_fn(const json_t *value, const struct place *p, struct err *err);

static int check_text(const json_t *value, const struct place *p, struct err *err)
{
    return json_is_string(value) ? 0 : wrong(p, "a text", err);
}

static int check_count(const json_t *value, const struct place *p, struct err *err)
{
    return json_is_integer(value) && json_integer_value(value) >= 0
               ? 0
               : wrong(p, "a whole number", err);
}

static int check_list(const json_t *value, const struct place *p, struct err *err)
{
    return json_is_array(value) ? 0 : wrong(p, "a list", err);
}

static int each_item(const json_t *list, const struct place *p, check_fn *check, struct err *err)
{
    const json_t *item;
    size_t i;

    if (check_list(list, p, err) < 0)
        return -1;
    json_array_foreach(list, i, item)
    {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        struct place at = inside(p, index);
        if (check(item, &at, err) < 0)
            return -1;
    }
    return 0;
}

static int each_member(const json_t *object, const struct place *p, check_fn *check,
                       struct err *err)
{
    json_t *of = (json_t *)object; /* jansson's iterators take no const; nothing is changed */
    json_t *value;
    const char *key;

    if (!json_is_object(object))
        return wrong(p, "an object", err);
    json_object_foreach(of, key, value)
    {
        struct place at = inside(p, key);
        if (check(value, &at, err) < 0)
            return -1;
    }
    return 0;
}

static int check_names(const json_t *value, const struct place *p, struct err *err)
{
    return each_item(value, p, check_text, err);
}

/* null counts as missing: google/adk leaves None there. */
static int check_key(const json_t *object, const char *key, const struct place *outer,
                     check_fn *check, struct err *err)
{
    const json_t *value = json_object_get(object, key);
    struct place p = inside(outer, key);

    return !value || json_is_null(value) ? 0 : check(value, &p, err);
}

static int check_scope(const json_t *value, const struct place *p, struct err *err)
{
    if (!json_is_object(value))
        return wrong(p, "an object", err);
    if (check_key(value, KEY_ID, p, check_text, err) < 0)
        return -1;
    return check_key(value, KEY_PROCESSED, p, check_names, err);
}

static int check_scopes(const json_t *value, const struct place *p, struct err *err)
{
    return each_member(value, p, check_scope, err);
}

static int check_context(const json_t *value, const struct place *p, struct err *err)
{
    return check_scope(value, p, err) < 0 ? -1
                                          : check_key(value, KEY_SEPARATE, p, check_scopes, err);
}

static int check_input(const json_t *value, const struct place *p, struct err *err)
{
    if (!json_is_object(value))
        return wrong(p, "an object", err);
    if (!json_is_string(json_object_get(value, "name")) ||
        !json_is_string(json_object_get(value, "content")))
        return err_set(err, ERR_USAGE, "%s: needs a name and content, both text", p->path);
    return check_key(value, "encoding", p, check_text, err);
}

static int check_inputs(const json_t *value, const struct place *p, struct err *err)
{
    return each_item(value, p, check_input, err);
}

static int check_counts(const json_t *value, const struct place *p, struct err *err)
{
    return each_member(value, p, check_count, err);
}

static int check_results(const json_t *value, const struct place *p, struct err *err)
{
    return each_member(value, p, check_list, err);
}

int context_check_document(const json_t *doc, struct err *err)
{
    static const struct {
        const char *key;
        check_fn *check;
    } keys[] = {
        {KEY_CONTEXT, check_context},
        {KEY_INPUTS, check_inputs},
        {KEY_ERRORS, check_counts},
        {KEY_RESULTS, check_results},
    };

    if (!json_is_object(doc))
        return err_set(err, ERR_USAGE, "line 1: must be an object");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (check_key(doc, keys[i].key, NULL, keys[i].check, err) < 0)
            return -1;
    return 0;
}
