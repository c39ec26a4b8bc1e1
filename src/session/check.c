/* SPDX-License-Identifier: Apache-2.0 */
#include "session/check.h"
#include "backends/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "explain/feedback_advice.h"
#include "languages/interpreter.h"
#include "languages/preludes.h"
#include "languages/pythons.h"
#include "session/syntax_probe.h"

/* ---- the policy ---- */

typedef int import_fn(struct policy *p, struct str name, struct err *err);

static int apply_names(struct policy *p, char *const *lists, import_fn *apply, const char *option,
                       struct err *err)
{
    for (; lists && *lists; lists++) {
        struct str rest = str_from(*lists), name;
        while (str_next(&rest, ',', &name)) {
            name = str_trim(name);
            if (name.n && apply(p, name, err) < 0)
                return err_wrap(err, "--%s", option);
        }
    }
    return 0;
}

/* NULL: none is named, or there is none of that name. */
static const struct backend *named_backend(const struct run_request *q)
{
    struct err err;

    if (q->own_backend || !q->backend)
        return q->own_backend;
    return backend_find(str_from(q->backend), &err);
}

static bool has_no_wall(const struct run_request *q)
{
    const struct backend *backend = named_backend(q);

    return backend && backend->unsafe;
}

struct policy *check_open_policy(const struct run_request *q, struct err *err)
{
    bool open = has_no_wall(q);
    struct policy *p = policy_open(q->profile ? q->profile : open ? "host" : "standard", err);

    if (!p) {
        err_wrap(err, "--profile");
        err->kind = ERR_USAGE;
        return NULL;
    }
    if (apply_names(p, q->allow_imports, policy_allow_import, "allow-imports", err) < 0 ||
        apply_names(p, q->forbid_imports, policy_forbid_import, "forbid-imports", err) < 0) {
        policy_free(p);
        return NULL;
    }
    if (open || q->only_read)
        policy_only_read(p, open ? "the host backend" : "this daemon (--lock-policy)");
    return p;
}

/* ---- the language ---- */

struct guess {
    const struct policy *policy;
    const struct language *best;
};

static void try_language(void *ctx, const struct language *language)
{
    struct guess *g = ctx;
    bool fits = policy_allows_language(g->policy, str_from(language->name));

    if (fits && (!g->best || policy_reads(str_from(language->name))))
        g->best = language;
}

static int find_python(const struct run_request *q, struct interpreter *ret)
{
    const struct language *python = language_find(q->languages, STR("python"));
    const struct backend *backend = named_backend(q);
    struct err err;

    if (backend && backend->interpreter)
        return backend->interpreter(python, q->python, request_image(q), ret, &err);
    return q->python ? python_find(q->python, ret, &err)
                     : interpreter_find_recent(python, ret, &err);
}

/* The Python version that the guard will assume, before the program is known to be Python. */
static unsigned likely_target(const struct examination *e)
{
    const struct run_request *q = e->request;
    struct interpreter found = {0};

    if (q->target || !e->runs || !e->policy || find_python(q, &found) < 0)
        return q->target;
    unsigned target = check_target_of(interpreter_minor(&found));
    interpreter_done(&found);
    return target;
}

static void aim(struct examination *e, unsigned target)
{
    if (!target && e->policy)
        target = policy_target(e->policy);
    if (!e->text->parsed)
        e->text->options = (struct python_options){.target = target, .top_await = e->cell};
}

/* A text without signs of its language has one that the policy allows: Python with most
 * policies. */
static const struct language *guess(struct examination *e)
{
    const struct run_request *q = e->request;
    struct guess g = {.policy = e->policy};

    aim(e, likely_target(e));
    const struct language *looks = language_guess(q->languages, q->code, e->text);
    if (!e->policy || policy_allows_language(e->policy, str_from(looks->name)))
        return looks;
    language_each(q->languages, try_language, &g);
    return g.best ? g.best : looks;
}

