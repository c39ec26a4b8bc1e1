/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a request, a JSON object, by the rows of its verb.
 */
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "languages/code_variables.h"
#include "request/setting.h"

const struct setting *ask_next(const struct ask_form *form, struct ask_walk *walk)
{
    while (form->verb && walk->shared < SETTING_COUNT) {
        const struct setting *row = &settings_all[walk->shared++];
        if (verb_takes_field(form->verb, row))
            return row;
    }
    const struct setting *own = form->own ? &form->own[walk->own] : NULL;
    walk->own += own && own->field;
    return own && own->field ? own : NULL;
}

static const struct setting *find_field(const struct ask_form *form, const char *name)
{
    struct ask_walk walk = {0};
    const struct setting *row;

    while ((row = ask_next(form, &walk)) && strcmp(row->field, name) != 0)
        ;
    return row;
}

/* ---- fields that do not exist ---- */

static const struct {
    const char *word, *meant;
} other_names[] = {
#define OTHER_OPTION(word, option) {word, option},
#define OTHER_FIELD(word, field)   {word, field},
#include "request/other_names.def"
};

/* The form's field for another program's word, or NULL. `cost`: how near it must be. */
static const char *other_name(const struct ask_form *form, const char *name, unsigned cost)
{
    struct suggestion near = {.word = str_from(name)};
    struct ask_walk walk = {0};
    const struct setting *row;
    const char *meant = NULL;
    size_t i = 0;

    for (; i < ARRAY_LEN(other_names) && !(near.best && near.cost <= cost); i++)
        suggestion_try(&near, other_names[i].word);
    if (near.best && near.cost <= cost)
        meant = other_names[i - 1].meant;
    while (meant && (row = ask_next(form, &walk)))
        if (strcmp(row->field, meant) == 0 || (row->opt.name && strcmp(row->opt.name, meant) == 0))
            return row->field;
    return NULL;
}

/* Appends the names of a short form: "; there are code, language". */
static void add_field_names(const struct ask_form *form, struct buf *b)
{
    struct ask_walk walk = {0};
    const struct setting *row;

    while ((row = ask_next(form, &walk)))
        (void)buf_addf(b, "%s%s", b->n ? ", " : "; there are ", row->field);
}

static int refuse_unknown(const struct ask_form *form, const char *name, const char *manual,
                          struct err *err)
{
    struct suggestion near = {.word = str_from(name), .best = other_name(form, name, 0)};
    struct ask_walk walk = {0};
    const struct setting *row;
    AUTO_BUF struct buf names = {0};

    while ((row = ask_next(form, &walk)))
        suggestion_try(&near, row->field);
    if (!near.best)
        near.best = other_name(form, name, 1);
    if (near.best)
        return err_set(err, ERR_USAGE, "there is no field '%.60s'; did you mean '%s'?", name,
                       near.best);
    buf_init(&names, 500);
    if (!manual)
        add_field_names(form, &names);
    return err_set(err, ERR_USAGE, "there is no field '%.60s'%s%s%s%.*s", name, manual ? "; " : "",
                   manual ? manual : "", manual ? " lists them" : "",
                   names.overflow ? 0 : (int)names.n, names.p);
}

bool setting_holds_text(const struct setting *row)
{
    return row->shape != SHAPE_OF_KIND || row->opt.kind == OPT_STRING || row->opt.kind == OPT_LIST;
}

/* ---- permissions of this daemon ---- */

static int check_variables(const struct setting *row, json_t *value, const char *why,
                           struct err *err)
{
    const char *name;
    json_t *item;

    json_object_foreach(value, name, item)
    {
        if (code_variable(str_from(name)))
            return err_set(
                err, ERR_POLICY,
                "'%s': clients of this daemon may not set %.60s, because it would choose "
                "code that nothing checks (%s)",
                row->field, name, why);
    }
    return 0;
}

/* Refuses a field that would let code of a client run unread, if the operator has excluded that. */
static int check_code(const struct setting *row, json_t *value, const struct request_rules *rules,
                      struct err *err)
{
    const char *why = rules->lock_policy ? "--lock-policy" : "--review";
    bool chosen = row->code == CODE_POLICY || row->code == CODE_UNJUDGED;

