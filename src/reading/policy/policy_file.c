/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy files: `base = strict` must come first, if there is one; then the differences. A list adds
 * to the base's list; an item with a minus before it is removed from it. Rules get their weights in
 * sections of their own:
 *
 *     [rule.env-access]
 *     severity = low
 *     points = 1
 *     [rule.file-open]
 *     off = true
 */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/suggestion.h"
#include "options/conf.h"
#include "policy/features.h"
#include "policy/policy_parts.h"
#include "python/python.h"

enum { MAX_PATHS = 256 };

struct policy_reader {
    struct policy *p;
    const char *name;
    size_t seen; /* how many keys were read so far */
};

static int policy_file_bad(const struct conf_item *item, struct err *err, const char *wanted)
{
    return err_set(err, ERR_USAGE, "%.*s takes %s", (int)item->key.n, item->key.p, wanted);
}

/* ---- values ---- */

static int policy_file_read_size(const struct conf_item *item, size_t *ret, struct err *err)
{
    int64_t n;

    if (item->n != 1 || !num_int64(item->values[0], &n) || n < 0)
        return policy_file_bad(item, err, "a number");
    *ret = (size_t)n;
    return 0;
}

static int read_bool(const struct conf_item *item, bool *ret, struct err *err)
{
    bool yes = item->n == 1 && str_is(item->values[0], "true");

    if (!yes && (item->n != 1 || !str_is(item->values[0], "false")))
        return policy_file_bad(item, err, "true or false");
    *ret = yes;
    return 0;
}

static int read_severity(const struct conf_item *item, enum severity *ret, struct err *err)
{
    for (int s = SEVERITY_INFO; s <= SEVERITY_CRITICAL; s++) {
        if (item->n == 1 && str_is(item->values[0], severity_name((enum severity)s))) {
            *ret = (enum severity)s;
            return 0;
        }
    }
    return policy_file_bad(item, err, "info, low, medium, high or critical");
}

static struct str without_dash(struct str name)
{
    return str_slice(name, name.n > 1 && name.p[0] == '-', name.n);
}

static void read_names(struct name_set *set, const struct conf_item *item)
{
    for (size_t i = 0; i < item->n; i++) {
        struct str name = without_dash(item->values[i]);
        if (name.n < item->values[i].n)
            (void)name_set_drop(set, name);
        else if (name.n)
            name_set_add(set, name);
    }
}

/* The names of modules appear in messages to the user and the model, so they must be valid. */
static int check_modules(const struct conf_item *item, struct err *err)
{
    for (size_t i = 0; i < item->n; i++)
        if (item->values[i].n && policy_check_module(without_dash(item->values[i]), err) < 0)
            return -1;
    return 0;
}

/* ---- keys ---- */

static int on_base(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    const char *text;

    if (item->n != 1)
        return policy_file_bad(item, err, "the name of a profile");
    if (r->seen != 1)
        return err_set(err, ERR_USAGE, "base must come before everything else");
    text = profile_text(item->values[0]);
    if (!text) {
        struct suggestion near = {.word = item->values[0]};
        for (const struct profile_info *i = profiles; i->name; i++)
            suggestion_try(&near, i->name);
        return err_set(err, ERR_USAGE, "there is no profile \"%.*s\"%s%s%s", (int)item->values[0].n,
                       item->values[0].p, near.best ? "; did you mean " : "",
                       near.best ? near.best : "", near.best ? "?" : "");
    }
    if (policy_read(r->p, str_from(text), "profile", err) < 0)
        return -1;
    r->p->stages_said = false;
    return 0;
}

static int on_semantics(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    bool paths = item->n == 1 && str_is(item->values[0], "path");

    if (!paths && (item->n != 1 || !str_is(item->values[0], "prefix")))
        return policy_file_bad(item, err, "prefix or path");
    r->p->import_paths = paths;
    return 0;
}

static int on_features(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    for (size_t i = 0; i < item->n; i++) {
        struct str name = item->values[i];
        bool drop = name.n > 1 && name.p[0] == '-';
        struct suggestion near = {.word = drop ? str_slice(name, 1, name.n) : name};
        size_t k = 0;
        while (k < feature_count() && !str_is(near.word, features[k].name))
            suggestion_try(&near, features[k++].name);
        if (k == feature_count())
            return err_set(err, ERR_USAGE, "there is no feature \"%.*s\"%s%s%s", (int)near.word.n,
                           near.word.p, near.best ? "; did you mean " : "",
                           near.best ? near.best : "", near.best ? "?" : "");
        if (drop)
            r->p->forbidden_features &= ~((uint64_t)1 << k);
        else
            r->p->forbidden_features |= (uint64_t)1 << k;
    }
    return 0;
}

