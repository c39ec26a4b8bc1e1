/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks in agentos' order: a missing exception, the type, the value. The details are agentos'
 * sentences.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explain/exception.h"
#include "judge/parts.h"

struct claim {
    const struct test_case *c;
    struct case_result *r;
    const struct value *reported; /* the object */
    const struct value *value;
};

static char *repr_of(const struct value *v)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 8 * SHOWN);
    value_repr(v, SHOWN, &b);
    return buf_take(&b);
}

static char *shown_text(struct str text)
{
    struct value v = {.type = VALUE_STR, .text = text};
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 8 * SHOWN);
    value_show(&v, SHOWN, &b);
    return buf_take(&b);
}

static struct str reported_text(const struct value *reported, const char *key)
{
    const struct value *v = value_get(reported, key);

    return v && v->type == VALUE_STR ? v->text : (struct str){NULL, 0};
}

/* ---- exceptions ---- */

static struct str value_verdict_line_of(struct str code, int64_t n)
{
    struct str rest = code, line = {"", 0};

    for (; n > 0 && str_next_line(&rest, &line); n--)
        ;
    line = n ? STR("") : str_trim(line);
    return str_slice(line, 0, line.n < 500 ? line.n : 500);
}

/* Makes a traceback as Python writes it, with only the candidate's own frames. */
static char *traceback(const struct judge_request *q, const struct value *places, const char *type,
                       const char *message, int64_t *ret_line)
{
    AUTO_BUF struct buf b = {0};
    const char *file = q->run.program.file ? q->run.program.file : "main.py";

    buf_init(&b, 64 << 10);
    if (places->n)
        (void)buf_adds(&b, "Traceback (most recent call last):\n");
    for (size_t i = 0; i < places->n; i++) {
        const struct value *place = &places->items[i];
        if (place->type != VALUE_LIST || place->n != 2 || place->items[0].type != VALUE_INT ||
            place->items[0].limbs || place->items[1].type != VALUE_STR)
            continue;
        *ret_line = place->items[0].integer;
        struct str name = place->items[1].text;
        (void)buf_addf(&b, "  File \"%s\", line %lld, in %.*s\n", file, (long long)*ret_line,
                       (int)(name.n < 200 ? name.n : 200), name.p);
        struct str line = value_verdict_line_of(q->run.program.code, *ret_line);
        if (line.n)
            (void)buf_addf(&b, "    %.*s\n", (int)line.n, line.p);
    }
    (void)buf_addf(&b, *message ? "%s: %s\n" : "%s\n", type, message);
    return buf_take(&b);
}

static struct result_exception *read_exception(const struct judge_request *q,
                                               const struct value *raised)
{
    struct result_exception *e = xcalloc(1, sizeof *e);
    struct str type = reported_text(raised, "type"), message = reported_text(raised, "message");
    const struct value none = {.type = VALUE_LIST}, *places = value_get(raised, "places");

    e->type = xstrndup(type.p ? type.p : "Exception", type.p ? type.n : strlen("Exception"));
    e->message = xstrndup(message.p ? message.p : "", message.n);
    e->traceback = traceback(q, places && places->type == VALUE_LIST ? places : &none, e->type,
                             e->message, &e->line);
    struct str line = value_verdict_line_of(q->run.program.code, e->line);
    e->source = line.n ? xstrndup(line.p, line.n) : NULL;
    return e;
}

static void fail_raised(struct case_result *r)
{
    AUTO_FREE char *message = shown_text(str_from(r->exception->message));
    const char *type = r->exception->type;

    if (strcmp(type, "SystemExit") == 0)
        judge_fail(r, CASE_RAISED, "The candidate ended the program (%s%s%s)", type,
                   *message ? ": " : "", message);
    else
        judge_fail(r, CASE_RAISED, "%s: %s", type, message);
}

bool verdict_of_failure(const struct judge_request *q, const struct value *reported,
                        struct case_result *r)
{
    const struct value *raised = value_get(reported, "raised");
    struct str refused = reported_text(reported, "refused");

