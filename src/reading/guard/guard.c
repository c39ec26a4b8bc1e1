/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/guard.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "guard/check.h"

/* ---- the stages ---- */

static bool refuses(const struct check *c, enum guard_stage stage)
{
    const struct policy *p = c->policy;
    bool score = p->score_threshold >= 0 && c->stages[stage].points > p->score_threshold;

    /* An explicit forbid list refuses by itself, unless the same file sets which stages refuse. */
    if (c->stages[stage].listed && !p->stages_said)
        return true;
    return (p->stages & 1u << stage) && (c->stages[stage].refuses || score);
}

static struct str language_of(const struct check *c)
{
    return str_from(c->in->language ? c->in->language : "python");
}

/* A program in a language that the policy does not allow is refused, even if the policy has turned
 * this stage off: no other stage can replace reading the program. */
static bool is_foreign(struct check *c)
{
    const struct policy *p = c->policy;
    struct str name = language_of(c);

    if (policy_allows_language(p, name))
        return false;
    if (p->only_read && !policy_reads(name))
        found_at(c, RULE_LANGUAGE_NOT_READ, NULL, name,
                 "language %s is not allowed by profile %s, and %s runs only what the guard reads",
                 name.p, policy_name(p), p->only_read);
    else
        found_at(c, RULE_LANGUAGE_NOT_READ, NULL, name, "language %s is not allowed by profile %s",
                 name.p, policy_name(p));
    return true;
}

/* Checks the syntax. True if no further stage can run: there is no tree, or the syntax refuses.
 * Bytes that are not text belong to the first stage, but only the parser finds them. */
static bool unreadable(struct check *c, struct verdict *v)
{
    check_syntax(c);
    v->stage = GUARD_SYNTAX;
    if (c->stages[GUARD_INPUT].refuses && !c->has_program) {
        v->stage = GUARD_INPUT;
        return true;
    }
    return !c->has_program || refuses(c, GUARD_SYNTAX);
}

static void run_stages(struct check *c, unsigned wanted, struct verdict *v)
{
    v->stage = GUARD_INPUT;
    if (is_foreign(c)) {
        v->allowed = false;
        return;
    }
    if (wanted & 1u << GUARD_INPUT) {
        check_input(c);
        v->allowed = !refuses(c, GUARD_INPUT);
    }
    if (!v->allowed || !policy_reads(language_of(c)) || wanted == 1u << GUARD_INPUT)
        return;
    if (unreadable(c, v)) {
        v->allowed = false;
        return;
    }
    if (wanted & 1u << GUARD_IMPORTS) {
        v->stage = GUARD_IMPORTS;
        check_imports(c);
        v->allowed = !refuses(c, GUARD_IMPORTS);
    }
    if (!(wanted & 1u << GUARD_PATTERNS) || (!v->allowed && !c->policy->together))
        return;
    check_patterns(c);
    if (v->allowed) {
        v->stage = GUARD_PATTERNS;
        v->allowed = !refuses(c, GUARD_PATTERNS);
    }
}

void guard_check(const struct policy *policy, const struct guard_input *input, struct verdict *ret)
{
    struct check c = {.policy = policy, .in = input, .text = &c.own};

    *ret = (struct verdict){.allowed = true};
    run_stages(&c, input->stages ? input->stages : GUARD_ALL_STAGES, ret);
    findings_finish(&c, ret);
    texts_fill(&c, ret);
    if (ret->allowed && input->cell && c.has_program)
        remember(&c, ret);
    if (c.has_program) {
        resolver_done(&c.resolver);
        program_done(&c.program);
    }
    python_text_done(&c.own);
    arena_done(&c.arena);
    free(c.notes);
}

void verdict_done(struct verdict *v)
{
    for (size_t i = 0; i < v->n; i++)
        finding_done(&v->findings[i]);
    free(v->findings);
    free(v->reason);
    free(v->texts.stderr_text);
    free(v->texts.exception_type);
    free(v->texts.exception_message);
    buf_done(&v->ended);
    buf_done(&v->failed);
    *v = (struct verdict){0};
}
