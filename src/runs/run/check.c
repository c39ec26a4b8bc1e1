/* SPDX-License-Identifier: Apache-2.0 */
#include "run/check.h"

#include <errno.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "languages/preludes.h"
#include "registry/registry.h"
#include "run/check_parts.h"
#include "run/syntax_probe.h"

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

const struct backend *check_backend(const struct run_request *q)
{
    struct err err;

    if (q->place.own_backend || !q->place.backend)
        return q->place.own_backend;
    return backend_find(str_from(q->place.backend), &err);
}

static bool has_no_wall(const struct run_request *q)
{
    const struct backend *backend = check_backend(q);

    return backend && backend->unsafe;
}

struct policy *check_open_policy(const struct run_request *q, struct err *err)
{
    bool open = has_no_wall(q);
    struct policy *p = policy_open(q->policy.profile ? q->policy.profile
                                   : open            ? "host"
                                                     : "standard",
                                   err);

    if (!p) {
        err_wrap(err, "--profile");
        err->kind = ERR_USAGE;
        return NULL;
    }
    if (apply_names(p, q->policy.allow_imports, policy_allow_import, "allow-imports", err) < 0 ||
        apply_names(p, q->policy.forbid_imports, policy_forbid_import, "forbid-imports", err) < 0) {
        policy_free(p);
        return NULL;
    }
    if (open || q->policy.only_read)
        policy_only_read(p, open ? "the host backend" : "this daemon (--lock-policy)");
    return p;
}

int check_read_prelude(const struct run_request *q, struct buf *ret, struct err *err)
{
    struct str name =
        q->program.prelude_text.p ? q->program.prelude_text : str_from(q->program.prelude);

    buf_init(ret, RUN_SOURCE_MAX);
    if (prelude_is_ready(name))
        return prelude_add_ready(name, ret);
    if (q->program.prelude_text.p) {
        if (buf_add_str(ret, q->program.prelude_text) == 0)
            return 0;
        return err_set(err, ERR_USAGE, "the prelude is larger than %u MiB", RUN_SOURCE_MAX >> 20);
    }
    if (!q->program.prelude || fd_read_file(q->program.prelude, ret, err) == 0)
        return 0;
    if (err->sys == EFBIG)
        err_set(err, ERR_USAGE, "%s: is larger than %u MiB", q->program.prelude,
                RUN_SOURCE_MAX >> 20);
    err_wrap(err, "--prelude");
    err->kind = ERR_USAGE;
    return -1;
}

unsigned check_target_of(unsigned minor)
{
    return minor < PYTHON_OLDEST || minor > PYTHON_NEWEST ? 0 : minor;
}

/* ---- the check ---- */

const char *check_shown_name(const struct run_request *q)
{
    return !q->program.file                    ? "<string>"
           : strcmp(q->program.file, "-") == 0 ? "<stdin>"
                                               : q->program.file;
}

void examine_init(struct examination *e, const struct run_request *q, const struct policy *policy)
{
    *e = (struct examination){.request = q, .policy = policy, .cancel_fd = -1};
    e->text = q->program.text ? q->program.text : &e->own;
}

const struct python_tree *examine_tree(struct examination *e)
{
    check_aim(e, check_python_target(e));
    return python_text_parse(e->text, e->request->program.code) ? &e->text->tree : NULL;
}

/* Without a policy, only the reviewer reads the program. */
static void ask_guard(struct examination *e, struct verdict *ret)
{
    AUTO_BUF struct buf given = {0};
    request_given(e->request, &given);
    struct guard_input input = {
        .code = e->request->program.code,
        .prelude = e->prelude,
        .earlier = e->earlier,
        .given = e->given.n ? e->given : buf_str(&given),
        .language = e->language->name,
        .stages = e->stages,
        .target = check_python_target(e),
        .cell = e->cell,
        .text = e->text,
    };

    *ret = (struct verdict){.allowed = true};
    if (!e->policy)
        return;
    check_aim(e, check_python_target(e));
    guard_check(e->policy, &input, ret);
    check_notice_fences(input.code, ret);
}

/* Judges the texts that run with it. Without a policy, a text that cannot be read is refused,
 * too. */
static void judge_beside(const struct examination *e, struct verdict *ret)
{
    const struct guard_input program = {
        .code = e->request->program.code, .stages = e->stages, .target = check_python_target(e)};

    if (e->beside)
        beside_judge(e->beside, e->policy, &program, ret);
}

static void ask_reviewer(struct examination *e, struct verdict *ret)
{
    const struct run_request *q = e->request;
    const struct review_question question = {.run = q,
                                             .run_id = e->run_id ? e->run_id : "",
                                             .language = e->language->name,
                                             .code = q->program.code,
                                             .tools = e->tools,
                                             .beside = e->beside ? e->beside->at : NULL,
                                             .beside_count = e->beside ? e->beside->n : 0,
                                             .cancel_fd = e->cancel_fd};
    struct review_answer answer = {0};

    if (!q->policy.review || !ret->allowed)
        return;
    if (q->policy.reviewer)
        q->policy.reviewer->review(q->policy.reviewer->ctx, &question, &answer);
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

/* Adds the other fields of a result that depend on the verdict. */
static void note_verdict(const struct run_request *q, struct result *result)
{
    result->checked = true;
    if (result_refused(result))
        check_describe_refusal(result, check_shown_name(q));
}

void examine_for(struct examination *e, struct result *result)
{
    result->profile = e->policy ? policy_profile(e->policy) : NULL;
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

void check_program(const struct run_request *q, bool asks_tools, int cancel_fd, struct result *ret)
{
    AUTO_BUF struct buf prelude = {0};
    struct policy *policy = check_open_policy(q, &ret->error);
    struct examination e;

    ret->limits = q->limits;
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
