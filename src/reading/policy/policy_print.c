/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints a policy as a policy file without a base: it has every difference from the defaults of
 * policy_start, so reading it again gives the same policy.
 */

#include "base/mem.h"
#include "options/conf.h"
#include "policy/features.h"
#include "policy/policy_parts.h"

/* ---- lists ---- */

static bool policy_print_is_plain(const char *s)
{
    bool plain = *s != '\0';

    for (; *s && plain; s++)
        plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
                *s == '_' || *s == '.' || *s == '*';
    return plain;
}

enum { WIDTH = 90 };

struct list {
    struct buf *out;
    size_t line, n; /* where the line began; items so far */
};

static struct list list_begin(struct buf *out, const char *key)
{
    struct list l = {.out = out, .line = out->n};

    (void)buf_addf(out, "%s = [", key);
    return l;
}

static void list_add(struct list *l, const char *item)
{
    bool full = l->n && l->out->n - l->line > WIDTH;

    if (l->n++)
        (void)buf_adds(l->out, full ? ",\n    " : ", ");
    l->line = full ? l->out->n : l->line;
    if (policy_print_is_plain(item))
        (void)buf_adds(l->out, item);
    else
        (void)conf_add_value(l->out, str_from(item));
}

static void list_end(struct list *l)
{
    (void)buf_adds(l->out, "]\n");
}

static void put_set(struct buf *out, const char *key, const struct name_set *set)
{
    struct list l = list_begin(out, key);

    for (size_t i = 0; i < set->n; i++)
        list_add(&l, set->at[i]);
    list_end(&l);
}

/* ---- keys ---- */

static void put_stages(struct buf *out, const struct policy *p)
{
    struct list l;

    /* If the file does not set which stages refuse, a forbid list refuses all the same. */
    if (!p->stages_said && !(p->stages & (1u << GUARD_IMPORTS | 1u << GUARD_PATTERNS)))
        return;
    l = list_begin(out, "stages");
    for (int s = GUARD_INPUT; s <= GUARD_PATTERNS; s++) {
        if (p->stages & 1u << s)
            list_add(&l, guard_stage_name((enum guard_stage)s));
    }
    list_end(&l);
}

static void put_features(struct buf *out, const struct policy *p)
{
    struct list l;

    if (!p->forbidden_features)
        return;
    l = list_begin(out, "forbidden_features");
    for (size_t k = 0; k < feature_count(); k++) {
        if (p->forbidden_features >> k & 1)
            list_add(&l, features[k].name);
    }
    list_end(&l);
}

static void put_words(struct buf *out, const struct policy *p)
{
    put_set(out, "languages", &p->languages);
    if (p->target)
        (void)buf_addf(out, "target = 3.%u\n", p->target);
    if (p->texts != TEXTS_PLAIN)
        (void)buf_addf(out, "texts = %s\n", policy_texts_names[p->texts]);
    put_stages(out, p);
    if (p->together)
        (void)buf_adds(out, "together = true\n");
    (void)buf_addf(out, "refuse_at = %s\n", severity_name(p->refuse_at));
    if (p->score_threshold >= 0)
        (void)buf_addf(out, "score_threshold = %d\n", p->score_threshold);
    if (p->import_paths)
        (void)buf_adds(out, "import_semantics = path\n");
    put_features(out, p);
    (void)buf_addf(out, "max_range = %lld\n", (long long)p->max_range);
}

static void put_tables(struct buf *out, const struct policy *p)
{
    const char *at = (const char *)p;

    for (const struct policy_key *k = policy_keys; k->name; k++) {
        const struct name_set *set =
            k->set ? (const struct name_set *)(const void *)(at + k->set - 1) : NULL;
        bool meant = k->limits && *(const bool *)(at + k->limits - 1);
        if (set && (set->n || meant))
            put_set(out, k->name, set);
        if (k->size)
            (void)buf_addf(out, "%s = %zu\n", k->name,
                           *(const size_t *)(const void *)(at + k->size - 1));
    }
}

/* ---- weights ---- */

static void put_weight(struct buf *out, const struct weight *w, const struct weight *from)
{
    if (w->off != from->off)
        (void)buf_addf(out, "off = %s\n", w->off ? "true" : "false");
    if (w->severity != from->severity)
        (void)buf_addf(out, "severity = %s\n", severity_name(w->severity));
    if (w->points != from->points)
        (void)buf_addf(out, "points = %d\n", w->points);
}

static bool policy_print_same(const struct weight *a, const struct weight *b)
{
    return a->off == b->off && a->severity == b->severity && a->points == b->points;
}

static void put_weights(struct buf *out, const struct policy *p, const struct policy *from)
{
    static const struct weight nothing = {.severity = SEVERITY_HIGH, .points = -1};

    for (size_t i = 0; i < RULE_COUNT; i++) {
        if (policy_print_same(&p->weights[i], &from->weights[i]))
            continue;
        (void)buf_addf(out, "[rule.%s]\n", guard_rule(i)->id);
        put_weight(out, &p->weights[i], &from->weights[i]);
    }
    for (size_t i = 0; i < p->n_paths; i++) {
        (void)buf_addf(out, "[path.%s]\n", p->paths[i].path);
        put_weight(out, &p->paths[i].weight, &nothing);
    }
}

void policy_print(const struct policy *p, struct buf *ret)
{
    struct policy *from = xcalloc(1, sizeof *from);

    policy_start(from);
    put_words(ret, p);
    put_tables(ret, p);
    put_weights(ret, p, from);
    policy_free(from);
}