    if (raised && raised->type == VALUE_OBJECT) {
        result_exception_free(r->exception);
        r->exception = read_exception(q, raised);
        fail_raised(r);
        return true;
    }
    if (!refused.p)
        return false;
    AUTO_FREE char *why = shown_text(refused);
    judge_fail(r, CASE_UNTOLD, "%s", why);
    return true;
}

static void judge_raised(struct claim *k)
{
    struct str wanted = k->c->expected_exception;

    if (!wanted.n || !str_eq(wanted, str_from(k->r->exception->type)))
        return;
    k->r->passed = true;
    k->r->end = CASE_ENDED;
    free(k->r->detail);
    k->r->detail = xasprintf("Expected exception %s raised", k->r->exception->type);
}

/* ---- types ---- */

/* True if the value has one of the types in "list", "int | None" or "(int, float)". */
static bool is_instance(const struct value *types, struct str wanted)
{
    while (wanted.n) {
        size_t from = 0, n;
        while (from < wanted.n && strchr(" |,()", wanted.p[from]))
            from++;
        for (n = from; n < wanted.n && !strchr(" |,()", wanted.p[n]);)
            n++;
        struct str name = str_slice(wanted, from, n);
        wanted = str_slice(wanted, n, wanted.n);
        if (str_is(name, "None"))
            name = STR("NoneType");
        for (size_t i = 0; name.n && i < types->n; i++)
            if (types->items[i].type == VALUE_STR && str_eq(types->items[i].text, name))
                return true;
    }
    return false;
}

static bool judge_type(struct claim *k)
{
    const struct value *types = value_get(k->reported, "types");
    struct str wanted = k->c->expected_type;

    if (!wanted.n || (types && types->type == VALUE_LIST && is_instance(types, wanted)))
        return true;
    AUTO_FREE char *shown = shown_text(wanted);
    judge_fail(k->r, CASE_ENDED, "Type mismatch: got %s, expected %s", value_type_name(k->value),
               shown);
    return false;
}

/* ---- values ---- */

static bool is_sequence(const struct value *v)
{
    return v->type == VALUE_LIST || v->type == VALUE_TUPLE || v->type == VALUE_NDARRAY ||
           v->type == VALUE_DEQUE || v->type == VALUE_RANGE;
}

static const struct {
    const char *class_name, *hint;
} lazy[] = {
    {"generator", "it is a generator, which has no values yet: return list(...) of it"},
    {"map", "map() gives no list: return list(map(...))"},
    {"filter", "filter() gives no list: return list(filter(...))"},
    {"zip", "zip() gives no list: return list(zip(...))"},
    {"reversed", "reversed() gives no list: return list(reversed(...))"},
    {"list_reverseiterator", "reversed() gives no list: return list(reversed(...))"},
    {"dict_keys", "return list(...) of the keys"},
    {"dict_values", "return list(...) of the values"},
    {"dict_items", "return list(...) of the items"},
    {"coroutine", "the function is async, and what it returned has not run"},
};

static const char *hint_for_other(const struct value *got)
{
    for (size_t i = 0; i < ARRAY_LEN(lazy); i++)
        if (strcmp(got->class_name, lazy[i].class_name) == 0)
            return lazy[i].hint;
    return "an object of this type is equal to no value outside; return plain values, or state "
           "expected_repr";
}

/* A hint for values that look the same to people but differ in Python. */
static const char *hint_for(const struct value *expected, const struct value *got)
{
    if (is_sequence(expected) && is_sequence(got) && expected->type != got->type)
        return "a list, a tuple and an array are never equal in Python: return the expected one "
               "(list(...), tuple(...), .tolist())";
    if (expected->type == VALUE_STR && (got->type == VALUE_INT || got->type == VALUE_FLOAT))
        return "a string is expected, not a number";
    if (got->type == VALUE_STR && (expected->type == VALUE_INT || expected->type == VALUE_FLOAT))
        return "a number is expected, not a string";
    if (got->type == VALUE_NONE)
        return "the function returned None: is a return statement missing?";
    if (got->type == VALUE_OTHER)
        return hint_for_other(got);
    if (got->type == VALUE_FLOAT && expected->type == VALUE_FLOAT)
        return "floats that are nearly equal pass where the case has a tolerance";
    return NULL;
}

