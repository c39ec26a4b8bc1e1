/* SPDX-License-Identifier: Apache-2.0 */
#include "text/data_files.h"

#include <stdlib.h>

#include "base/mem.h"
#include "guests/guests.h"
#include "tap.h"
#include "text/json_check.h"

static void test_variables(void)
{
    static const struct {
        const char *name, *want;
    } rows[] = {
        {"data.csv", "data"},
        {"data_1_2.csv", "data_1_2"},
        {"2023 sales.csv", "_2023_sales"},
        {"a-b.c d.csv", "a_b_c_d"},
        {"dir/x.csv", "x"},
        {"1.csv", "_1"},
        {".csv", "_csv"},
        {"", "_"},
        {"caf\xc3\xa9.csv", "caf_"},
        {"noext", "noext"},
        {"x.tar.csv", "x_tar"},
        {"';import os#.csv", "__import_os_"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF struct buf b = {0};
        buf_init(&b, 100);
        data_variable(str_from(rows[i].name), &b);
        EQ_STR(b.p, rows[i].want);
    }
}

/* Names are the user's: they become Python literals, whatever is in them. */
static void test_explore(void)
{
    struct data_table table = {{"'\\\n\0\x7f\xc3\xa9\".csv", 12}, true};
    AUTO_BUF struct buf code = {0};

    buf_init(&code, 1 << 20);
    EQ_INT(data_explore_all(&table, 1, &code), 0);
    OK(str_starts(buf_str(&code), guest_explore_data_py), "our helper comes first");
    OK(strstr(code.p, "read_csv('\\'\\\\\\x0a\\x00\\x7f\xc3\xa9\".csv')"), "its name as a literal");
    OK(strstr(code.p, "    print('Processing input file: `\\'"), "announced");
    OK(strstr(code.p, "    explore_df(program["), "and looked at");
}

static void test_json(void)
{
    static const struct {
        const char *text, *want; /* NULL: good */
    } rows[] = {
        {"1", NULL},
        {" [1, -0, 0.5, 1e5, 1E-5, {}] \n", NULL},
        {"{\"a\": {\"b\": []}, \"\": \"\\\"\\u00e9\\ud800\\/\"}", NULL},
        {"true", NULL},
        {"", "line 1, column 1: a value is missing"},
        {"[1,]", "line 1, column 4: no value"},
        {"{\"a\":1,}", "line 1, column 8: a text in \"\" is missing"},
        {"[1\n 2]", "line 2, column 2: a ',' or ']' is missing"},
        {"{\"a\":1]", "line 1, column 7: a ',' or '}' is missing"},
        {"\"\\u12\"", "line 1, column 6: a text holds an escape that there is not"},
        {"\"abc", "line 1, column 5: a text has no end"},
        {"\xc3\xa9", "line 1, column 1: no value"},
        {"[\"\xc3\xa9\", x]", "line 1, column 7: no value"},
        {"-", "line 1, column 2: no number"},
        {"tru", "line 1, column 1: no value"},
        {"1 1", "line 1, column 3: more text after the value"},
        {"[}", "line 1, column 2: no value"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct json_facts facts;
        struct err err = {.msg = "(none)"};
        int result = json_check(str_from(rows[i].text), &facts, &err);
        if (rows[i].want)
            EQ_STR(err.msg, rows[i].want);
        else
            OK(result == 0 && !facts.has_special, "good JSON, row %zu", i);
    }
}

static void test_special(void)
{
    static const char *const rows[] = {"NaN", "[-Infinity]", "{\"a\": Infinity}"};
    struct json_facts facts;
    struct err err;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        OK(json_check(str_from(rows[i]), &facts, &err) == 0 && facts.has_special, "%s", rows[i]);
}

int main(void)
{
    RUN(test_variables());
    RUN(test_explore());
    RUN(test_json());
    RUN(test_special());
    return tap_done();
}