/* --lang python3.12 is --lang python --python 3.12. */
static int examine_python(struct examination *e, struct err *err)
{
    const struct run_request *q = e->request;
    unsigned minor, chosen;

    if (!python_is_version(str_from(q->language), &minor))
        return err_set(err, ERR_USAGE,
                       "language '%s' is not known; 'python3.12' or --python=3.12 choose a version",
                       q->language);
    if (q->python && (!python_is_version(str_from(q->python), &chosen) || chosen != minor))
        return err_set(err, ERR_USAGE, "language '%s' and --python %s name two interpreters",
                       q->language, q->python);
    e->language = language_find(q->languages, STR("python"));
    e->python = q->language;
    if (minor >= PYTHON_OLDEST && minor <= PYTHON_NEWEST)
        e->target = minor;
    return 0;
}

int examine_language(struct examination *e, struct err *err)
{
    const struct run_request *q = e->request;

    if (q->language && strcmp(q->language, "auto") != 0) {
        e->language = language_find(q->languages, str_from(q->language));
        if (!e->language && strncmp(q->language, "python", 6) == 0)
            return examine_python(e, err);
        return e->language ? 0 : language_unknown(q->languages, str_from(q->language), err);
    }
    e->language = language_stated(q->languages, q->file, q->code);
    if (!e->language && q->prelude)
        e->language = prelude_language(q->languages, q->prelude);
    if (!e->language)
        e->language = guess(e);
    return 0;
}

int check_language_allowed(const struct policy *policy, const struct language *language,
                           struct err *err)
{
    if (!policy || policy_allows_language(policy, str_from(language->name)))
        return 0;
    const char *who = policy_wants_read(policy);
    return err_set(err, ERR_POLICY, "language %s is not what profile %s reads%s%s%s",
                   language->name, policy_name(policy), who ? ", and " : "", who ? who : "",
                   who ? " runs only what the guard reads" : "");
}

int check_read_prelude(const struct run_request *q, struct buf *ret, struct err *err)
{
    struct str name = q->prelude_text.p ? q->prelude_text : str_from(q->prelude);

    buf_init(ret, RUN_SOURCE_MAX);
    if (prelude_is_ready(name))
        return prelude_add_ready(name, ret);
    if (q->prelude_text.p) {
        if (buf_add_str(ret, q->prelude_text) == 0)
            return 0;
        return err_set(err, ERR_USAGE, "the prelude is larger than %u MiB", RUN_SOURCE_MAX >> 20);
    }
    if (!q->prelude || fd_read_file(q->prelude, ret, err) == 0)
        return 0;
    if (err->sys == EFBIG)
        err_set(err, ERR_USAGE, "%s: is larger than %u MiB", q->prelude, RUN_SOURCE_MAX >> 20);
    err_wrap(err, "--prelude");
    err->kind = ERR_USAGE;
    return -1;
}

unsigned check_target_of(unsigned minor)
{
    return minor < PYTHON_OLDEST || minor > PYTHON_NEWEST ? 0 : minor;
}

/* ---- a refusal in the result ---- */

/* The first finding that refuses, and the number of those that do. */
static const struct finding *first_reason(const struct verdict *v, size_t *ret_n)
{
    const struct finding *first = NULL;

    *ret_n = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (!v->findings[i].refuses)
            continue;
        first = first ? first : &v->findings[i];
        ++*ret_n;
    }
    return first;
}

/* Cuts "IndentationError" off "IndentationError: unexpected indent"; empty when there is no such
 * word. */
static struct str cut_type(struct str *message)
{
    long colon = str_find(*message, STR(": "));
    struct str type = str_slice(*message, 0, colon > 0 ? (size_t)colon : 0);

    if (!str_ends(type, "Error") || str_find(type, STR(" ")) >= 0)
        return (struct str){"", 0};
    *message = str_slice(*message, type.n + 2, message->n);
    return type;
}

static void add_place(struct buf *b, const char *file, const struct finding *f)
{
    (void)buf_addf(b, "  File \"%s\", line %u\n", f->line ? file : RESULT_PRELUDE,
                   f->line ? f->line : f->prelude_line);
    if (!f->excerpt)
        return;
    (void)buf_addf(b, "    %s\n", f->excerpt);
    if (f->column || f->prelude_line)
        (void)buf_addf(b, "    %*s^\n", (int)(f->excerpt_column ? f->excerpt_column - 1 : 0), "");
}

