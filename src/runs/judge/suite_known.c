/* SPDX-License-Identifier: Apache-2.0
 *
 * Problems in the forms of two benchmarks.
 *
 * EvalPlus (HumanEval+, MBPP+) has inputs, and no expected values: the results of the canonical
 * solution are expected. The inputs become two tests, one with the inputs of the original benchmark
 * and one with the added ones, in which guests/suite_evalplus.py compares both solutions.
 *
 * LiveCodeBench has cases as JSON in strings. They become our cases. Its private cases are usually
 * a pickle of such a string. Of a pickle, only this form is read (formats/pickled_text.h): any
 * other could run code.
 */
#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/pickled_text.h"
#include "judge/suite.h"
#include "languages/guests.h"

enum { KNOWN_MAX = 2 * SUITE_LINE_MAX };

/* ---- EvalPlus ---- */

static void add_quoted(struct buf *b, struct str text)
{
    json_t *value = json_text(text);
    AUTO_FREE char *quoted = json_dumps(value, JSON_ENCODE_ANY);

    json_decref(value);
    (void)buf_adds(b, quoted);
}

/* Appends NAME = "TEXT" for Python, which reads JSON's strings as its own. */
static void add_name(struct buf *b, const char *name, struct str text)
{
    (void)buf_addf(b, "%s = ", name);
    add_quoted(b, text);
    (void)buf_addc(b, '\n');
}

static struct str text_of(const struct suite_reader *r, const struct value *v)
{
    return v ? str_slice(r->problem_text, v->at, v->end) : STR("0");
}

static int add_inputs(struct suite_reader *r, const struct value *inputs, const char *key,
                      struct str reference)
{
    struct suite_task *t = r->task;
    AUTO_BUF struct buf b = {0};

    /* MBPP+ has an empty object where a problem has no inputs. */
    if (!inputs || inputs->type == VALUE_NONE || (inputs->type == VALUE_OBJECT && !inputs->n))
        return 0;
    if (inputs->type != VALUE_LIST)
        return suite_read_bad(r->err, key, "a list of inputs");
    if (!inputs->n)
        return 0;
    buf_init(&b, KNOWN_MAX);
    add_name(&b, "TASK", str_from(t->id));
    add_name(&b, "ENTRY", str_from(t->func));
    add_name(&b, "REFERENCE", reference);
    add_name(&b, "ATOL", text_of(r, value_get(r->problem, "atol")));
    add_name(&b, "INPUTS", text_of(r, inputs));
    (void)buf_adds(&b, guest_suite_evalplus_py);
    if (buf_addf(&b, "\nagree_with_reference(%s)\n", t->func) < 0)
        return suite_read_bad(r->err, key, "shorter");
    t->tests[t->test_count++] = arena_str(&t->arena, buf_str(&b));
    return 0;
}

static int read_evalplus(struct suite_reader *r, const struct value *base, const struct value *plus)
{
    struct suite_task *t = r->task;
    struct str solution;

    if (suite_read_text(r, r->problem, SUITE_KEYS("canonical_solution"), &solution) < 0)
        return -1;
    if (!solution.p || !t->func)
        return err_set(r->err, ERR_USAGE,
                       "inputs need a \"canonical_solution\" and an "
                       "\"entry_point\"");
    struct str reference = suite_read_join(&t->arena, t->prompt, solution);
    t->is_code = true;
    t->tests = arena_zalloc(&t->arena, 2 * sizeof *t->tests);
    if (add_inputs(r, base, "base_input", reference) < 0 ||
        add_inputs(r, plus, "plus_input", reference) < 0)
        return -1;
    return t->test_count ? 1 : err_set(r->err, ERR_USAGE, "the task has no inputs");
}

/* ---- LiveCodeBench ---- */

/* The text that LiveCodeBench's own judge puts before each program. */
#define LCB_IMPORTS                                                                                \
    "from string import *\nfrom re import *\nfrom datetime import *\nfrom collections import *\n"  \
    "from heapq import *\nfrom bisect import *\nfrom copy import *\nfrom math import *\n"          \
    "from random import *\nfrom statistics import *\nfrom itertools import *\n"                    \
    "from functools import *\nfrom operator import *\nfrom io import *\nfrom json import *\n"      \
    "from builtins import *\nfrom typing import *\nimport string, re, datetime, collections\n"     \
    "import heapq, bisect, copy, math, random, statistics, itertools, functools, operator, io\n"   \
    "import sys, json\nsys.setrecursionlimit(50000)\n"

/* A case's input has an argument as JSON on each line. A tuple counts as a list there. */
static void add_call_case(struct buf *b, struct str input, struct str output)
{
    struct str line;
    bool first = true;

    (void)buf_adds(b, "{\"tuple_as_list\": true, \"args\": [");
    while (str_next(&input, '\n', &line)) {
        line = str_trim(line);
        if (line.n && !first)
            (void)buf_addc(b, ',');
        first = first && !line.n;
        (void)buf_add_str(b, line);
    }
    (void)buf_adds(b, "], \"expected\": ");
    (void)buf_add_str(b, output);
    (void)buf_addc(b, '}');
}

