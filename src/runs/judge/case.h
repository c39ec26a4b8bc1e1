/* SPDX-License-Identifier: Apache-2.0
 *
 * Case files: a candidate's arguments or input, and the expected results. The text is a JSON array
 * of cases, an object with "cases" (and perhaps "func"), or one case a line.
 *
 *     {"name": "two", "args": [1, 2], "kwargs": {}, "expected": 3}     a call of a function
 *     {"call": "add(1, 2)", "expected": 3}                            an expression
 *     {"stdin": "1 2\n", "expected_stdout": "3\n"}                    a whole program
 *
 * Expectations of a call: expected (null is one), expected_type, expected_exception, expected_repr;
 * with none of them it only has to return. Further: weight, tolerance, timeout. A key whose value
 * is null, or an empty name, type or exception, is as if it were not there: so cases may be written
 * out with their default values. For the same reason, `expected_output: null` beside expected_type
 * or expected_exception does not require None.
 */
#ifndef JUDGE_CASE_H
#define JUDGE_CASE_H

#include <jansson.h>

#include "values/compare.h"
#include "values/value.h"

enum output_compare {
    COMPARE_DEFAULT, /* as the request says, or else exactly */
    COMPARE_EXACT,   /* except for line ends at the end of the output */
    COMPARE_TOKENS,  /* words, separated by white space */
    COMPARE_FLOATS,  /* words, where numbers may differ a little */
    COMPARE_LINES,   /* lines without the white space around them, and 1.0 equals 1 */
};

struct test_case {
    const char *name; /* "case 3" when it has none */
    size_t line;

    /* For a call: JSON as it is in the file; .p is NULL if it is absent. */
    struct str args, kwargs, call;
    struct value arg_values, kwarg_values; /* n is 0 if there are none */
    struct str call_text;
    bool has_expected;
    struct value expected;
    struct str expected_type, expected_exception; /* empty: none */
    struct str expected_repr;                     /* .p is NULL: none */

    /* For a whole program. */
    bool is_program;
    struct str in, expected_out;
    char **argv; /* NULL-terminated, or NULL */
    enum output_compare compare;

    double weight; /* finite and not negative; at least one case has a weight above 0 */
    struct tolerance tolerance;
    bool tuple_as_list; /* a returned tuple counts as a list */
    int64_t timeout_ms; /* 0: as the request says */
};

struct case_file {
    struct buf text;
    struct arena arena;
    struct test_case *at;
    size_t n;
    const char *func; /* given in the file; or NULL */
};

enum { CASE_FILE_MAX = 256 << 20, CASE_MAX = 1000000, CASE_NODES_MAX = 8000000 };

/* Reads the file, "-" for standard input. -1 with ERR_USAGE and "FILE: line 3, column 1: why". End
 * with case_file_done, also after -1. */
int case_file_load(const char *path, struct case_file *ret, struct err *err);
/* Reads cases from a string, which is copied. */
int case_file_read(struct str text, struct case_file *ret, struct err *err);
/* Reads a client's JSON: the cases, or a string with their JSON text (in which numbers keep their
 * digits). */
int case_file_from_json(const json_t *cases, struct case_file *ret, struct err *err);
void case_file_done(struct case_file *file);
/* True if some case calls a function with arguments, and so needs the function's name. */
bool case_file_needs_function(const struct case_file *file);

#endif
