/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "tap.h"
#include "text/final_answer.h"

static const struct {
    const char *code, *fixed; /* NULL: stays */
} cases[] = {
    /* smolagents' own six */
    {"final_answer = 3.21\nfinal_answer(final_answer)",
     "final_answer_variable = 3.21\nfinal_answer(final_answer_variable)"},
    {"x = final_answer(5)\nfinal_answer = x + 1\nfinal_answer(final_answer)",
     "x = final_answer(5)\nfinal_answer_variable = x + 1\nfinal_answer(final_answer_variable)"},
    {"def func():\n    final_answer = 42\n    return final_answer(final_answer)",
     "def func():\n    final_answer_variable = 42\n    return final_answer(final_answer_variable)"},
    {"final_answer(5)  # no change", NULL},
    {"obj.final_answer = 5  # no change", NULL},
    {"final_answer=3.21;final_answer(final_answer)",
     "final_answer_variable=3.21;final_answer(final_answer_variable)"},
    /* what a regular expression takes for an assignment or a use */
    {"final_answer(x) if final_answer == 1 else 0", NULL},
    {"final_answer(answer=1)\nf(final_answer=2)", NULL},
    {"# final_answer = 1\nfinal_answer(1)", NULL},
    {"s = 'final_answer = 1'\nfinal_answer(s)", NULL},
    {"final_answer = 1\nfinal_answer(final_answer)\nprint('final_answer', f(final_answer=1))",
     "final_answer_variable = 1\nfinal_answer(final_answer_variable)\n"
     "print('final_answer', f(final_answer=1))"},
    {"my_final_answer = 1\nfinal_answer(my_final_answer)", NULL},
    {"final_answer = 1\nprint(final_answer)", NULL},
    {"final_answer = 1\nobj.final_answer(final_answer)", NULL},
    /* other ways to bind and to use */
    {"for final_answer in a:\n  final_answer(f'{final_answer}')",
     "for final_answer_variable in a:\n  final_answer(f'{final_answer_variable}')"},
    {"final_answer = 1\nfinal_answer += 1\r\nfinal_answer (final_answer)",
     "final_answer_variable = 1\nfinal_answer_variable += 1\r\nfinal_answer "
     "(final_answer_variable)"},
    {"if (final_answer := f()):\n\tfinal_answer(final_answer)",
     "if (final_answer_variable := f()):\n\tfinal_answer(final_answer_variable)"},
    {"\xef\xbb\xbf"
     "final_answer = 'é'; final_answer(final_answer)",
     "\xef\xbb\xbf"
     "final_answer_variable = 'é'; final_answer(final_answer_variable)"},
    {"def f(final_answer):\n    return final_answer\nfinal_answer = f(1)\nfinal_answer(2)",
     "def f(final_answer):\n    return final_answer\nfinal_answer_variable = "
     "f(1)\nfinal_answer(2)"},
    /* no place to rename, or no Python */
    {"global final_answer\nfinal_answer = 1\nfinal_answer(2)", NULL},
    {"import x as final_answer\nfinal_answer = 1\nfinal_answer(2)", NULL},
    {"final_answer = 1\nfinal_answer(final_answer", NULL},
    {"", NULL},
};

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO_BUF struct buf got = {0};
        buf_init(&got, 1 << 16);
        bool changed = final_answer_fix(str_from(cases[i].code), &got);
        EQ_STR(got.p, cases[i].fixed ? cases[i].fixed : cases[i].code);
        EQ_INT(changed, cases[i].fixed != NULL);
    }
    return tap_done();
}