    if (!rules->lock_policy && !rules->reviews)
        return 0;
    if (row->code == CODE_VARIABLES)
        return check_variables(row, value, why, err);
    if (row->code != CODE_UNREADABLE && !(chosen && rules->lock_policy))
        return 0;
    return err_set(err, ERR_POLICY, "'%s': clients of this daemon may not set it (%s)", row->field,
                   why);
}

static int check_permitted(const struct setting *row, json_t *value,
                           const struct request_rules *rules, struct err *err)
{
    char what[80];

    snprintf(what, sizeof what, "'%s'", row->field);
    if (row->permit && permit_check(rules, row->permit, what, err) < 0)
        return -1;
    return check_code(row, value, rules, err);
}

static int ask_check_required(const struct ask_form *form, json_t *object, struct err *err)
{
    struct ask_walk walk = {0};
    const struct setting *row;

    while ((row = ask_next(form, &walk)))
        if (row->required && (!form->verb || row->required & form->verb) &&
            (!json_object_get(object, row->field) ||
             json_is_null(json_object_get(object, row->field))))
            return err_set(err, ERR_USAGE, "'%s' is missing", row->field);
    return 0;
}

/* ---- the object ---- */

void ask_begin(struct settings *ask, const struct request_rules *rules, struct setting_lent *lent)
{
    *ask = *rules->defaults;
    ask->lent = lent;
}

/* ---- settings that exclude each other, as the rows of their options say ---- */

static bool is_named(const char *names, const char *name)
{
    struct str rest = str_from(names), one;

    while (names && name && str_next(&rest, ',', &one))
        if (str_is(str_trim(one), name))
            return true;
    return false;
}

static bool contradict(const struct setting *a, const struct setting *b)
{
    return b->field &&
           (is_named(a->opt.excludes, b->opt.name) || is_named(b->opt.excludes, a->opt.name));
}

static void forget(struct settings *ask, const struct setting *row)
{
    void *at = (char *)ask + row->opt.offset;

    if (row->opt.kind == OPT_STRING)
        *(char **)at = NULL;
    else if (row->opt.kind == OPT_LIST) /* the defaults own the items */
        *(struct opt_list *)at = (struct opt_list){0};
}

/* Refuses two settings of the request that exclude each other, as the command line does. One of the
 * request replaces one of the daemon's. */
static int settle(struct settings *ask, const struct setting *row, struct err *err)
{
    for (const struct setting *other = settings_all; other < settings_all + SETTING_COUNT;
         other++) {
        if (!contradict(row, other))
            continue;
        if (settings_requested(ask, other->of))
            return err_set(err, ERR_USAGE, "--%s: cannot be given together with --%s",
                           row->opt.name, other->opt.name);
        forget(ask, other);
    }
    return 0;
}

static int settle_all(struct settings *ask, struct err *err)
{
    for (const struct setting *row = settings_all; row < settings_all + SETTING_COUNT; row++)
        if (row->field && settings_requested(ask, row->of) && settle(ask, row, err) < 0)
            return -1;
    return 0;
}

int ask_read(const struct ask_form *form, json_t *object, const struct request_rules *rules,
             void *ret, struct err *err)
{
    const char *name;
    json_t *value;

    if (!json_is_object(object))
        return err_set(err, ERR_USAGE, "a request must be a JSON object");
    json_object_foreach(object, name, value)
    {
        const struct setting *row = find_field(form, name);
        if (!row)
            return refuse_unknown(form, name, rules->manual, err);
        if (json_is_null(value) && row->shape != SHAPE_ANY)
            continue;
        if (check_permitted(row, value, rules, err) < 0 || setting_read(row, value, ret, err) < 0)
            return -1;
    }
    if (form->verb && settle_all(ret, err) < 0)
        return -1;
    return ask_check_required(form, object, err);
}

/* ---- combinations of settings ---- */

/* `id` requires `other`, or, if `excludes`, cannot be combined with it. */
struct ask_rule {
    unsigned verbs;
    enum setting_id id, other;
    bool excludes;
    const char *sentence;
};

