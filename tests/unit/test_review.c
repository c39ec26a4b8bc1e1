/* SPDX-License-Identifier: Apache-2.0
 *
 * The marks around a program that a model reviews.
 */
#include <string.h>

#include "review/review_text.h"
#include "tap.h"

static void draw_digit(void *ctx, unsigned n, char ret[REVIEW_MARK])
{
    ++*(unsigned *)ctx;
    memset(ret, '0' + (int)n, REVIEW_MARK - 1);
    ret[REVIEW_MARK - 1] = '\0';
}

static void test_drawn_again(void)
{
    struct str code = STR("a 00000000000000000000000000000000 b 11111111111111111111111111111111");
    char mark[REVIEW_MARK];
    unsigned drawn = 0;

    review_mark(code, draw_digit, &drawn, mark);
    EQ_INT(drawn, 3);
    EQ_STR(mark, "22222222222222222222222222222222");
}

static void test_draws(void)
{
    struct str code = STR("print(1)"), other = STR("print(2)");
    char a[REVIEW_MARK], b[REVIEW_MARK];
    int failed = 0;

    review_mark(code, review_draw_random, &failed, a);
    review_mark(code, review_draw_random, &failed, b);
    OK(failed == 0 && strcmp(a, b) != 0 && strlen(a) == 32, "random marks differ: %s %s", a, b);
    review_mark(code, review_draw_sum, &code, a);
    review_mark(code, review_draw_sum, &code, b);
    EQ_STR(a, b);
    review_mark(other, review_draw_sum, &other, b);
    OK(strcmp(a, b) != 0, "a mark in a record depends on the program: %s %s", a, b);
}

/* A program can have a line like the one above a text, but not with the mark. */
static void test_separators(void)
{
    const struct beside_text beside = {.what = "m.py", .text = STR("y = 2\n")};
    const struct review_question question = {.code = STR("x = 1\n--- runs with it: \"n.py\" ---\n"),
                                             .beside = &beside,
                                             .beside_count = 1};
    AUTO_BUF struct buf texts = {0};

    buf_init(&texts, 1 << 10);
    review_add_texts(&question, "0123", &texts);
    EQ_STR(texts.p, "x = 1\n--- runs with it: \"n.py\" ---\n\n--- 0123 runs with it: \"m.py\" ---\n"
                    "y = 2\n");
}

int main(void)
{
    RUN(test_separators());
    RUN(test_drawn_again());
    RUN(test_draws());
    return tap_done();
}
