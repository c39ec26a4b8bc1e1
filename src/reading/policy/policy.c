/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/policy_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "options/conf.h"

/* ---- weights ---- */

const struct weight *policy_weight(const struct policy *p, enum rule rule, struct str path)
{
    for (size_t i = 0; i < p->n_paths; i++) {
        if (str_is(path, p->paths[i].path) && !p->weights[rule].off)
            return &p->paths[i].weight;
    }
    return &p->weights[rule];
}

/* ---- opening ---- */

void policy_start(struct policy *p)
{
    for (size_t i = 0; i < RULE_COUNT; i++) {
        const struct rule_info *r = guard_rule(i);
        p->weights[i] = (struct weight){.severity = r->severity, .points = r->points};
    }
    p->stages = 1u << GUARD_INPUT | 1u << GUARD_SYNTAX;
    p->refuse_at = SEVERITY_HIGH;
    p->score_threshold = -1;
    name_set_add(&p->languages, STR("*"));
    p->max_range = 100000000;
    p->max_code_chars = 16 << 20; /* a program that can be run has at most this many bytes */
}

static int apply(struct policy *p, const char *name, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    const char *built_in = profile_text(str_from(name));

    if (built_in)
        return policy_read(p, str_from(built_in), name, err);
    if (policy_is_text(name))
        return policy_read(p, str_from(name), "the policy", err);
    if (!strchr(name, '/') && !strchr(name, '.')) {
        struct suggestion near = {.word = str_from(name)};
        for (const struct profile_info *i = profiles; i->name; i++)
            suggestion_try(&near, i->name);
        return err_set(err, ERR_USAGE, "there is no profile \"%s\"%s%s%s", name,
                       near.best ? "; did you mean " : "", near.best ? near.best : "",
                       near.best ? "?" : "; a policy file's name has a / or . in it");
    }
    buf_init(&text, CONF_MAX_BYTES);
    if (fd_read_file(name, &text, err) < 0)
        return -1;
    return policy_read(p, buf_str(&text), name, err);
}

bool policy_is_text(const char *name)
{
    return strchr(name, '\n');
}

struct policy *policy_open(const char *name, struct err *err)
{
    struct policy *p = xcalloc(1, sizeof *p);

    p->name = xstrdup(policy_is_text(name) ? "the policy" : name);
    policy_start(p);
    if (apply(p, name, err) < 0) {
        policy_free(p);
        return NULL;
    }
    return p;
}

void policy_free(struct policy *p)
{
    if (!p)
        return;
    struct name_set *const sets[] = {
        &p->allowed_imports,      &p->forbidden_imports, &p->allowed_builtins, &p->forbidden_names,
        &p->invalid_names,        &p->reserved_names,    &p->kept_names,       &p->allowed_dunders,
        &p->forbidden_attributes, &p->forbidden_calls,   &p->spelled_builtins, &p->languages,
        &p->foreign_attributes};
    for (size_t i = 0; i < ARRAY_LEN(sets); i++)
        name_set_done(sets[i]);
    for (size_t i = 0; i < p->n_paths; i++)
        free(p->paths[i].path);
    free(p->paths);
    free(p->name);
    free(p);
}

const char *policy_profile(const struct policy *p)
{
    for (const struct profile_info *i = profiles; i->name; i++)
        if (strcmp(i->name, p->name) == 0)
            return i->name;
    return NULL;
}

bool policy_reads(struct str language)
{
    return str_is(language, "python");
}

unsigned policy_target(const struct policy *p)
{
    return p->target;
}

bool policy_allows_language(const struct policy *p, struct str name)
{
    if (p->only_read && !policy_reads(name))
        return false;
    return name_set_has(&p->languages, STR("*")) || name_set_has(&p->languages, name);
}

void policy_only_read(struct policy *p, const char *why)
{
    p->only_read = why;
}

const char *policy_wants_read(const struct policy *p)
{
    return p->only_read;
}

bool policy_reads_tools(const struct policy *p)
{
    return p->texts == TEXTS_KODEAGENT;
}

const char *policy_name(const struct policy *p)
{
    return p->name;
}