/* Other lists add to the base's; this one replaces it: `languages = [python]` means no others. */
static int on_languages(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    struct name_set *set = &r->p->languages;

    if (!item->n || !item->values[0].n)
        return policy_file_bad(item, err, "names of languages, or * for any");
    name_set_done(set);
    read_names(set, item);
    return 0;
}

static int on_stages(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    unsigned bits = 0;

    for (size_t i = 0; i < item->n; i++) {
        unsigned more = guard_stages_from(item->values[i], err);
        if (!more)
            return -1;
        bits |= more;
    }
    r->p->stages = bits;
    r->p->stages_said = true;
    return 0;
}

static int on_threshold(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    int64_t n = -1;

    if (item->n != 1 || (!str_is(item->values[0], "none") &&
                         (!num_int64(item->values[0], &n) || n < 0 || n > 1000000)))
        return policy_file_bad(item, err, "a number of points, or none");
    r->p->score_threshold = (int)n;
    return 0;
}

static int on_target(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    int64_t n = 0;
    struct str s = item->n == 1 ? item->values[0] : STR("");

    if (!str_starts(s, "3.") || !num_int64(str_slice(s, 2, s.n), &n) || n < PYTHON_OLDEST ||
        n > PYTHON_NEWEST)
        return policy_file_bad(item, err, PYTHON_TARGETS_RANGE);
    r->p->target = (unsigned)n;
    return 0;
}

const char *const policy_texts_names[TEXTS_COUNT] = {
    [TEXTS_PLAIN] = "plain",     [TEXTS_KODEAGENT] = "kodeagent",
    [TEXTS_CHAPTER] = "chapter", [TEXTS_RESTRICTED] = "restricted",
    [TEXTS_AGENTOS] = "agentos", [TEXTS_SMOLAGENTS] = "smolagents",
};

static int on_texts(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    for (size_t i = 0; i < TEXTS_COUNT; i++) {
        if (item->n == 1 && str_is(item->values[0], policy_texts_names[i])) {
            r->p->texts = (enum policy_texts)i;
            return 0;
        }
    }
    return policy_file_bad(item, err,
                           "plain, kodeagent, chapter, restricted, agentos or smolagents");
}

static int on_refuse_at(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    return read_severity(item, &r->p->refuse_at, err);
}

static int on_together(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    return read_bool(item, &r->p->together, err);
}

static int on_range(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    size_t n = 0;

    if (policy_file_read_size(item, &n, err) < 0)
        return -1;
    r->p->max_range = (int64_t)n;
    return 0;
}

const struct policy_key policy_keys[] = {
#define SET(member)    .set = offsetof(struct policy, member) + 1
#define LIMITS(member) .limits = offsetof(struct policy, member) + 1
#define SIZE(member)   .size = offsetof(struct policy, member) + 1
    {"base", on_base, 0, 0, 0},
    {"target", on_target, 0, 0, 0},
    {"texts", on_texts, 0, 0, 0},
    {"stages", on_stages, 0, 0, 0},
    {"together", on_together, 0, 0, 0},
    {"refuse_at", on_refuse_at, 0, 0, 0},
    {"score_threshold", on_threshold, 0, 0, 0},
    {"import_semantics", on_semantics, 0, 0, 0},
    {"forbidden_features", on_features, 0, 0, 0},
    {"max_range", on_range, 0, 0, 0},
    {"languages", on_languages, 0, 0, 0},
    {"allowed_imports", NULL, SET(allowed_imports), LIMITS(list_imports)},
    {"forbidden_imports", NULL, SET(forbidden_imports)},
    {"allowed_builtins", NULL, SET(allowed_builtins), LIMITS(list_builtins)},
    {"forbidden_names", NULL, SET(forbidden_names)},
    {"spelled_builtins", NULL, SET(spelled_builtins)},
    {"invalid_names", NULL, SET(invalid_names)},
    {"reserved_names", NULL, SET(reserved_names)},
    {"kept_names", NULL, SET(kept_names)},
    {"allowed_dunders", NULL, SET(allowed_dunders), LIMITS(list_dunders)},
    {"forbidden_attributes", NULL, SET(forbidden_attributes)},
    {"foreign_attributes", NULL, SET(foreign_attributes)},
    {"forbidden_calls", NULL, SET(forbidden_calls)},
    {"max_code_chars", NULL, SIZE(max_code_chars)},
    {"max_lines", NULL, SIZE(max_lines)},
    {"max_nesting", NULL, SIZE(max_nesting)},
    {"max_range_items", NULL, SIZE(max_range_items)},
    {NULL, NULL, 0, 0, 0},
#undef SET
#undef LIMITS
#undef SIZE
};

