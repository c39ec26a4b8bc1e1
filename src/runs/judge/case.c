/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/case.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/suggestion.h"
#include "base/utf8.h"
#include "formats/json_get.h"
#include "judge/parts.h"
#include "values/number.h"
#include "values/value_python.h"

static const double WEIGHT_MAX = 1e100;

struct reader {
    struct case_file *file;
    struct test_case *c;        /* the case that is being read */
    const struct value *object; /* its JSON */
    struct str text;
    struct err *err;
};

static int case_bad(const struct reader *r, const struct value *where, const char *why)
{
    return value_error(r->text, where->at, r->err, "%s", why);
}

static bool is_set(const struct value *v)
{
    return v->type != VALUE_NONE && !(v->type == VALUE_STR && !v->text.n);
}

/* ---- the keys ---- */

static int case_read_string(struct reader *r, const struct value *v, struct str *ret)
{
    if (v->type != VALUE_STR)
        return case_bad(r, v, "here a string in double quotes is expected");
    *ret = v->text;
    return 0;
}

static int read_name(struct reader *r, struct value *v)
{
    struct str name;

    if (!is_set(v))
        return 0;
    if (v->type == VALUE_INT && !v->limbs) {
        r->c->name = arena_printf(&r->file->arena, "%lld", (long long)v->integer);
        return 0;
    }
    if (case_read_string(r, v, &name) < 0)
        return -1;
    r->c->name = arena_str(&r->file->arena, name).p;
    return 0;
}

/* Checks typed JSON, which the guest will read again. */
static int keep_raw(struct reader *r, struct value *v, struct str *ret)
{
    if (v->type != VALUE_NONE)
        *ret = str_slice(r->text, v->at, v->end);
    return value_resolve(v, r->text, true, &r->file->arena, r->err);
}

static int read_args(struct reader *r, struct value *v)
{
    if (keep_raw(r, v, &r->c->args) < 0)
        return -1;
    if (r->c->args.p && v->type != VALUE_LIST && v->type != VALUE_TUPLE)
        return case_bad(r, v, "args must be an array, with one item for each argument");
    if (r->c->args.p)
        r->c->arg_values = *v;
    return 0;
}

static int read_kwargs(struct reader *r, struct value *v)
{
    if (keep_raw(r, v, &r->c->kwargs) < 0)
        return -1;
    if (!r->c->kwargs.p)
        return 0;
    if (v->type != VALUE_DICT)
        return case_bad(r, v, "kwargs must be an object: the arguments by name");
    for (size_t i = 0; i < v->n; i++)
        if (v->items[2 * i].type != VALUE_STR)
            return case_bad(r, &v->items[2 * i], "the name of an argument must be a string");
    r->c->kwarg_values = *v;
    return 0;
}

static int case_read_call(struct reader *r, struct value *v)
{
    if (!is_set(v))
        return 0;
    r->c->call = str_slice(r->text, v->at, v->end);
    return case_read_string(r, v, &r->c->call_text);
}

static int read_expected(struct reader *r, struct value *v)
{
    r->c->has_expected = true;
    if (value_resolve(v, r->text, true, &r->file->arena, r->err) < 0)
        return -1;
    r->c->expected = *v;
    return 0;
}

static int read_expected_python(struct reader *r, struct value *v)
{
    struct str text;
    struct err why;

    if (case_read_string(r, v, &text) < 0)
        return -1;
    if (value_from_python(text, &r->file->arena, &r->c->expected, &why) < 0)
        return case_bad(r, v, why.msg);
    r->c->has_expected = true;
    return 0;
}

static int read_expected_type(struct reader *r, struct value *v)
{
    return is_set(v) ? case_read_string(r, v, &r->c->expected_type) : 0;
}

static int read_expected_exception(struct reader *r, struct value *v)
{
    return is_set(v) ? case_read_string(r, v, &r->c->expected_exception) : 0;
}

static int read_expected_repr(struct reader *r, struct value *v)
{
    return case_read_string(r, v, &r->c->expected_repr);
}

static int read_amount(struct reader *r, const struct value *v, double *ret)
{
    if (!number_to_double(v, ret) || !isfinite(*ret) || *ret < 0)
        return case_bad(r, v, "here a number of 0 or more is expected");
    return 0;
}

