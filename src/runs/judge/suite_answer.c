/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the candidate of a sample: a whole program, the completion of a prompt, or a reply of a
 * model that has one of these between fences.
 */
#include <string.h>

#include "base/mem.h"
#include "judge/suite.h"
#include "languages/language.h"
#include "python/python.h"
#include "text/blocks.h"
#include "text/whole_program.h"

/* ---- code in a reply ---- */

static bool defines(struct str code, const char *func)
{
    const char *dot = strrchr(func, '.');
    AUTO_FREE char *head = xasprintf("def %s(", dot ? dot + 1 : func);

    return str_find(code, str_from(head)) >= 0;
}

/* The last block that defines the tested function, because models correct themselves; if none does,
 * the last block. */
static struct str choose_block(const struct code_blocks *blocks, const char *func)
{
    size_t i = blocks->n;

    while (func && i > 0 && !defines(blocks->at[i - 1].code, func))
        i--;
    return blocks->at[i && func ? i - 1 : blocks->n - 1].code;
}

/* The body of a function is code, and no program by itself. */
static bool is_indented(struct str text)
{
    while (str_starts(text, "\r") || str_starts(text, "\n"))
        text = str_slice(text, 1, text.n);
    return str_starts(text, " ") || str_starts(text, "\t");
}

static struct str extract(struct suite_task *t, struct str reply)
{
    struct code_blocks blocks;
    struct str code = {NULL, 0};

    blocks_read(reply, &blocks);
    blocks_keep_code(&blocks);
    if (blocks.n)
        code = arena_str(&t->arena, choose_block(&blocks, t->func));
    else if (whole_python(reply) || is_indented(reply))
        code = reply;
    blocks_done(&blocks);
    return code;
}

/* ---- a prompt and its completion ---- */

static bool parses(struct str code)
{
    struct python_tree tree;
    bool good = python_parse(code, &(struct python_options){0}, &tree) == 0;

    python_tree_done(&tree);
    return good;
}

/* Many models repeat the whole function instead of completing it, and some prompts are English. */
static struct str complete(struct suite_task *t, struct str code)
{
    struct str joined = suite_read_join(&t->arena, t->prompt, code);

    if (!t->prompt.n || (t->language && strcmp(t->language, "python") != 0) || parses(joined))
        return joined;
    struct str apart =
        suite_read_join(&t->arena, suite_read_join(&t->arena, t->prompt, STR("\n")), code);
    return parses(apart) ? apart : parses(code) ? code : joined;
}

/* ---- the keys ---- */

/* A list has the code of several samples. */
static int read_code_list(struct suite_reader *r, const struct value *list, const char *key,
                          struct str *ret)
{
    struct suite_task *t = r->task;

    if (list->type != VALUE_LIST)
        return suite_read_bad(r->err, key, "a list of strings");
    t->variants = list->n ? list->n : 1;
    if (t->variant >= list->n)
        return 0;
    const struct value *v = &list->items[t->variant];
    if (v->type != VALUE_STR && v->type != VALUE_NONE)
        return suite_read_bad(r->err, key, "a list of strings");
    *ret = v->type == VALUE_STR ? v->text : STR("");
    return 0;
}

/* True if one of the keys is there, if only as null. */
static bool has_key(const struct value *object, const char *const *keys)
{
    for (; *keys; keys++)
        if (value_get(object, *keys))
            return true;
    return false;
}

static int read_reference(struct suite_reader *r, bool *ret_found)
{
    struct suite_task *t = r->task;
    struct str solution;

    *ret_found = false;
    if (!r->form->reference)
        return 0;
    if (suite_read_text(r, r->problem, SUITE_KEYS("canonical_solution", "code"), &solution) < 0)
        return -1;
    *ret_found = solution.p != NULL;
    if (solution.p)
        t->code = value_get(r->problem, "canonical_solution") ? complete(t, solution) : solution;
    return 0;
}

static const char *const test_keys[] = {"test",       "test_list",         "cases", "base_input",
                                        "plus_input", "public_test_cases", NULL};

static int refuse_missing(const struct suite_reader *r)
{
    const char *missing = "the candidate is missing, as \"completion\", \"code\" or "
                          "\"solution\"";

    if (value_get(r->problem, "canonical_solution") && !r->form->problems)
        return suite_read_missing(
            r, r->sample,
            arena_printf(&r->task->arena,
                         "%s; --reference takes its canonical_solution, and --problems names this "
                         "file if the samples are in another one",
                         missing));
    return suite_read_missing(r, r->sample, missing);
}

/* A body without its head is no program. */
static int check_prompt(const struct suite_reader *r, struct str completion)
{
    const struct suite_task *t = r->task;

    if (t->prompt.p || !is_indented(completion) ||
        (t->language && strcmp(t->language, "python") != 0))
        return 0;
    suite_read_missing(r, r->problem,
                       r->form->problems
                           ? "\"prompt\" is missing, which the indented completion continues"
                           : "\"prompt\" is missing, which the indented completion continues; or "
                             "name the file that has it with --problems");
    return suite_read_of_problem(r);
}

bool suite_line_is_problem(struct str line)
{
    const struct value_limits limits = {.nodes = CASE_NODES_MAX};
    static const char *const candidate_keys[] = {"completion", "code",        "solution",
                                                 "code_list",  "output_list", NULL};
    struct arena arena = {0};
    struct value object;
    const char *key;

    bool is_problem = value_read_json(line, &limits, &arena, &object, &(struct err){0}) == 0 &&
                      object.type == VALUE_OBJECT && suite_read_find(&object, test_keys, &key) &&
                      !has_key(&object, candidate_keys);
    arena_done(&arena);
    return is_problem;
}

static int read_sample_code(struct suite_reader *r)
{
    static const char *const whole[] = {"code", "solution", NULL};
    static const char *const lists[] = {"code_list", "output_list", NULL};
    struct suite_task *t = r->task;
    struct str code = {NULL, 0}, completion = {NULL, 0};
    const char *key;
    /* LiveCodeBench's files have the replies, too. */
    const struct value *list = suite_read_find(
        r->sample, r->form->extract ? SUITE_KEYS("output_list", "code_list") : lists, &key);

    if (suite_read_text(r, r->sample, whole, &code) < 0 ||
        suite_read_text(r, r->sample, SUITE_KEYS("completion"), &completion) < 0 ||
        (!code.p && !completion.p && list && read_code_list(r, list, key, &code) < 0))
        return -1;
    if (!code.p && !completion.p && !list && !has_key(r->sample, whole) &&
        !has_key(r->sample, SUITE_KEYS("completion")))
        return refuse_missing(r);
    struct str given = code.p ? code : completion;
    struct str program = r->form->extract && given.n ? extract(t, given) : given;
    if (!code.p && program.p && check_prompt(r, program) < 0)
        return -1;
    t->code = code.p || !program.p ? program : complete(t, program);
    if (r->form->extract && !str_trim(program).n)
        t->code = (struct str){NULL, 0};
    if (!str_trim(t->code).n)
        t->none =
            given.n && r->form->extract ? "the reply has no code" : "the sample has no program";
    return 0;
}

int suite_answer_read(struct suite_reader *r)
{
    bool found;

    if (suite_read_text(r, r->problem, SUITE_KEYS("prompt", "complete_prompt"), &r->task->prompt) <
            0 ||
        read_reference(r, &found) < 0)
        return suite_read_of_problem(r);
    return found ? 0 : read_sample_code(r);
}
