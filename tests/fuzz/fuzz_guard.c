/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a program, with the profile that its first byte picks: a verdict comes out whose
 * parts fit together, twice the same.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "guard/guard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_BYTES = 4096, PROFILES = 9 };

static struct policy *policy_number(unsigned i)
{
    static struct policy *open[PROFILES];
    struct err err = {0};

    if (!open[i])
        open[i] = policy_open(profiles[i].name, &err);
    assert(open[i]);
    return open[i];
}

static void look_at(const struct verdict *v)
{
    assert(v->reason && v->stage <= GUARD_PATTERNS);
    for (size_t i = 0; i < v->n; i++) {
        const struct finding *f = &v->findings[i];
        assert(guard_rule_find(str_from(f->rule)) && f->message[0] && f->excerpt);
        assert(f->line <= f->end_line && (f->line == 0) == (f->column == 0));
        assert(i == 0 || v->findings[i - 1].line <= f->line);
        assert(f->excerpt_column <= utf8_count(str_from(f->excerpt)) + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct python_text text = {0};
    struct guard_input input = {.language = "python", .text = &text};
    struct verdict first, second;

    if (n < 2 || n > MAX_BYTES)
        return 0;
    const struct policy *p = policy_number(data[0] % PROFILES);
    input.code = (struct str){(const char *)data + 1, n - 1};
    if (data[0] & 0x80)
        input.prelude = (struct str){"import re\nx = eval\n", 19};
    guard_check(p, &input, &first);
    look_at(&first);
    guard_check(p, &input, &second);
    assert(first.allowed == second.allowed && first.risk == second.risk && first.n == second.n);
    assert(strcmp(first.reason, second.reason) == 0);
    verdict_done(&first);
    verdict_done(&second);
    python_text_done(&text);
    return 0;
}
