/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of request.def for front doors with JSON: the table, and the values of fields.
 */
#include "request/setting.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "languages/pythons.h"

#define AT(member)      offsetof(struct settings, member)
#define TO(member)      .has_to = true, .to = offsetof(struct run_request, member)
#define OPTION(...)     __VA_ARGS__
#define VALUE(id, unit) .kind = (unit), .offset = AT(id)
#define ROW(...)        __VA_ARGS__
#define OF_CONTAINERS   "docker podman"
#define OF_E2B          "e2b code-interpreter e2b-interpreter e2b-code-interpreter"

/* A path would mean another file on another host, and needs a permit. */
static bool is_python_version(const struct settings *s)
{
    unsigned minor;

    return !s->python || python_is_version(str_from(s->python), &minor);
}

const struct setting settings_all[SETTING_COUNT] = {
#define SETTING(id, text, json, unit, option, row)                                                 \
    [SETTING_##                                                                                    \
        id] = {.opt = {.name = (text), VALUE(id, unit), OPTION option}, .field = (json), ROW row},
#define LOCAL(id, text, unit, option, row)                                                         \
    [SETTING_##id] = {.opt = {.name = (text), VALUE(id, unit), OPTION option}, ROW row},
#define NEGATION(id, text, json, of, option, row)                                                  \
    [SETTING_##id] = {.opt = {.name = (text), VALUE(of, OPT_NEGATION), OPTION option},             \
                      .field = (json),                                                             \
                      ROW row},
#define LIMIT(id, text, json, unit, value, most_text, whose, sessions, option)                     \
    [SETTING_##id] = {.opt = {.name = (text),                                                      \
                              VALUE(id, unit),                                                     \
                              .flags = OPT_CONF | OPT_ONLY_LOWER,                                  \
                              .arg = (value),                                                      \
                              OPTION option},                                                      \
                      .field = (json),                                                             \
                      .remote = REMOTE_SENT,                                                       \
                      .session = (sessions),                                                       \
                      .ceiling = (most_text)},
#include "request/request.def"
};

const struct setting *setting_find(const char *option)
{
    for (const struct setting *row = settings_all; row < settings_all + SETTING_COUNT; row++)
        if (strcmp(row->opt.name, option) == 0)
            return row;
    return NULL;
}

enum setting_id setting_id_of(const struct setting *setting)
{
    return (enum setting_id)(setting - settings_all);
}

void setting_lent_done(struct setting_lent *lent)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        for (char **word = lent->lists[i]; word && *word; word++)
            free(*word);
        free(lent->lists[i]);
    }
    *lent = (struct setting_lent){0};
}

/* ---- the kinds of values ---- */

struct reading {
    const struct setting *row;
    struct settings *to;
    struct setting_lent *lent;
    struct err *err;
};

static int wrong(const struct reading *r, const char *wanted)
{
    return err_set(r->err, ERR_USAGE, "'%s' must be %s", r->row->field, wanted);
}

static void *member(const struct reading *r)
{
    return (char *)r->to + r->row->opt.offset;
}

static bool is_word(json_t *v)
{
    return json_is_string(v) && strlen(json_string_value(v)) == json_string_length(v);
}

static int read_string(const struct reading *r, json_t *v)
{
    if (r->row->shape == SHAPE_TEXT) {
        if (!json_is_string(v))
            return wrong(r, "a text");
        *(struct str *)((char *)r->to + r->row->text_offset) =
            (struct str){json_string_value(v), json_string_length(v)};
        return 0;
    }
    if (!is_word(v))
        return wrong(r, "a text, without NUL");
    *(const char **)member(r) = json_string_value(v);
    return 0;
}

/* `check` and `no_check` are two names for one member. */
static int read_flag(const struct reading *r, json_t *v)
{
    bool *at = member(r), on = json_is_true(v) != (r->row->opt.kind == OPT_NEGATION);

    if (!json_is_boolean(v))
        return wrong(r, "true or false");
    for (const struct setting *other = settings_all; other < settings_all + SETTING_COUNT; other++)
        if (other != r->row && other->opt.offset == r->row->opt.offset && *at != on &&
            r->to->asked >> setting_id_of(other) & 1)
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
            *(int *)member(r) = i;
            return 0;
        }
        suggestion_try(&near, r->row->opt.choices[i]);
        (void)buf_addf(&all, "%s%s", i ? ", " : "", r->row->opt.choices[i]);
    }
    return err_set(r->err, ERR_USAGE, "'%s' must be one of %s%s%s%s", r->row->field, all.p,
                   near.best ? "; did you mean '" : "", near.best ? near.best : "",
                   near.best ? "'?" : "");
}

static int check_number(const struct reading *r, int64_t n)
{
    const struct opt *row = &r->row->opt;

    if (r->row->most && n > r->row->most)
        return err_set(r->err, ERR_POLICY, "'%s': %lld is more than this daemon allows, %lld",
                       r->row->field, (long long)n, (long long)r->row->most);
    if (row->max && n > row->max && !r->row->ceiling && !r->row->clamps)
        return err_set(r->err, ERR_USAGE, "'%s': %lld is too large; the most is %lld",
                       r->row->field, (long long)n, (long long)row->max);
    return 0;
}

