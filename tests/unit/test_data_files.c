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

static void test_code(void)
{
    AUTO_BUF struct buf code = {0}, want = {0}, notice = {0}, quoted = {0};

    buf_init(&code, 1 << 20);
    buf_init(&want, 1 << 20);
    buf_init(&notice, 100);
    buf_init(&quoted, 100);
    OK(data_explore_code(STR("my data.csv"), &code) == 0, "code to explore a file");
    (void)buf_adds(&want, guest_explore_data_py);
    (void)buf_adds(&want, "\n\nmy_data = read_csv('my data.csv')\nexplore_df(my_data)\n");
    EQ_STR(code.p, want.p);
    (void)data_explore_notice(STR("my data.csv"), &notice);
    EQ_STR(notice.p, "Processing input file: `my data.csv`");
    (void)data_quote((struct str){"'\\\n\0\x7f\xc3\xa9\"", 8}, &quoted);
    EQ_STR(quoted.p, "'\\'\\\\\\x0a\\x00\\x7f\xc3\xa9\"'");
}

static char *dump(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);

    json_decref(value);
    return text;
}

static void test_inline(void)
{
    json_t *contents =
        json_loads("[{\"role\":\"model\",\"parts\":[{\"inline_data\":{\"mime_type\":\"text/"
                   "csv\",\"data\":\"eA==\"}}]},"
                   "{\"role\":\"user\",\"parts\":[{\"text\":\"look\"},"
                   "{\"inline_data\":{\"mime_type\":\"text/csv\",\"data\":\"YSxiCjEsMgo=\"}},"
                   "{\"inlineData\":{\"mimeType\":\"Text/CSV; charset=utf-8\",\"data\":\"\"}},"
                   "{\"inline_data\":{\"mime_type\":\"image/png\",\"data\":\"YQ==\"}}]}]",
                   0, NULL);
    struct err err;
    json_t *files = data_take_inline(contents, &err);

    AUTO_FREE char *text = dump(files);
    EQ_STR(text, "[{\"content\":\"a,b\\n1,2\\n\",\"encoding\":\"utf-8\",\"mime_type\":\"text/csv\","
                 "\"name\":\"data_2_2.csv\",\"size\":8},{\"content\":\"\",\"encoding\":\"utf-8\","
                 "\"mime_type\":\"text/csv\",\"name\":\"data_2_3.csv\",\"size\":0}]");
    AUTO_FREE char *left = dump(contents);
    EQ_STR(left, "[{\"parts\":[{\"inline_data\":{\"data\":\"eA==\",\"mime_type\":\"text/csv\"}}],"
                 "\"role\":\"model\"},{\"parts\":[{\"text\":\"look\"},"
                 "{\"text\":\"\\nAvailable file: `data_2_2.csv`\\n\"},"
                 "{\"text\":\"\\nAvailable file: `data_2_3.csv`\\n\"},"
                 "{\"inline_data\":{\"data\":\"YQ==\",\"mime_type\":\"image/png\"}}],"
                 "\"role\":\"user\"}]");
}

static void test_inline_broken(void)
{
    static const char text[] = "[{\"parts\":[{\"inline_data\":{\"data\":\"YQ==\",\"mime_type\":"
                               "\"text/csv\"}},{\"inline_data\":{\"data\":\"?\",\"mime_type\":"
                               "\"text/csv\"}}],\"role\":\"user\"}]";
    json_t *contents = json_loads(text, 0, NULL);
    struct err err;

    OK(!data_take_inline(contents, &err) && err.kind == ERR_USAGE, "no base64");
    EQ_STR(err.msg, "data_1_2.csv: the content is no base64");
    AUTO_FREE char *left = dump(contents);
    EQ_STR(left, text);
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
    RUN(test_code());
    RUN(test_inline());
    RUN(test_inline_broken());
    RUN(test_json());
    RUN(test_special());
    return tap_done();
}
