/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a line of a suite, in any of the common forms.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "judge/suite.h"
#include "languages/language.h"

struct reader {
    struct suite_task *task;
    struct value *object;
    struct err *err;
};

static int bad(struct err *err, const char *key, const char *what)
{
    return err_set(err, ERR_USAGE, "\"%s\" must be %s", key, what);
}

/* The first of the keys that is there and not null. */
static const struct value *find(const struct reader *r, const char *const *keys,
                                const char **ret_key)
{
    for (; *keys; keys++) {
        const struct value *v = value_get(r->object, *keys);
        *ret_key = *keys;
        if (v && v->type != VALUE_NONE)
            return v;
    }
    return NULL;
}

static int read_text(struct reader *r, const char *const *keys, struct str *ret)
{
    const char *key;
    const struct value *v = find(r, keys, &key);

    *ret = (struct str){NULL, 0};
    if (!v)
        return 0;
    if (v->type != VALUE_STR)
        return bad(r->err, key, "a text");
    *ret = v->text;
    return 0;
}

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A text that becomes a C string. */
static int read_word(struct reader *r, const char *const *keys, const char **ret)
{
    struct str text;

    if (read_text(r, keys, &text) < 0)
        return -1;
    if (text.p && memchr(text.p, '\0', text.n))
        return bad(r->err, keys[0], "a text without NUL");
    *ret = text.n ? arena_str(&r->task->arena, text).p : NULL;
    return 0;
}

static int read_id(struct reader *r)
{
    const char *key, *const *keys = KEYS("id", "task_id", "name");
    const struct value *v = find(r, keys, &key);

    if (v && v->type == VALUE_INT && !v->limbs) {
        r->task->id = arena_printf(&r->task->arena, "%lld", (long long)v->integer);
        return 0;
    }
    if (read_word(r, keys, &r->task->id) < 0)
        return -1;
    return r->task->id ? 0 : err_set(r->err, ERR_USAGE, "the task has no \"id\" nor \"task_id\"");
}

static int read_sample(struct reader *r)
{
    const char *key;
    const struct value *v = find(r, KEYS("sample"), &key);

    if (!v)
        return 0;
    if (v->type != VALUE_INT || v->limbs || v->integer < 0)
        return bad(r->err, key, "a number from 0 on");
    r->task->sample = (size_t)v->integer;
    r->task->given_sample = true;
    return 0;
}

static int read_timeout(struct reader *r)
{
    const char *key;
    const struct value *v = find(r, KEYS("timeout"), &key);
    double seconds = 0;

    if (!v)
        return 0;
    if (v->type == VALUE_STR)
        return num_duration_ms(v->text, &r->task->timeout_ms, r->err) < 0
                   ? err_wrap(r->err, "\"timeout\"")
                   : 0;
    if (v->type == VALUE_FLOAT)
        seconds = v->real;
    else if (v->type == VALUE_INT && !v->limbs)
        seconds = (double)v->integer;
    if (!(seconds > 0 && seconds < 1e6))
        return bad(r->err, key, "seconds, or a text such as \"500ms\"");
    r->task->timeout_ms = (int64_t)ceil(seconds * 1000);
    return 0;
}

static struct str join(struct arena *arena, struct str a, struct str b)
{
    char *p = arena_alloc(arena, a.n + b.n + 1);

    if (a.n)
        memcpy(p, a.p, a.n);
    if (b.n)
        memcpy(p + a.n, b.p, b.n);
    p[a.n + b.n] = '\0';
    return (struct str){p, a.n + b.n};
}

/* The candidate: whole, or what a model made of a prompt. */
static int read_code(struct reader *r, bool reference)
{
    struct suite_task *t = r->task;
    struct str code, completion, solution;

    if (read_text(r, KEYS("prompt"), &t->prompt) < 0 || read_text(r, KEYS("code"), &code) < 0 ||
        read_text(r, KEYS("completion"), &completion) < 0 ||
        read_text(r, KEYS("canonical_solution"), &solution) < 0)
        return -1;
    if (reference && solution.p)
        t->code = join(&t->arena, t->prompt, solution);
    else if (code.p)
        t->code = code;
    else if (completion.p)
        t->code = join(&t->arena, t->prompt, completion);
    else
        return err_set(r->err, ERR_USAGE,
                       "the task has no candidate: \"code\", or \"prompt\" and \"completion\"%s",
                       solution.p ? "; --reference takes its canonical_solution" : "");
    return 0;
}

