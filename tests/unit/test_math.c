/* SPDX-License-Identifier: Apache-2.0 */
#include "math/math.h"

#include "base/mem.h"
#include "tap.h"

static enum err_kind check(const char *text)
{
    struct err err = {0};

    return math_check(str_from(text), &err) == 0 ? ERR_NONE : err.kind;
}

/* Just below and just above the ceiling of 400 000 bits. */
static void test_sizes(void)
{
    static const struct {
        const char *text;
        enum err_kind want;
    } rows[] = {
        {"2 ** 399999", ERR_NONE},
        {"2 ** 400001", ERR_LIMIT},
        {"1 << 399999", ERR_NONE},
        {"1 << 400001", ERR_LIMIT},
        {"3 ** 3 ** 9", ERR_NONE},
        {"3 ** 3 ** 12", ERR_LIMIT},
        {"2 ** (10 - 8)", ERR_NONE},
        {"1 ** 10 ** 9", ERR_NONE},
        {"2.0 ** 10 ** 9", ERR_NONE},
        {"2 ** (10 ** 9 / 2)", ERR_NONE},
        {"2 ** int(10 ** 9 / 2)", ERR_LIMIT},
        {"2 ** round(10.0 ** 9)", ERR_LIMIT},
        {"2 ** (10 ** 9 % 7)", ERR_NONE},
        {"2 ** (10 ** 9 // 2)", ERR_LIMIT},
        {"2 ** log2(10 ** 9)", ERR_NONE},
        {"2 ** ceil(log2(10 ** 5))", ERR_NONE},
        {"2 ** max(1, 10 ** 9)", ERR_LIMIT},
        {"2 ** -10 ** 9", ERR_LIMIT},
        {"(2 ** 300000) * (2 ** 300000)", ERR_LIMIT},
        {"2 ** 300000 + 2 ** 300000", ERR_NONE},
        {"factorial(25000)", ERR_NONE},
        {"factorial(30000)", ERR_LIMIT},
        {"comb(10 ** 9, 3)", ERR_NONE},
        {"comb(390000, 10 ** 5)", ERR_NONE},
        {"comb(410000, 10 ** 5)", ERR_LIMIT},
        {"perm(10 ** 9, 3)", ERR_NONE},
        {"perm(10 ** 9)", ERR_LIMIT},
        {"pow(10, 10 ** 9, 7)", ERR_NONE},
        {"pow(10, 10 ** 9)", ERR_LIMIT},
        {"prod([2 ** 200000, 2 ** 300000])", ERR_LIMIT},
        {"sum([2 ** 200000, 2 ** 300000])", ERR_NONE},
        {"0x" /* 100 digits */ "ffffffffffffffffffffffffffffffffffffffffffffffffff"
         "ffffffffffffffffffffffffffffffffffffffffffffffffff ** 900",
         ERR_NONE},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (!OK(check(rows[i].text) == rows[i].want, "%.60s", rows[i].text))
            printf("# %s\n", err_kind_name(check(rows[i].text)));
}

static void test_kinds(void)
{
    EQ_INT(check("1 + 1"), ERR_NONE);
    EQ_INT(check("  1 + 1  "), ERR_NONE);
    EQ_INT(check("1 +"), ERR_USAGE);
    EQ_INT(check(""), ERR_POLICY);
    EQ_INT(check("os.system(1)"), ERR_POLICY);
    EQ_INT(check("math.sqrt(math.sqrt)"), ERR_POLICY);
    EQ_INT(check("math.abs(1)"), ERR_POLICY);
    EQ_INT(check("1\r\n"), ERR_NONE);
    EQ_INT(check("1\r2"), ERR_POLICY);
    EQ_INT(check("\xef\xbb\xbf"
                 "1"),
           ERR_POLICY);
    EQ_INT(math_check((struct str){"1\0+", 3}, &(struct err){0}), -1);
}

static void test_deep(void)
{
    AUTO_FREE char *text = xcalloc(MATH_MAX_TEXT + 1, 1);

    memset(text, '-', MATH_MAX_TEXT - 1);
    text[MATH_MAX_TEXT - 1] = '1';
    OK(check(text) != ERR_NONE, "ten thousand signs are too deep, and nothing worse");
    memset(text, '(', MATH_MAX_TEXT);
    EQ_INT(check(text), ERR_USAGE);
}

int main(void)
{
    RUN(test_sizes());
    RUN(test_kinds());
    RUN(test_deep());
    return tap_done();
}
