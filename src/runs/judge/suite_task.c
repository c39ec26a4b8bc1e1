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

int suite_read_bad(struct err *err, const char *key, const char *what)
{
    return err_set(err, ERR_USAGE, "\"%s\" must be %s", key, what);
}

/* Returns "task_id, prompt and 3 more". A member that is null is none. */
static const char *fields_of(struct arena *arena, const struct value *object)
{
    enum { SHOWN = 10, NAME_MAX = 40 };
    const char *names = NULL;
    size_t n = 0;

    for (size_t i = 0; i < object->n; i++) {
        const struct str name = object->items[2 * i].text;
        const int length = (int)(name.n < NAME_MAX ? name.n : NAME_MAX);
        if (object->items[2 * i + 1].type == VALUE_NONE || n++ >= SHOWN)
            continue;
        names =
            arena_printf(arena, "%s%s%.*s", names ? names : "", names ? ", " : "", length, name.p);
    }
    return n <= SHOWN ? (names ? names : "no fields")
                      : arena_printf(arena, "%s and %zu more", names, n - SHOWN);
}

int suite_read_missing(const struct suite_reader *r, const struct value *object, const char *what)
{
    return err_set(r->err, ERR_USAGE, "%s; the %s has: %s", what,
                   object == r->sample ? "line" : "problem", fields_of(&r->task->arena, object));
}

int suite_read_of_problem(const struct suite_reader *r)
{
    return r->form->problems
               ? err_wrap(r->err, "its problem in %s", suite_problems_path(r->form->problems))
               : -1;
}

const struct value *suite_read_find(const struct value *object, const char *const *keys,
                                    const char **ret_key)
{
    for (; *keys; keys++) {
        const struct value *v = value_get(object, *keys);
        *ret_key = *keys;
        if (v && v->type != VALUE_NONE)
            return v;
    }
    return NULL;
}

int suite_read_text(const struct suite_reader *r, const struct value *object,
                    const char *const *keys, struct str *ret)
{
    const char *key;
    const struct value *v = suite_read_find(object, keys, &key);

    *ret = (struct str){NULL, 0};
    if (!v)
        return 0;
    if (v->type != VALUE_STR)
        return suite_read_bad(r->err, key, "a string");
    *ret = v->text;
    return 0;
}

/* Reads a string as a C string. */
static int read_word(struct suite_reader *r, const struct value *object, const char *const *keys,
                     const char **ret)
{
    struct str text;

    if (suite_read_text(r, object, keys, &text) < 0)
        return -1;
    if (text.p && memchr(text.p, '\0', text.n))
        return suite_read_bad(r->err, keys[0], "a string without NUL");
    *ret = text.n ? arena_str(&r->task->arena, text).p : NULL;
    return 0;
}

static int read_id(struct suite_reader *r)
{
    const char *key, *const *keys = SUITE_KEYS("id", "task_id", "name", "question_id");
    const struct value *v = suite_read_find(r->sample, keys, &key);

    if (v && v->type == VALUE_INT && !v->limbs) {
        r->task->id = arena_printf(&r->task->arena, "%lld", (long long)v->integer);
        return 0;
    }
    if (v && v->type != VALUE_STR)
        return suite_read_bad(r->err, key, "a string or a number");
    if (read_word(r, r->sample, keys, &r->task->id) < 0)
        return -1;
    return r->task->id
               ? 0
               : suite_read_missing(r, r->sample,
                                    "\"task_id\" (or \"id\") is missing, a string or a number");
}

static int read_sample(struct suite_reader *r)
{
    const char *key;
    const struct value *v = suite_read_find(r->sample, SUITE_KEYS("sample"), &key);

    if (!v)
        return 0;
    if (v->type != VALUE_INT || v->limbs || v->integer < 0)
        return suite_read_bad(r->err, key, "a number from 0 on");
    r->task->sample = (size_t)v->integer;
    r->task->given_sample = true;
    return 0;
}

static int read_timeout(struct suite_reader *r)
{
    const char *key;
    const struct value *v = suite_read_find(r->problem, SUITE_KEYS("timeout"), &key);
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
        return suite_read_bad(r->err, key, "seconds, or a string such as \"500ms\"");
    r->task->timeout_ms = (int64_t)ceil(seconds * 1000);
    return 0;
}