static void set_place(struct result_exception *e, const struct finding *f)
{
    e->line = f->line ? f->line : f->prelude_line;
    e->column = f->column;
    if (!f->line && f->prelude_line)
        e->file = xstrdup(RESULT_PRELUDE);
}

/* The exception as the interpreter would report it; NULL when no interpreter reports this
 * finding. */
static struct result_exception *syntax_exception(const struct finding *f, const char *file)
{
    struct str message = str_from(f->message), type = cut_type(&message);
    AUTO_BUF struct buf trace = {0};

    if (!type.n)
        return NULL;
    struct result_exception *e = xcalloc(1, sizeof *e);
    buf_init(&trace, 64 << 10);
    if (f->line || f->prelude_line)
        add_place(&trace, file, f);
    (void)buf_addf(&trace, "%.*s: %.*s\n", (int)type.n, type.p, (int)message.n, message.p);
    e->type = xstrndup(type.p, type.n);
    e->message = xstrndup(message.p, message.n);
    set_place(e, f);
    e->traceback = buf_take(&trace);
    e->hint = advice_for_error("python", e->type, e->message);
    if (!e->hint && f->hint)
        e->hint = xstrdup(f->hint);
    return e;
}

static void replace(char **text, const char *with)
{
    if (!with)
        return;
    free(*text);
    *text = xstrdup(with);
}

/* With several findings it is unknown which one the profile's words are about. */
static struct result_exception *refusal_exception(const struct verdict *v, const struct finding *f)
{
    struct result_exception *e = xcalloc(1, sizeof *e);

    e->type = xstrdup("SecurityError");
    e->message = xstrdup(v->reason ? v->reason : "");
    e->traceback = xstrdup("");
    if (f)
        set_place(e, f);
    e->hint = f && f->hint ? xstrdup(f->hint) : NULL;
    return e;
}

/* Uses the profile's own words where it has some. */
static void set_exception(struct result *r, const char *file)
{
    const struct verdict_texts *texts = &r->verdict.texts;
    size_t n;
    const struct finding *f = first_reason(&r->verdict, &n);

    if (f && r->verdict.stage <= GUARD_SYNTAX)
        r->exception = syntax_exception(f, file);
    if (!texts->exception_type && !texts->exception_message)
        return;
    if (texts->about)
        f = &r->verdict.findings[texts->about - 1];
    if (!r->exception)
        r->exception = refusal_exception(&r->verdict, n == 1 || texts->about ? f : NULL);
    replace(&r->exception->type, texts->exception_type);
    replace(&r->exception->message, texts->exception_message);
}

static void describe_refusal(struct result *r, const char *file)
{
    const struct verdict_texts *texts = &r->verdict.texts;

    if (texts->stderr_text)
        capture_add(&r->err, texts->stderr_text, strlen(texts->stderr_text));
    if (texts->has_exit_code)
        r->exit_code = texts->exit_code;
    set_exception(r, file);
}

/* ---- the check ---- */

const char *check_shown_name(const struct run_request *q)
{
    return !q->file ? "<string>" : strcmp(q->file, "-") == 0 ? "<stdin>" : q->file;
}

void examine_init(struct examination *e, const struct run_request *q, const struct policy *policy)
{
    *e = (struct examination){.request = q, .policy = policy, .cancel_fd = -1};
    e->text = q->text ? q->text : &e->own;
}

static unsigned target_of(const struct examination *e)
{
    return e->request->target ? e->request->target : e->target;
}

const struct python_tree *examine_tree(struct examination *e)
{
    aim(e, target_of(e));
    return python_text_parse(e->text, e->request->code) ? &e->text->tree : NULL;
}