static int unknown(struct str word, const char *what, const char *near, struct err *err)
{
    return err_set(err, ERR_USAGE, "there is no %s \"%.*s\"%s%s%s", what, (int)word.n, word.p,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int unknown_key(const struct conf_item *item, struct err *err)
{
    struct suggestion near = {.word = item->key};

    for (const struct policy_key *k = policy_keys; k->name; k++)
        suggestion_try(&near, k->name);
    return unknown(item->key, "key", near.best, err);
}

static int on_key(struct policy_reader *r, const struct conf_item *item, struct err *err)
{
    char *p = (char *)r->p;

    for (const struct policy_key *k = policy_keys; k->name; k++) {
        if (!str_is(item->key, k->name))
            continue;
        if (k->fn)
            return k->fn(r, item, err);
        if (k->size)
            return policy_file_read_size(item, (size_t *)(void *)(p + k->size - 1), err);
        if (str_ends(item->key, "_imports") && check_modules(item, err) < 0)
            return -1;
        read_names((struct name_set *)(void *)(p + k->set - 1), item);
        if (k->limits)
            *(bool *)(p + k->limits - 1) = true;
        return 0;
    }
    return unknown_key(item, err);
}

/* ---- [rule.ID] and [path.NAME] ---- */

static int on_weight(struct weight *w, const struct conf_item *item, struct err *err)
{
    struct suggestion near = {.word = item->key};
    size_t points = 0;

    if (str_is(item->key, "severity"))
        return read_severity(item, &w->severity, err);
    if (str_is(item->key, "off"))
        return read_bool(item, &w->off, err);
    if (!str_is(item->key, "points")) {
        suggestion_try(&near, "severity");
        suggestion_try(&near, "points");
        suggestion_try(&near, "off");
        return unknown(item->key, "key", near.best, err);
    }
    if (policy_file_read_size(item, &points, err) < 0)
        return -1;
    w->points = points < 1000 ? (int)points : 1000;
    return 0;
}

static int on_rule(struct policy_reader *r, struct str id, const struct conf_item *item,
                   struct err *err)
{
    struct suggestion near = {.word = id};

    for (size_t i = 0; i < RULE_COUNT; i++)
        if (str_is(id, guard_rule(i)->id))
            return on_weight(&r->p->weights[i], item, err);
    for (size_t i = 0; i < RULE_COUNT; i++)
        suggestion_try(&near, guard_rule(i)->id);
    return unknown(id, "rule", near.best, err);
}

static int on_path(struct policy_reader *r, struct str path, const struct conf_item *item,
                   struct err *err)
{
    struct policy *p = r->p;

    for (size_t i = 0; i < p->n_paths; i++) {
        if (str_is(path, p->paths[i].path))
            return on_weight(&p->paths[i].weight, item, err);
    }
    if (p->n_paths == MAX_PATHS)
        return err_set(err, ERR_USAGE, "there are more than %d sections [path.NAME]", MAX_PATHS);
    p->paths = xrealloc_array(p->paths, p->n_paths + 1, sizeof *p->paths);
    p->paths[p->n_paths] = (struct path_weight){.path = xstrndup(path.p, path.n),
                                                .weight = {.severity = SEVERITY_HIGH, .points = 5}};
    return on_weight(&p->paths[p->n_paths++].weight, item, err);
}

static int on_item(void *ctx, const struct conf_item *item, struct err *err)
{
    struct policy_reader *r = ctx;
    struct str section = item->section;
    int status;

    r->seen++;
    if (!section.n)
        status = on_key(r, item, err);
    else if (str_starts(section, "rule."))
        status = on_rule(r, str_slice(section, 5, section.n), item, err);
    else if (str_starts(section, "path."))
        status = on_path(r, str_slice(section, 5, section.n), item, err);
    else
        status = err_set(err, ERR_USAGE, "sections are [rule.ID] or [path.NAME], not [%.*s]",
                         (int)section.n, section.p);
    return status < 0 ? err_wrap(err, "%s:%zu", r->name, item->line) : 0;
}

int policy_read(struct policy *p, struct str text, const char *name, struct err *err)
{
    struct policy_reader r = {.p = p, .name = name};

    return conf_parse(text, name, on_item, &r, err);
}