/* ---- what it is tested with ---- */

static int read_lines(struct reader *r, const char *key, const struct value *v, struct str *ret)
{
    for (size_t i = 0; i < v->n; i++) {
        if (v->items[i].type != VALUE_STR)
            return bad(r->err, key, "a list of texts");
        ret[i] = v->items[i].text;
    }
    return 0;
}

static int read_setup(struct reader *r)
{
    struct suite_task *t = r->task;
    const char *key;
    const struct value *v = find(r, KEYS("test_imports"), &key);

    if (read_text(r, KEYS("setup", "test_setup_code"), &t->setup) < 0)
        return -1;
    if (!v)
        return 0;
    if (v->type != VALUE_LIST)
        return bad(r->err, key, "a list of texts");
    struct str *lines = arena_zalloc(&t->arena, (v->n + 1) * sizeof *lines);
    if (read_lines(r, key, v, lines) < 0)
        return -1;
    for (size_t i = v->n; i-- > 0;)
        t->setup = join(&t->arena, join(&t->arena, lines[i], STR("\n")), t->setup);
    return 0;
}

static int read_tests(struct reader *r)
{
    struct suite_task *t = r->task;
    const char *key;
    const struct value *v = find(r, KEYS("test_list", "test"), &key);

    if (!v)
        return err_set(r->err, ERR_USAGE,
                       "the task has no tests: \"cases\", \"test\" or \"test_list\"");
    if (v->type != VALUE_LIST && v->type != VALUE_STR)
        return bad(r->err, key, "test code");
    t->test_count = v->type == VALUE_LIST ? v->n : 1;
    if (t->test_count > SUITE_TESTS_MAX)
        return bad(r->err, key, "shorter");
    t->tests = arena_zalloc(&t->arena, (t->test_count + 1) * sizeof *t->tests);
    t->is_code = true;
    if (v->type == VALUE_LIST)
        return read_lines(r, key, v, t->tests);
    t->tests[0] = v->text;
    return 0;
}

static int read_cases(struct reader *r)
{
    struct suite_task *t = r->task;
    const struct value *v = value_get(r->object, "cases");

    if (!v || v->type == VALUE_NONE)
        return read_tests(r);
    if (v->type != VALUE_LIST)
        return bad(r->err, "cases", "a list of cases");
    return case_file_read(str_slice(buf_str(&t->text), v->at, v->end), &t->cases, r->err) < 0
               ? err_wrap(r->err, "\"cases\"")
               : 0;
}

/* ---- the line ---- */

/* A place's line is always the first. */
static void shorten(struct err *err)
{
    static const char head[] = "line 1, ";

    if (strncmp(err->msg, head, sizeof head - 1) == 0)
        memmove(err->msg, err->msg + sizeof head - 1, strlen(err->msg + sizeof head - 1) + 1);
}

static int read_object(struct reader *r, bool reference)
{
    struct suite_task *t = r->task;

    if (r->object->type != VALUE_OBJECT)
        return err_set(r->err, ERR_USAGE, "a task is a JSON object");
    if (read_id(r) < 0 || read_sample(r) < 0 || read_timeout(r) < 0 ||
        read_word(r, KEYS("func", "entry_point"), &t->func) < 0 ||
        read_word(r, KEYS("language"), &t->language) < 0 || read_code(r, reference) < 0 ||
        read_setup(r) < 0 || read_cases(r) < 0)
        return -1;
    if (t->is_code && t->language && !language_traits_of(t->language)->has_calls)
        return err_set(r->err, ERR_USAGE, "test code is for candidates in Python");
    return 0;
}

int suite_task_read(struct str line, bool reference, struct suite_task *ret, struct err *err)
{
    const struct value_limits limits = {.nodes = CASE_NODES_MAX};
    struct value object;

    *ret = (struct suite_task){0};
    buf_init(&ret->text, SUITE_LINE_MAX);
    if (buf_add_str(&ret->text, line) < 0)
        return err_set(err, ERR_USAGE, "longer than %d MiB", SUITE_LINE_MAX >> 20);
    struct reader r = {.task = ret, .object = &object, .err = err};
    if (value_read_json(buf_str(&ret->text), &limits, &ret->arena, &object, err) < 0 ||
        read_object(&r, reference) < 0) {
        shorten(err);
        return -1;
    }
    return 0;
}

void suite_task_done(struct suite_task *task)
{
    case_file_done(&task->cases);
    arena_done(&task->arena);
    buf_done(&task->text);
}