struct str suite_read_join(struct arena *arena, struct str a, struct str b)
{
    char *p = arena_alloc(arena, a.n + b.n + 1);

    if (a.n)
        memcpy(p, a.p, a.n);
    if (b.n)
        memcpy(p + a.n, b.p, b.n);
    p[a.n + b.n] = '\0';
    return (struct str){p, a.n + b.n};
}

/* ---- its tests ---- */

static int suite_task_read_lines(struct suite_reader *r, const char *key, const struct value *v,
                                 struct str *ret)
{
    for (size_t i = 0; i < v->n; i++) {
        if (v->items[i].type != VALUE_STR)
            return suite_read_bad(r->err, key, "a list of strings");
        ret[i] = v->items[i].text;
    }
    return 0;
}

static int read_setup(struct suite_reader *r)
{
    struct suite_task *t = r->task;
    const char *key;
    const struct value *v = suite_read_find(r->problem, SUITE_KEYS("test_imports"), &key);

    if (suite_read_text(r, r->problem, SUITE_KEYS("setup", "test_setup_code"), &t->setup) < 0)
        return -1;
    if (!v)
        return 0;
    if (v->type != VALUE_LIST)
        return suite_read_bad(r->err, key, "a list of strings");
    struct str *lines = arena_zalloc(&t->arena, (v->n + 1) * sizeof *lines);
    if (suite_task_read_lines(r, key, v, lines) < 0)
        return -1;
    for (size_t i = v->n; i-- > 0;)
        t->setup =
            suite_read_join(&t->arena, suite_read_join(&t->arena, lines[i], STR("\n")), t->setup);
    return 0;
}

static int refuse_untested(const struct suite_reader *r)
{
    return suite_read_missing(
        r, r->problem,
        r->form->problems
            ? "the tests are missing, as \"test\", \"test_list\" or \"cases\""
            : "the tests are missing, as \"test\", \"test_list\" or \"cases\", or in the file of "
              "--problems");
}

static size_t count_text(struct str text, struct str word)
{
    size_t n = 0;

    for (long at; (at = str_find(text, word)) >= 0; n++)
        text = str_slice(text, (size_t)at + word.n, text.n);
    return n;
}

/* A function check() that the test code does not call itself gets the tested function. */
static int check_entry(const struct suite_reader *r)
{
    const struct suite_task *t = r->task;
    size_t defined = 0, named = 0;

    for (size_t i = 0; i < t->test_count; i++) {
        defined += count_text(t->tests[i], STR("def check("));
        named += count_text(t->tests[i], STR("check("));
    }
    return t->func || !defined || named > defined
               ? 0
               : suite_read_missing(r, r->problem,
                                    "\"entry_point\" is missing, the name of the function that "
                                    "check() of \"test\" gets");
}

static int read_tests(struct suite_reader *r)
{
    struct suite_task *t = r->task;
    const char *key;
    const struct value *v = suite_read_find(r->problem, SUITE_KEYS("test_list", "test"), &key);

    if (!v)
        return refuse_untested(r);
    if (v->type != VALUE_LIST && v->type != VALUE_STR)
        return suite_read_bad(r->err, key, "a string with test code, or a list of such strings");
    if (v->type == VALUE_LIST ? !v->n : !str_trim(v->text).n)
        return suite_read_bad(r->err, key, "test code, and is empty");
    t->test_count = v->type == VALUE_LIST ? v->n : 1;
    if (t->test_count > SUITE_TESTS_MAX)
        return suite_read_bad(r->err, key, "shorter");
    t->tests = arena_zalloc(&t->arena, (t->test_count + 1) * sizeof *t->tests);
    t->is_code = true;
    if (v->type == VALUE_STR)
        t->tests[0] = v->text;
    else if (suite_task_read_lines(r, key, v, t->tests) < 0)
        return -1;
    return check_entry(r);
}

