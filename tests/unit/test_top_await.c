/* SPDX-License-Identifier: Apache-2.0
 *
 * A cell may await at its own top level, as Python compiles it with PyCF_ALLOW_TOP_LEVEL_AWAIT.
 */
#include "base/mem.h"
#include "python/python.h"
#include "tap.h"

static const struct {
    const char *text;
    bool top; /* fine when it was asked for; never otherwise, but: */
    bool always;
} cases[] = {
    {"await f()", true, false},
    {"x = [await f(i) for i in range(3)]", true, false},
    {"if 1:\n    for i in x:\n        await i", true, false},
    {"async for i in f():\n    pass", true, false},
    {"async with f() as g:\n    pass", true, false},
    {"x = [i async for i in f()]", true, false},
    {"x = {i: 1 async for i in f()}", true, false},
    {"async def f():\n    await g()", true, true},
    {"x = (i async for i in f())", true, true},
    {"def f():\n    await g()", false, false},
    {"def f():\n    async for i in g():\n        pass", false, false},
    {"def f():\n    async with g():\n        pass", false, false},
    {"def f():\n    return [i async for i in g()]", false, false},
    {"class C:\n    await f()", false, false},
    {"class C:\n    async with f():\n        pass", false, false},
    {"x = lambda: await f()", false, false},
    {"yield 1", false, false},
    {"return 1", false, false},
};

static bool reads(const char *text, unsigned target, bool top)
{
    struct python_options options = {.target = target, .top_await = top};
    struct python_tree tree;

    bool good = python_parse(str_from(text), &options, &tree) == 0 && python_check(&tree) == 0;
    python_tree_done(&tree);
    return good;
}

int main(void)
{
    for (unsigned target = PYTHON_OLDEST; target <= PYTHON_NEWEST; target++)
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
            OK(reads(cases[i].text, target, true) == cases[i].top, "3.%u, case %zu", target, i);
            OK(reads(cases[i].text, target, false) == cases[i].always, "3.%u, program %zu", target,
               i);
        }
    return tap_done();
}