static void fail_unequal(struct claim *k)
{
    const char *hint = k->c->has_expected ? hint_for(&k->c->expected, k->value) : NULL;

    judge_fail(k->r, CASE_ENDED, "Expected %s, got %s", k->r->expected, k->r->output);
    k->r->hint = hint ? xstrdup(hint) : NULL;
}

/* The profile `chapter` compares the printed value. */
static bool compares_text(const struct judge_request *q, const struct test_case *c)
{
    return c->call.p && c->has_expected && q->run.policy.profile &&
           strcmp(q->run.policy.profile, "chapter") == 0;
}

static bool same_text(const struct claim *k)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 20);
    value_show(&k->c->expected, 65536, &b);
    return str_eq(buf_str(&b), str_trim(reported_text(k->reported, "str")));
}

static void judge_value(const struct judge_request *q, struct claim *k)
{
    const struct test_case *c = k->c;

    k->r->output = repr_of(k->value);
    if (c->expected_exception.n) {
        AUTO_FREE char *shown = shown_text(c->expected_exception);
        judge_fail(k->r, CASE_ENDED, "Expected exception %s but none raised", shown);
    } else if (!judge_type(k)) {
        return;
    } else if (compares_text(q, c)
                   ? !same_text(k)
                   : c->has_expected && !value_equal(k->value, &c->expected, &c->tolerance)) {
        fail_unequal(k);
    } else if (c->expected_repr.p &&
               !str_eq(c->expected_repr, reported_text(k->reported, "repr"))) {
        if (!k->r->expected)
            k->r->expected = shown_text(c->expected_repr);
        judge_fail(k->r, CASE_ENDED, "Expected %s, got %s", k->r->expected, k->r->output);
    } else {
        k->r->passed = true;
        k->r->end = CASE_ENDED;
        k->r->detail = xstrdup("OK");
    }
}

static void set_expected(const struct test_case *c, struct case_result *r)
{
    if (c->has_expected)
        r->expected = repr_of(&c->expected);
    else if (c->expected_repr.p)
        r->expected = shown_text(c->expected_repr);
}

static void judge_reported(const struct judge_request *q, struct claim *k)
{
    struct value *value = value_get(k->reported, "value");
    struct str shown = reported_text(k->reported, "str");

    k->r->shown = shown.p ? shown_text(shown) : NULL;
    k->value = value;
    if (value && value->type == VALUE_TUPLE && k->c->tuple_as_list)
        value->type = VALUE_LIST;
    if (value)
        judge_value(q, k);
    else if (!verdict_of_failure(q, k->reported, k->r))
        judge_fail(k->r, CASE_EXITED, "The candidate's message is not a result");
    else if (k->r->end == CASE_RAISED)
        judge_raised(k);
}

void verdict_of_value(const struct judge_request *q, struct str payload, struct case_result *r)
{
    const struct value_limits limits = {.nodes = PAYLOAD_NODES};
    struct arena arena = {0};
    struct value reported, *value;
    struct err err;

    set_expected(r->test, r);
    struct claim k = {.c = r->test, .r = r, .reported = &reported};
    if (value_read_json(payload, &limits, &arena, &reported, &err) < 0 ||
        reported.type != VALUE_OBJECT ||
        ((value = value_get(&reported, "value")) &&
         value_resolve(value, payload, false, &arena, &err) < 0))
        judge_fail(r, CASE_EXITED, "The candidate's message is not a result");
    else
        judge_reported(q, &k);
    arena_done(&arena);
}