static void add_output_case(struct buf *b, struct str input, struct str output)
{
    (void)buf_adds(b, "{\"compare\": \"lines\", \"stdin\": ");
    add_quoted(b, input);
    (void)buf_adds(b, ", \"expected_stdout\": ");
    add_quoted(b, output);
    (void)buf_addc(b, '}');
}

struct lcb {
    struct suite_reader *r;
    struct buf cases;
    size_t n;
    bool calls;
};

static int add_case(struct lcb *lcb, const char *key, const struct value *test)
{
    const struct value *input = value_get(test, "input"), *output = value_get(test, "output");
    const struct value *type = value_get(test, "testtype");

    if (!input || input->type != VALUE_STR || !output || output->type != VALUE_STR)
        return suite_read_bad(lcb->r->err, key, "a list of tests with \"input\" and \"output\"");
    lcb->calls = type && type->type == VALUE_STR && str_is(type->text, "functional");
    (void)buf_adds(&lcb->cases, lcb->n++ ? ",\n" : "[");
    (lcb->calls ? add_call_case : add_output_case)(&lcb->cases, input->text, output->text);
    return 0;
}

/* Sets *ret to the JSON in a string, which may be packed. */
static int unpack_cases(struct suite_reader *r, const char *key, struct str text, struct str *ret)
{
    AUTO_BUF struct buf json = {0};

    *ret = text;
    if (str_starts(str_trim(text), "["))
        return 0;
    buf_init(&json, KNOWN_MAX);
    if (pickled_text_read(text, &json, r->err) < 0)
        return err_wrap(
            r->err,
            "\"%s\" is neither JSON nor JSON in a pickle, and a pickle of another form, "
            "which can run code, is not read ('glovebox help suites')",
            key);
    *ret = arena_str(&r->task->arena, buf_str(&json));
    return 0;
}

/* The list is JSON in a string, or JSON. */
static int add_cases(struct lcb *lcb, const char *key)
{
    const struct value_limits limits = {.nodes = CASE_NODES_MAX};
    struct suite_reader *r = lcb->r;
    const struct value *v = value_get(r->problem, key);
    struct value inner;
    struct str text;

    if (!v || v->type == VALUE_NONE || (v->type == VALUE_STR && !str_trim(v->text).n))
        return 0;
    if (v->type == VALUE_STR) {
        if (unpack_cases(r, key, v->text, &text) < 0)
            return -1;
        if (value_read_json(text, &limits, &r->task->arena, &inner, r->err) < 0)
            return err_wrap(r->err, "\"%s\"", key);
        v = &inner;
    }
    if (v->type != VALUE_LIST)
        return suite_read_bad(r->err, key, "a list of tests");
    for (size_t i = 0; i < v->n; i++) {
        if (v->items[i].type != VALUE_OBJECT)
            return suite_read_bad(r->err, key, "a list of tests with \"input\" and \"output\"");
        if (add_case(lcb, key, &v->items[i]) < 0)
            return -1;
    }
    return 0;
}

/* "f", or "Solution.f" of a candidate that has the class; NULL with *err. */
static const char *function_of(struct suite_reader *r)
{
    const struct value_limits limits = {.nodes = CASE_NODES_MAX};
    struct suite_task *t = r->task;
    const struct value *given = value_get(r->problem, "metadata"), *name;
    struct value inner;

    if (given && given->type == VALUE_STR &&
        value_read_json(given->text, &limits, &t->arena, &inner, r->err) == 0)
        given = &inner;
    name = given && given->type == VALUE_OBJECT ? value_get(given, "func_name") : NULL;
    if (!name || name->type != VALUE_STR) {
        err_set(r->err, ERR_USAGE, "its \"metadata\" has no \"func_name\"");
        return NULL;
    }
    return arena_printf(&t->arena, "%s%.*s",
                        str_find(t->code, STR("class Solution")) >= 0 ? "Solution." : "",
                        (int)(name->text.n < 200 ? name->text.n : 200), name->text.p);
}

static int read_lcb(struct lcb *lcb)
{
    struct suite_task *t = lcb->r->task;

    if (add_cases(lcb, "public_test_cases") < 0 || add_cases(lcb, "private_test_cases") < 0)
        return -1;
    if (!lcb->n)
        return err_set(lcb->r->err, ERR_USAGE, "the task has no tests");
    if (buf_adds(&lcb->cases, "]") < 0)
        return suite_read_bad(lcb->r->err, "public_test_cases", "shorter");
    if (lcb->calls && !(t->func = function_of(lcb->r)))
        return -1;
    *(lcb->calls ? &t->setup : &t->prelude) = STR(LCB_IMPORTS);
    return case_file_read(buf_str(&lcb->cases), &t->cases, lcb->r->err) < 0
               ? err_wrap(lcb->r->err, "its tests")
               : 1;
}

int suite_known_read(struct suite_reader *r)
{
    const struct value *base = value_get(r->problem, "base_input");
    const struct value *plus = value_get(r->problem, "plus_input");

    if (base || plus)
        return read_evalplus(r, base, plus);
    if (!value_get(r->problem, "public_test_cases"))
        return 0;
    struct lcb lcb = {.r = r};
    buf_init(&lcb.cases, KNOWN_MAX);
    int result = read_lcb(&lcb);
    buf_done(&lcb.cases);
    return result;
}