/* 30000.0 is a whole number too. */
static int read_number(const struct reading *r, json_t *v)
{
    double real = json_number_value(v);
    bool whole = json_is_integer(v) ||
                 (json_is_real(v) && real >= 0 && real < 1e15 && real == (double)(int64_t)real);

    if (!whole || real < 0)
        return wrong(r, r->row->opt.kind == OPT_DURATION ? "a whole number of milliseconds"
                        : r->row->opt.kind == OPT_SIZE   ? "a whole number of bytes"
                                                         : "a whole number from 0");
    int64_t n = json_is_integer(v) ? json_integer_value(v) : (int64_t)real;
    if (check_number(r, n) < 0)
        return -1;
    *(int64_t *)member(r) = r->row->clamps && n > r->row->opt.max ? r->row->opt.max : n;
    return 0;
}

static int read_milli(const struct reading *r, json_t *v)
{
    double real = json_number_value(v);
    double most = (double)r->row->opt.max / 1000;

    if (!json_is_number(v) || real < 0)
        return wrong(r, "a number of 0 or more");
    if (real > 0 && real < 0.001)
        return err_set(r->err, ERR_USAGE, "'%s': the minimum is 0.001; 0 is no limit",
                       r->row->field);
    *(int64_t *)member(r) = (int64_t)((real < most ? real : most) * 1000);
    return 0;
}

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
            return err_set(r->err, ERR_USAGE, "'%s.%.60s' must be a text without NUL",
                           r->row->field, name);
        *words++ = xasprintf("%s=%s", name, json_string_value(value));
    }
    return 0;
}

static int read_words(const struct reading *r, json_t *v, char **words)
{
    size_t n = json_is_array(v) ? json_array_size(v) : 1;

    for (size_t i = 0; i < n; i++) {
        json_t *word = json_is_array(v) ? json_array_get(v, i) : v;
        if (!is_word(word))
            return wrong(r, "an array of texts");
        words[i] = xstrdup(json_string_value(word));
    }
    return 0;
}

/* Items that are there already come first. */
static int read_list(const struct reading *r, json_t *v)
{
    bool map = r->row->shape == SHAPE_MAP;
    struct opt_list *at = member(r);
    size_t n = map ? json_object_size(v) : json_is_array(v) ? json_array_size(v) : 1;
    char ***words = &r->lent->lists[setting_id_of(r->row)];

    if (map && !json_is_object(v))
        return wrong(r, "an object of texts");
    *words = xcalloc(at->n + n + 1, sizeof **words);
    for (size_t i = 0; i < at->n; i++)
        (*words)[i] = xstrdup(at->items[i]);
    int result = map ? read_map(r, v, *words + at->n) : read_words(r, v, *words + at->n);
    *at = (struct opt_list){*words, at->n + n};
    return result;
}

static int (*const readers[])(const struct reading *r, json_t *v) = {
    [OPT_FLAG] = read_flag,   [OPT_NEGATION] = read_flag, [OPT_STRING] = read_string,
    [OPT_LIST] = read_list,   [OPT_SIZE] = read_number,   [OPT_DURATION] = read_number,
    [OPT_MILLI] = read_milli, [OPT_INT] = read_number,    [OPT_CHOICE] = read_choice,
};

int setting_read(const struct setting *setting, json_t *value, struct settings *s,
                 struct setting_lent *lent, struct err *err)
{
    struct reading r = {setting, s, lent, err};

    if (readers[setting->opt.kind](&r, value) < 0)
        return -1;
    s->asked |= 1ULL << setting_id_of(setting);
    return 0;
}

/* ---- the description ---- */

static json_t *of_type(const char *type)
{
    return json_pack("{s:s}", "type", type);
}

static json_t *choice_schema(const struct setting *row)
{
    json_t *all = json_array();

    for (int i = 0; row->opt.choices[i]; i++)
        json_array_append_new(all, json_string(row->opt.choices[i]));
    return json_pack("{s:s, s:o}", "type", "string", "enum", all);
}

static json_t *value_schema(const struct setting *row)
{
    switch (row->opt.kind) {
    case OPT_FLAG:
    case OPT_NEGATION:
        return of_type("boolean");
    case OPT_STRING:
        return of_type("string");
    case OPT_LIST:
        return row->shape == SHAPE_MAP
                   ? json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                               of_type("string"))
                   : json_pack("{s:s, s:o}", "type", "array", "items", of_type("string"));
    case OPT_MILLI:
        return json_pack("{s:s, s:i}", "type", "number", "minimum", 0);
    case OPT_CHOICE:
        return choice_schema(row);
    case OPT_SIZE:
    case OPT_DURATION:
    case OPT_INT:
        break;
    }
    return json_pack("{s:s, s:s, s:i}", "type", "integer", "format", "int64", "minimum", 0);
}

/* "wall clock" as a sentence: "Wall clock. Default: 30s. Only with --allow host-files." */
static void describe(const struct setting *row, struct buf *b)
{
    const char *text = row->meaning ? row->meaning : row->opt.help;
    char first = *text >= 'a' && *text <= 'z' ? (char)(*text - 32) : *text;

    (void)buf_addf(b, "%c%s.", first, text + 1);
    if (row->opt.initial)
        (void)buf_addf(b, " Default: %s.", row->opt.initial);
    if (row->ceiling)
        (void)buf_addf(b, " The most is what the daemon's --max-%s says.", row->opt.name);
    if (row->permit)
        (void)buf_addf(b, " Only where the daemon was started with --allow %s.",
                       permit_name(row->permit));
}

json_t *setting_schema(const struct setting *setting)
{
    json_t *schema = value_schema(setting);
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1000);
    describe(setting, &text);
    json_object_set_new(schema, "description", json_stringn(text.p, text.n));
    return schema;
}
