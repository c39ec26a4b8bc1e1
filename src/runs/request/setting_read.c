/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the values of fields, by the kinds and shapes of their rows.
 */
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "request/setting.h"

struct reading {
    const struct setting *row;
    void *to;
    struct err *err;
};

static int wrong(const struct reading *r, const char *wanted)
{
    return err_set(r->err, ERR_USAGE, "'%s' must be %s", r->row->field, wanted);
}

static void *value_at(const struct reading *r)
{
    return (char *)r->to + r->row->opt.offset;
}

static bool is_word(const json_t *v)
{
    return json_is_string(v) && strlen(json_string_value(v)) == json_string_length(v);
}

/* ---- values that an option has as well ---- */

static int setting_read_string(const struct reading *r, json_t *v)
{
    if (!is_word(v))
        return wrong(r, "a string without NUL");
    *(const char **)value_at(r) = json_string_value(v);
    return 0;
}

static bool is_shared(const struct setting *row)
{
    return row >= settings_all && row < settings_all + SETTING_COUNT;
}

/* `check` and `no_check` are two names for one member. */
static int read_flag(const struct reading *r, json_t *v)
{
    bool *at = value_at(r), on = json_is_true(v) != (r->row->opt.kind == OPT_NEGATION);

    if (!json_is_boolean(v))
        return wrong(r, "true or false");
    for (const struct setting *other = settings_all;
         is_shared(r->row) && other < settings_all + SETTING_COUNT; other++)
        if (other != r->row && other->field && other->opt.offset == r->row->opt.offset &&
            *at != on && settings_requested(r->to, other->of))
            return err_set(r->err, ERR_USAGE, "'%s' and '%s' contradict each other", other->field,
                           r->row->field);
    *at = on;
    return 0;
}

static int read_choice(const struct reading *r, json_t *v)
{
    const char *got = json_is_string(v) ? json_string_value(v) : "";
    struct suggestion near = {.word = str_from(got)};
    AUTO_BUF struct buf all = {0};

    buf_init(&all, 200);
    for (int i = 0; r->row->opt.choices[i]; i++) {
        if (strcmp(r->row->opt.choices[i], got) == 0) {
            *(int *)value_at(r) = i;
            return 0;
        }
        suggestion_try(&near, r->row->opt.choices[i]);
        (void)buf_addf(&all, "%s%s", i ? ", " : "", r->row->opt.choices[i]);
    }
    return err_set(r->err, ERR_USAGE, "'%s' must be one of %s%s%s%s", r->row->field, all.p,
                   near.best ? "; did you mean '" : "", near.best ? near.best : "",
                   near.best ? "'?" : "");
}

/* Returns the number in the unit of the field: 0.5 for 500 thousandths. */
static const char *setting_read_show(const struct reading *r, int64_t n, char out[32])
{
    if (r->row->opt.kind == OPT_MILLI)
        snprintf(out, 32, "%g", (double)n / 1000);
    else
        snprintf(out, 32, "%lld", (long long)n);
    return out;
}

/* Compares with the bound that the daemon's owner set; 0 is no bound. */
static int check_bound(const struct reading *r, int64_t n)
{
    int64_t most = *(const int64_t *)value_at(r);
    char text[32];

    if (!r->row->bound || !most || (n && n <= most))
        return 0;
    return err_set(r->err, ERR_POLICY, "'%s': this daemon allows at most %s", r->row->field,
                   setting_read_show(r, most, text));
}

static int check_number(const struct reading *r, int64_t n)
{
    const struct opt *row = &r->row->opt;
    char least[32], most[32];

    if (r->row->most && n > r->row->most)
        return err_set(r->err, ERR_POLICY, "'%s': %lld is more than this daemon allows, %lld",
                       r->row->field, (long long)n, (long long)r->row->most);
    bool large = row->max && n > row->max && !r->row->ceiling && !r->row->clamps;
    if (n < row->min && !row->max)
        return err_set(r->err, ERR_USAGE, "'%s' must be at least %s", r->row->field,
                       setting_read_show(r, row->min, least));
    if (n < row->min || (large && (row->min || row->kind == OPT_MILLI)))
        return err_set(r->err, ERR_USAGE, "'%s' must be from %s to %s", r->row->field,
                       setting_read_show(r, row->min, least), setting_read_show(r, row->max, most));
    if (large)
        return err_set(r->err, ERR_USAGE, "'%s': %lld is too large; the most is %lld",
                       r->row->field, (long long)n, (long long)row->max);
    return check_bound(r, n);
}

/* 30000.0 is a whole number too. */
static int setting_read_number(const struct reading *r, json_t *v)
{
    double real = json_number_value(v);
    bool whole = json_is_integer(v) ||
                 (json_is_real(v) && real >= 0 && real < 1e15 && real == (double)(int64_t)real);

    if (!whole || real < 0)
        return wrong(r, r->row->opt.kind == OPT_DURATION ? "a whole number of milliseconds"
                        : r->row->opt.kind == OPT_SIZE   ? "a whole number of bytes"
                                                         : "a whole number of 0 or more");
    int64_t n = json_is_integer(v) ? json_integer_value(v) : (int64_t)real;
    if (check_number(r, n) < 0)
        return -1;
    *(int64_t *)value_at(r) = r->row->clamps && n > r->row->opt.max ? r->row->opt.max : n;
    return 0;
}

