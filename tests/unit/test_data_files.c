/* SPDX-License-Identifier: Apache-2.0 */
#include "text/data_files.h"

#include <stdlib.h>

#include "base/mem.h"
#include "languages/guests.h"
#include "tap.h"

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

int main(void)
{
    RUN(test_variables());
    RUN(test_explore());
    return tap_done();
}