/* The limit keeps the sum of all weights finite. */
static int read_weight(struct reader *r, struct value *v)
{
    double *weight = &r->c->weight;

    if (!number_to_double(v, weight) || !isfinite(*weight) || *weight < 0 || *weight > WEIGHT_MAX)
        return case_bad(r, v, "a weight must be a finite number from 0 to 1e100");
    return 0;
}

/* A number is used for both kinds of tolerance. */
static int read_tolerance(struct reader *r, struct value *v)
{
    struct tolerance *t = &r->c->tolerance;

    if (v->type == VALUE_NONE)
        return 0;
    t->on = true;
    if (v->type != VALUE_OBJECT) {
        if (read_amount(r, v, &t->abs) < 0)
            return -1;
        t->rel = t->abs;
        return 0;
    }
    struct value *abs = value_get(v, "abs"), *rel = value_get(v, "rel"), *nan = value_get(v, "nan");
    if (!abs && !rel && !nan)
        return case_bad(
            r, v, "a tolerance must be a number, or an object with \"abs\", \"rel\" or \"nan\"");
    if ((abs && read_amount(r, abs, &t->abs) < 0) || (rel && read_amount(r, rel, &t->rel) < 0))
        return -1;
    if (nan && nan->type != VALUE_BOOL)
        return case_bad(r, nan, "\"nan\" must be true or false: whether nan equals nan");
    t->on = abs || rel;
    t->nan_equal = nan && nan->truth;
    return 0;
}

static int read_tuple_as_list(struct reader *r, struct value *v)
{
    if (v->type != VALUE_BOOL)
        return case_bad(r, v, "\"tuple_as_list\" must be true or false");
    r->c->tuple_as_list = v->truth;
    return 0;
}

static int read_timeout(struct reader *r, struct value *v)
{
    struct err why;
    double seconds;

    if (v->type == VALUE_STR) {
        if (num_duration_ms(v->text, &r->c->timeout_ms, &why) < 0)
            return case_bad(r, v, why.msg);
        return 0;
    }
    if (read_amount(r, v, &seconds) < 0)
        return -1;
    if (seconds > 1e9)
        return case_bad(r, v, "the timeout is too long");
    r->c->timeout_ms = (int64_t)(seconds * 1000 + 0.5);
    if (!r->c->timeout_ms)
        return case_bad(r, v, "the timeout must not be 0");
    return 0;
}

static int read_stdin(struct reader *r, struct value *v)
{
    r->c->is_program = true;
    return case_read_string(r, v, &r->c->in);
}

static int read_expected_stdout(struct reader *r, struct value *v)
{
    r->c->is_program = true;
    return case_read_string(r, v, &r->c->expected_out);
}

static int read_compare(struct reader *r, struct value *v)
{
    struct str name;
    struct err why;

    if (case_read_string(r, v, &name) < 0)
        return -1;
    r->c->compare = output_compare_from(name, &why);
    return r->c->compare ? 0 : case_bad(r, v, why.msg);
}

/* Aliases follow the name that messages use. */
static const struct {
    const char *name;
    int (*read)(struct reader *r, struct value *v);
    const char *same_as;
} keys[] = {
    {"name", read_name, NULL},
    {"args", read_args, NULL},
    {"input_args", read_args, "args"},
    {"kwargs", read_kwargs, NULL},
    {"input_kwargs", read_kwargs, "kwargs"},
    {"call", case_read_call, NULL},
    {"expected", read_expected, NULL},
    {"expected_output", read_expected, "expected"},
    {"expected_python", read_expected_python, "expected"},
    {"expected_type", read_expected_type, NULL},
    {"expected_exception", read_expected_exception, NULL},
    {"expected_repr", read_expected_repr, NULL},
    {"weight", read_weight, NULL},
    {"tolerance", read_tolerance, NULL},
    {"tuple_as_list", read_tuple_as_list, NULL},
    {"timeout", read_timeout, NULL},
    {"stdin", read_stdin, NULL},
    {"expected_stdout", read_expected_stdout, NULL},
    {"compare", read_compare, NULL},
};

/* Unknown keys are allowed, as the user's notes, but a key that looks misspelt is refused. */
static int refuse_slip(struct reader *r, const struct value *key)
{
    struct suggestion near = {.word = key->text};

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        suggestion_try(&near, keys[i].name);
    if (!near.best || key->text.n < 3)
        return 0;
    return value_error(r->text, key->at, r->err, "a case has no \"%.*s\"; did you mean \"%s\"?",
                       (int)(key->text.n < 40 ? key->text.n : 40), key->text.p, near.best);
}