static int suite_task_read_cases(struct suite_reader *r)
{
    struct suite_task *t = r->task;
    const struct value *v = value_get(r->problem, "cases");
    int known;

    if (!v || v->type == VALUE_NONE)
        return (known = suite_known_read(r)) ? (known < 0 ? -1 : 0) : read_tests(r);
    if (v->type != VALUE_LIST)
        return suite_read_bad(r->err, "cases", "a list of cases");
    return case_file_read(str_slice(r->problem_text, v->at, v->end), &t->cases, r->err) < 0
               ? err_wrap(r->err, "\"cases\"")
               : 0;
}

/* ---- the line ---- */

/* Cuts "line 1, " off the message: each task is one line. */
static void shorten(struct err *err)
{
    static const char head[] = "line 1, ";

    if (strncmp(err->msg, head, sizeof head - 1) == 0)
        memmove(err->msg, err->msg + sizeof head - 1, strlen(err->msg + sizeof head - 1) + 1);
}

static int parse_object(struct suite_reader *r, struct str text, struct value *ret)
{
    const struct value_limits limits = {.nodes = CASE_NODES_MAX};

    if (value_read_json(text, &limits, &r->task->arena, ret, r->err) < 0)
        return -1;
    return ret->type == VALUE_OBJECT ? 0
                                     : err_set(r->err, ERR_USAGE, "a task must be a JSON object");
}

/* The sample gives the candidate; all other keys are those of its problem. */
static int join_problem(struct suite_reader *r, struct value *ret)
{
    struct suite_task *t = r->task;

    if (suite_problems_get(r->form->problems, t->id, &t->problem, r->err) < 0)
        return -1;
    r->problem_text = buf_str(&t->problem);
    r->problem = ret;
    return parse_object(r, r->problem_text, ret) < 0 ? suite_read_of_problem(r) : 0;
}

/* What a sample cannot change. */
static int read_problem(struct suite_reader *r)
{
    struct suite_task *t = r->task;

    if (read_timeout(r) < 0 ||
        read_word(r, r->problem, SUITE_KEYS("func", "entry_point"), &t->func) < 0 ||
        read_word(r, r->problem, SUITE_KEYS("language"), &t->language) < 0 || read_setup(r) < 0)
        return -1;
    return 0;
}

/* *problem is the problem's object, if there are problems. */
static int read_object(struct suite_reader *r, struct value *problem)
{
    struct suite_task *t = r->task;

    if (read_id(r) < 0 || read_sample(r) < 0 || (r->form->problems && join_problem(r, problem) < 0))
        return -1;
    if (read_problem(r) < 0)
        return suite_read_of_problem(r);
    if (suite_answer_read(r) < 0)
        return -1;
    if (suite_task_read_cases(r) < 0)
        return suite_read_of_problem(r);
    if (t->is_code && t->language && !language_traits_of(t->language)->has_calls)
        return err_set(r->err, ERR_USAGE, "test code can only test candidates in Python");
    return 0;
}

int suite_task_read(struct str line, const struct suite_form *form, size_t variant,
                    struct suite_task *ret, struct err *err)
{
    struct value object, problem;

    *ret = (struct suite_task){.variants = 1, .variant = variant};
    buf_init(&ret->text, SUITE_LINE_MAX);
    buf_init(&ret->problem, SUITE_LINE_MAX);
    if (buf_add_str(&ret->text, line) < 0)
        return err_set(err, ERR_USAGE, "the line is longer than %d MiB", SUITE_LINE_MAX >> 20);
    struct suite_reader r = {.task = ret, .form = form, .err = err};
    r.sample = r.problem = &object;
    r.problem_text = buf_str(&ret->text);
    if (parse_object(&r, r.problem_text, &object) < 0 || read_object(&r, &problem) < 0) {
        shorten(err);
        return -1;
    }
    return 0;
}

char *suite_id_read(struct str line, struct err *err)
{
    struct suite_task task = {0};
    struct value object;
    struct suite_reader r = {.task = &task, .sample = &object, .err = err};
    char *id = NULL;

    if (parse_object(&r, line, &object) == 0 && read_id(&r) == 0)
        id = xstrdup(task.id);
    else
        shorten(err);
    suite_task_done(&task);
    return id;
}

void suite_task_done(struct suite_task *task)
{
    case_file_done(&task->cases);
    arena_done(&task->arena);
    buf_done(&task->text);
    buf_done(&task->problem);
}