/* Without a policy, only the reviewer reads the program. */
static void ask_guard(struct examination *e, struct verdict *ret)
{
    struct guard_input input = {
        .code = e->request->code,
        .prelude = e->prelude,
        .earlier = e->earlier,
        .language = e->language->name,
        .stages = e->stages,
        .target = target_of(e),
        .cell = e->cell,
        .text = e->text,
    };

    *ret = (struct verdict){.allowed = true};
    if (!e->policy)
        return;
    aim(e, target_of(e));
    guard_check(e->policy, &input, ret);
}

/* What runs with it; a text that cannot be read is refused without a policy as well. */
static void judge_beside(const struct examination *e, struct verdict *ret)
{
    const struct guard_input program = {
        .code = e->request->code, .stages = e->stages, .target = target_of(e)};

    if (e->beside)
        beside_judge(e->beside, e->policy, &program, ret);
}

static void ask_reviewer(struct examination *e, struct verdict *ret)
{
    const struct run_request *q = e->request;
    const struct review_question question = {.run = q,
                                             .run_id = e->run_id ? e->run_id : "",
                                             .language = e->language->name,
                                             .code = q->code,
                                             .tools = e->tools,
                                             .beside = e->beside ? e->beside->at : NULL,
                                             .beside_count = e->beside ? e->beside->n : 0,
                                             .cancel_fd = e->cancel_fd};
    struct review_answer answer = {0};

    if (!q->review || !ret->allowed)
        return;
    if (q->reviewer)
        q->reviewer->review(q->reviewer->ctx, &question, &answer);
    const struct guard_review review = {
        .secure = answer.secure,
        .answered = answer.answered,
        .reason = answer.reason ? answer.reason : "no review: no model was named (--model)"};
    guard_reviewed(e->policy, &review, ret);
    e->cancelled = answer.cancelled;
    e->usage = json_incref(answer.usage);
    review_answer_done(&answer);
}

void examine(struct examination *e, struct verdict *ret)
{
    ask_guard(e, ret);
    judge_beside(e, ret);
    ask_reviewer(e, ret);
}

int examine_program(struct examination *e, struct verdict *ret, struct err *err)
{
    if (examine_language(e, err) < 0)
        return -1;
    ask_guard(e, ret);
    bool syntax = !e->stages || e->stages & 1u << GUARD_SYNTAX;
    if (e->asks_tools && syntax && ret->allowed && !policy_reads(str_from(e->language->name)))
        syntax_probe(e->request, e->language, ret);
    ask_reviewer(e, ret);
    return 0;
}

void examine_done(struct examination *e)
{
    python_text_done(&e->own);
    json_decref(e->usage);
    e->usage = NULL;
}

int check_find_language(const struct run_request *q, const struct language **ret, struct err *err)
{
    struct policy *policy = check_open_policy(q, err);
    struct examination e;

    if (!policy)
        return -1;
    examine_init(&e, q, policy);
    int status = examine_language(&e, err);
    if (status == 0)
        *ret = e.language;
    examine_done(&e);
    policy_free(policy);
    return status;
}

/* Adds the other fields of a result that depend on the verdict. */
static void note_verdict(const struct run_request *q, struct result *result)
{
    result->checked = true;
    if (result_refused(result))
        describe_refusal(result, check_shown_name(q));
}

void examine_for(struct examination *e, struct result *result)
{
    examine(e, &result->verdict);
    json_decref(result->usage);
    result->usage = mem_take(&e->usage);
    if (e->cancelled) {
        result->cancelled = true;
        verdict_done(&result->verdict);
        return;
    }
    note_verdict(e->request, result);
}

void session_check(const struct run_request *q, bool asks_tools, int cancel_fd, struct result *ret)
{
    AUTO_BUF struct buf prelude = {0};
    struct policy *policy = check_open_policy(q, &ret->error);
    struct examination e;

    examine_init(&e, q, policy);
    e.asks_tools = asks_tools;
    e.cancel_fd = cancel_fd;
    if (policy && check_read_prelude(q, &prelude, &ret->error) == 0) {
        e.prelude = buf_str(&prelude);
        if (examine_program(&e, &ret->verdict, &ret->error) == 0) {
            ret->language = e.language->name;
            note_verdict(q, ret);
        }
    }
    examine_done(&e);
    policy_free(policy);
}