static int read_milli(const struct reading *r, json_t *v)
{
    const struct opt *row = &r->row->opt;
    double real = json_number_value(v);
    double most = row->max && r->row->ceiling ? (double)row->max / 1000 : 1e12;

    if (!json_is_number(v) || real < 0)
        return wrong(r, "a number of 0 or more");
    if (real > 0 && real < 0.001 && !row->none)
        return err_set(r->err, ERR_USAGE, "'%s': the minimum is 0.001; 0 means no limit",
                       r->row->field);
    int64_t n = (int64_t)((real < most ? real : most) * 1000 + 0.5);
    if (check_number(r, n) < 0)
        return -1;
    *(int64_t *)value_at(r) = n;
    return 0;
}

/* ---- lists ---- */

bool env_name_is_valid(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] < 0x20 || name.p[i] == 0x7f || name.p[i] == '=')
            return false;
    return name.n > 0;
}

static int read_map(const struct reading *r, json_t *v, char **words)
{
    const char *name;
    json_t *value;

    json_object_foreach(v, name, value)
    {
        if (!env_name_is_valid(str_from(name)))
            return err_set(r->err, ERR_USAGE, "'%s': '%.60s' is not a valid variable name",
                           r->row->field, name);
        if (!is_word(value))
            return err_set(r->err, ERR_USAGE, "'%s.%.60s' must be a string without NUL",
                           r->row->field, name);
        *words++ = xasprintf("%s=%s", name, json_string_value(value));
    }
    return 0;
}

static int setting_read_words(const struct reading *r, json_t *v, char **words)
{
    size_t n = json_is_array(v) ? json_array_size(v) : 1;

    for (size_t i = 0; i < n; i++) {
        json_t *word = json_is_array(v) ? json_array_get(v, i) : v;
        if (!is_word(word))
            return wrong(r, "an array of strings");
        words[i] = xstrdup(json_string_value(word));
    }
    return 0;
}

/* Adds the items after the existing ones. */
static int read_list(const struct reading *r, json_t *v)
{
    bool map = r->row->shape == SHAPE_MAP;
    struct opt_list *at = value_at(r);
    size_t n = map ? json_object_size(v) : json_is_array(v) ? json_array_size(v) : 1;
    char ***words = &((struct settings *)r->to)->lent->lists[setting_id_of(r->row)];

    if (map && !json_is_object(v))
        return wrong(r, "an object of strings");
    *words = xcalloc(at->n + n + 1, sizeof **words);
    for (size_t i = 0; i < at->n; i++)
        (*words)[i] = xstrdup(at->items[i]);
    int result = map ? read_map(r, v, *words + at->n) : setting_read_words(r, v, *words + at->n);
    *at = (struct opt_list){*words, at->n + n};
    return result;
}

/* ---- values that only JSON has ---- */

static const char *wrong_json(enum setting_shape shape, const json_t *v)
{
    bool array = json_is_array(v), object = json_is_object(v);

    if (shape == SHAPE_ARRAY && !array)
        return "an array";
    if (shape == SHAPE_OBJECT && !object)
        return "an object";
    if (shape == SHAPE_FILES && !array && !object)
        return "an array of {name, content}, or an object of contents by name";
    if (shape == SHAPE_CASES && !array && !object && !json_is_string(v))
        return "an array of cases, or the text of a case file";
    if (shape == SHAPE_WORDS && !array && !is_word(v))
        return "an array of strings";
    for (size_t i = 0; shape == SHAPE_WORDS && i < json_array_size(v); i++)
        if (!is_word(json_array_get(v, i)))
            return "an array of strings";
    return NULL;
}

static int read_json(const struct reading *r, json_t *v)
{
    void *at = (char *)r->to + r->row->json_at;
    const char *wanted = wrong_json(r->row->shape, v);

    if (r->row->shape == SHAPE_TEXT && !json_is_string(v))
        wanted = "a string";
    if (wanted)
        return wrong(r, wanted);
    if (r->row->shape == SHAPE_TEXT)
        *(struct str *)at = (struct str){json_string_value(v), json_string_length(v)};
    else
        *(json_t **)at = v;
    return 0;
}

static int (*const readers[])(const struct reading *r, json_t *v) = {
    [OPT_FLAG] = read_flag,
    [OPT_NEGATION] = read_flag,
    [OPT_STRING] = setting_read_string,
    [OPT_LIST] = read_list,
    [OPT_SIZE] = setting_read_number,
    [OPT_DURATION] = setting_read_number,
    [OPT_MILLI] = read_milli,
    [OPT_INT] = setting_read_number,
    [OPT_CHOICE] = read_choice,
};

int setting_read(const struct setting *row, json_t *value, void *to, struct err *err)
{
    const struct reading r = {row, to, err};
    struct settings *s = to;

    if ((row->shape >= SHAPE_TEXT ? read_json : readers[row->opt.kind])(&r, value) < 0)
        return -1;
    if (is_shared(row))
        s->asked[row->of / 64] |= 1ULL << row->of % 64;
    return 0;
}