static int read_key(struct reader *r, struct value *key, struct value *v)
{
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (str_is(key->text, keys[i].name)) {
            if (keys[i].same_as && value_get(r->object, keys[i].same_as))
                return value_error(r->text, key->at, r->err,
                                   "\"%s\" and \"%s\" are one key: give it once", keys[i].name,
                                   keys[i].same_as);
            return v->type == VALUE_NONE && keys[i].read != read_expected ? 0 : keys[i].read(r, v);
        }
    return refuse_slip(r, key);
}

/* ---- a case ---- */

/* Arguments of a program are strings, and its expected_output is its standard output. */
static int finish_program(struct reader *r)
{
    struct test_case *c = r->c;
    const struct value *args = value_get(r->object, "args");

    args = args ? args : value_get(r->object, "input_args");
    if (c->call.p || c->kwarg_values.n || c->expected_type.n || c->expected_exception.n ||
        c->expected_repr.p)
        return case_bad(r, r->object, "a case is a call or a whole program, not both");
    if (c->has_expected && !c->expected_out.p && c->expected.type == VALUE_STR)
        c->expected_out = c->expected.text;
    if (!c->expected_out.p)
        return case_bad(r, r->object, "a case with \"stdin\" needs \"expected_stdout\"");
    if (!args)
        return 0;
    c->argv = arena_alloc(&r->file->arena, (args->n + 1) * sizeof *c->argv);
    c->argv[args->n] = NULL;
    for (size_t i = 0; i < args->n; i++) {
        if (args->items[i].type != VALUE_STR ||
            memchr(args->items[i].text.p, 0, args->items[i].text.n))
            return case_bad(r, &args->items[i], "an argument of a program must be a string");
        c->argv[i] = (char *)(uintptr_t)arena_str(&r->file->arena, args->items[i].text).p;
    }
    return 0;
}

/* True if the expected value None counts as absent. */
static bool expects_nothing(const struct reader *r)
{
    const struct test_case *c = r->c;

    if (!c->has_expected || c->expected.type != VALUE_NONE ||
        value_get(r->object, "expected_python"))
        return false;
    return c->expected_type.n || c->expected_exception.n ||
           (value_get(r->object, "expected_output") &&
            (value_get(r->object, "expected_type") || value_get(r->object, "expected_exception")));
}

static int finish_call(struct reader *r)
{
    struct test_case *c = r->c;

    if (expects_nothing(r))
        c->has_expected = false;
    if (c->compare)
        return case_bad(r, r->object, "\"compare\" applies only to the output of whole programs");
    if (!c->call.p)
        return 0;
    if (c->arg_values.n || c->kwarg_values.n)
        return case_bad(r, r->object, "the arguments must be in \"call\", not beside it");
    c->args = c->kwargs = (struct str){NULL, 0};
    if (!c->has_expected && !c->expected_type.n && !c->expected_exception.n && !c->expected_repr.p)
        return case_bad(r, r->object, "a case with \"call\" needs \"expected\"");
    return 0;
}

static int read_case(struct reader *r, struct value *object, size_t number)
{
    static const char nothing[] = "";

    *r->c = (struct test_case){.weight = 1};
    r->object = object;
    if (object->type != VALUE_OBJECT)
        return case_bad(r, object, "here a case is expected: {\"args\": [...], \"expected\": ...}");
    for (size_t i = 0; i < object->n; i++) {
        for (size_t k = 0; k < i; k++)
            if (str_eq(object->items[2 * i].text, object->items[2 * k].text))
                return case_bad(r, &object->items[2 * i], "this key is given twice");
        if (read_key(r, &object->items[2 * i], &object->items[2 * i + 1]) < 0)
            return -1;
        if (i == 100)
            return case_bad(r, object, "a case may have at most 100 keys");
    }
    if (!r->c->name)
        r->c->name = arena_printf(&r->file->arena, "case %zu", number);
    if (r->c->is_program && !r->c->in.p)
        r->c->in.p = nothing;
    return r->c->is_program ? finish_program(r) : finish_call(r);
}

/* ---- all of them ---- */