#define ALONE        "is for one conversation; --samples has several"
#define NOTHING_RUNS "without them nothing is run"

static const struct ask_rule rules[] = {
    {V_EXEC, SETTING_attempt_keep, SETTING_attempt, false, "--keep requires --try"},
    {V_EXEC, SETTING_attempt_drop, SETTING_attempt, false, "--drop requires --try"},
    {V_EXEC, SETTING_attempt_keep, SETTING_attempt_drop, true,
     "--keep and --drop contradict each other"},
    {V_TASKS, SETTING_func, SETTING_cases, false, "--func is the function that --cases calls"},
    {V_GENERATE, SETTING_samples, SETTING_cases, false,
     "--samples needs --cases, which decide what is a success"},
    {V_GENERATE, SETTING_review, SETTING_cases, false,
     "--review needs --cases: without them nothing is run, and 'glovebox review' reads a program "
     "that is not run"},
    {V_GENERATE, SETTING_files, SETTING_cases, false, "'files' needs --cases: " NOTHING_RUNS},
    {V_GENERATE, SETTING_data, SETTING_cases, false, "--data needs --cases: " NOTHING_RUNS},
    {V_FIX, SETTING_input, SETTING_cases, true, "--stdin has no effect with --cases"},
    {V_SOLVE, SETTING_samples, SETTING_answer_check, false,
     "--samples needs --answer-check, which decides what is a success"},
    {V_SOLVE, SETTING_events, SETTING_samples, true, "--events " ALONE},
    {V_SOLVE, SETTING_tools, SETTING_samples, true, "--tools " ALONE},
    {V_SOLVE, SETTING_out, SETTING_samples, true, "--out " ALONE},
    {V_SOLVE, SETTING_work_dir, SETTING_samples, true, "--work-dir " ALONE},
    {V_TASKS, SETTING_record, SETTING_samples, true,
     "--record keeps one conversation; --samples has several"},
    {V_TASKS, SETTING_replay, SETTING_samples, true,
     "--replay keeps one conversation; --samples has several"},
};

/* In a request, only the request's own settings count, not those of the daemon or the handle. */
static bool is_given(const struct settings *ask, enum setting_id id)
{
    const struct opt *row = &settings_all[id].opt;
    bool given = ask->lent ? settings_requested(ask, id) : settings_given(ask, id);

    if (id == SETTING_samples)
        return given && ask->samples > 1;
    if (row->kind == OPT_FLAG && given)
        return *(const bool *)((const char *)ask + row->offset);
    return given;
}

/* True if the setting has a value, from any source: even a folder or tools from a config file
 * cannot be shared by several conversations. */
static bool is_set(const struct settings *ask, enum setting_id id)
{
    return (id == SETTING_out && ask->out) || (id == SETTING_work_dir && ask->work_dir) ||
           (id == SETTING_tools && ask->tools) || (id == SETTING_cases && ask->cases) ||
           (id == SETTING_answer_check && ask->answer_check) ||
           (id == SETTING_files && ask->files) || is_given(ask, id);
}

int64_t ask_samples(const struct settings *ask, unsigned verb)
{
    if (ask->samples <= 1 || is_given(ask, SETTING_samples))
        return ask->samples > 1 ? ask->samples : 1;
    for (const struct ask_rule *rule = rules; rule < rules + ARRAY_LEN(rules); rule++)
        if (rule->verbs & verb && ((rule->id == SETTING_samples && !is_set(ask, rule->other)) ||
                                   (rule->other == SETTING_samples && is_set(ask, rule->id))))
            return 1;
    return ask->samples;
}

int ask_check(const struct settings *ask, unsigned verb, struct err *err)
{
    for (const struct ask_rule *rule = rules; rule < rules + ARRAY_LEN(rules); rule++)
        if (rule->verbs & verb && is_set(ask, rule->id) &&
            is_given(ask, rule->other) == rule->excludes)
            return err_set(err, ERR_USAGE, "%s", rule->sentence);
    return 0;
}