static int check_weights(const struct reader *r, const struct value *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (r->file->at[i].weight > 0)
            return 0;
    return n ? case_bad(r, &items[0], "all weights are 0: there is nothing to score") : 0;
}

static int read_case_list(struct reader *r, struct value *items, size_t n)
{
    if (n > CASE_MAX)
        return err_set(r->err, ERR_USAGE, "there are more than %d cases", CASE_MAX);
    r->file->at = arena_zalloc(&r->file->arena, (n + 1) * sizeof *r->file->at);
    for (size_t i = 0; i < n; i++) {
        r->c = &r->file->at[i];
        if (read_case(r, &items[i], i + 1) < 0)
            return -1;
    }
    r->file->n = n;
    return check_weights(r, items, n);
}

static int case_read_document(struct reader *r, struct value *v)
{
    struct value *list = value_get(v, "cases"), *func = value_get(v, "func");
    struct str name;

    if (v->type == VALUE_LIST)
        return read_case_list(r, v->items, v->n);
    if (!list)
        return read_case_list(r, v, 1);
    if (list->type != VALUE_LIST)
        return case_bad(r, list, "\"cases\" must be an array of cases");
    if (func && case_read_string(r, func, &name) < 0)
        return -1;
    if (func)
        r->file->func = arena_str(&r->file->arena, name).p;
    return read_case_list(r, list->items, list->n);
}

/* Reads one value, or one value on each line. */
static int read_values(struct reader *r)
{
    const struct value_limits limits = {.nodes = CASE_NODES_MAX};
    size_t at = str_starts(r->text, "\xEF\xBB\xBF") ? 3 : 0, n = 0, room = 0;
    struct value *values = NULL;
    int result = 0;

    while (result == 0 && (at < r->text.n || !n) && n <= CASE_MAX) {
        if (n == room)
            values = mem_grow(values, &room, sizeof *values);
        result = value_read_next(r->text, &at, &limits, &r->file->arena, &values[n++], r->err);
    }
    if (result == 0)
        result = n == 1 ? case_read_document(r, &values[0]) : read_case_list(r, values, n);
    mem_free_ptr(&values);
    return result;
}

int case_file_read(struct str text, struct case_file *ret, struct err *err)
{
    *ret = (struct case_file){0};
    buf_init(&ret->text, CASE_FILE_MAX);
    if (buf_add_str(&ret->text, text) < 0)
        return err_set(err, ERR_USAGE, "the cases are larger than %d MiB", CASE_FILE_MAX >> 20);
    struct reader r = {.file = ret, .text = buf_str(&ret->text), .err = err};
    return read_values(&r);
}

static int read_bytes(const char *path, struct buf *text, struct err *err)
{
    int result = 0;

    if (strcmp(path, "-") != 0)
        result = fd_read_file(path, text, err);
    else if (fd_read_all(0, text) < 0)
        result = err_sys(err, "read standard input");
    if (result < 0 && err->sys == EFBIG)
        err_set(err, ERR_USAGE, "%s: larger than %d MiB", path, CASE_FILE_MAX >> 20);
    if (result < 0)
        err->kind = ERR_USAGE;
    return result;
}

int case_file_load(const char *path, struct case_file *ret, struct err *err)
{
    *ret = (struct case_file){0};
    buf_init(&ret->text, CASE_FILE_MAX);
    if (read_bytes(path, &ret->text, err) < 0)
        return -1;
    struct reader r = {.file = ret, .text = buf_str(&ret->text), .err = err};
    return read_values(&r) < 0
               ? err_wrap(err, "%s", strcmp(path, "-") == 0 ? "standard input" : path)
               : 0;
}

int case_file_from_json(const json_t *cases, struct case_file *ret, struct err *err)
{
    if (json_is_string(cases))
        return case_file_read(json_str(cases), ret, err);
    AUTO_FREE char *text = json_dumps(cases, JSON_COMPACT | JSON_REAL_PRECISION(17));
    return case_file_read(str_from(text), ret, err);
}

void case_file_done(struct case_file *file)
{
    buf_done(&file->text);
    arena_done(&file->arena);
    file->at = NULL;
    file->n = 0;
}

bool case_file_needs_function(const struct case_file *file)
{
    for (size_t i = 0; i < file->n; i++)
        if (!file->at[i].is_program && !file->at[i].call.p)
            return true;
    return false;
}
