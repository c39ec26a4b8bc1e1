/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of request.def, and the verbs that take each row.
 */
#include "request/setting.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "languages/pythons.h"
#include "request/run_ask.h"

#define AT(member)      offsetof(struct settings, member)
#define TO(member)      .has_to = true, .to = offsetof(struct run_request, member)
#define IS_TEXT(id)     .shape = SHAPE_TEXT, .json_at = AT(id##_text)
#define OPTION(...)     __VA_ARGS__
#define VALUE(id, unit) .kind = (unit), .offset = AT(id)
#define ROW(...)        __VA_ARGS__
#define OF_CONTAINERS   "docker podman"
#define OF_E2B          "e2b code-interpreter"

/* A path may be another file on another host, and needs a permit. */
static bool is_python_version(const struct settings *s)
{
    unsigned minor;

    return !s->python || python_is_version(str_from(s->python), &minor);
}

_Static_assert(offsetof(struct model_settings, model) == 0, "the row asked_model is the name");

const struct setting settings_all[SETTING_COUNT] = {
#define KNOWN(id, text, json, value, option)                                                       \
    .opt = {.name = (text), value, OPTION option}, .field = (json), .of = SETTING_##id
#define SETTING(id, text, json, unit, option, row)                                                 \
    [SETTING_##id] = {KNOWN(id, text, json, OPTION(VALUE(id, unit)), option), ROW row},
#define LOCAL(id, text, unit, option, row)                                                         \
    [SETTING_##id] = {KNOWN(id, text, NULL, OPTION(VALUE(id, unit)), option), ROW row},
#define FIELD(id, json, unit, option, row)                                                         \
    [SETTING_##id] = {KNOWN(id, NULL, json, OPTION(VALUE(id, unit)), option), ROW row},
#define TEXT(id, text, json, option, row)                                                          \
    [SETTING_##id] = {KNOWN(id, text, json, OPTION(VALUE(id, OPT_STRING)), option), IS_TEXT(id),   \
                      ROW row},
#define DOCUMENT(id, json, row)                                                                    \
    [SETTING_##id] = {.field = (json), .of = SETTING_##id, .json_at = AT(id), ROW row},
#define BOTH(id, text, json, unit, option, row)                                                    \
    [SETTING_##id] = {KNOWN(id, text, json, OPTION(VALUE(id, unit)), option),                      \
                      .json_at = AT(id##_json), ROW row},
#define NEGATION(id, text, json, member, option, row)                                              \
    [SETTING_##id] = {KNOWN(id, text, json, OPTION(VALUE(member, OPT_NEGATION)), option), ROW row},
#define LIMIT(id, text, json, unit, value, most_text, whose, takers, option)                       \
    [SETTING_##id] = {.opt = {.name = (text),                                                      \
                              VALUE(id, unit),                                                     \
                              .flags = OPT_CONF | OPT_ONLY_LOWER,                                  \
                              .arg = (value),                                                      \
                              .group = "Limits (0: none)",                                         \
                              OPTION option},                                                      \
                      .field = (json),                                                             \
                      .of = SETTING_##id,                                                          \
                      .remote = REMOTE_SENT,                                                       \
                      .verbs = (takers),                                                           \
                      .ceiling = (most_text)},
#define INTO(id, text, json, unit, member, option, row)                                            \
    [SETTING_##id] = {KNOWN(id, text, json, OPTION(VALUE(member, unit)), option), ROW row},
#define AGAIN(id, text, json, first, unit, option, row)                                            \
    [SETTING_##id] = {.opt = {.name = (text), VALUE(first, unit), OPTION option},                  \
                      .field = (json),                                                             \
                      .of = SETTING_##first,                                                       \
                      ROW row},
#include "request/request.def"
};

static bool setting_is_named(const struct setting *row, const char *option)
{
    return row->opt.name && strcmp(row->opt.name, option) == 0;
}

const struct setting *setting_find(const char *option)
{
    for (const struct setting *row = settings_all; row < settings_all + SETTING_COUNT; row++)
        if (setting_is_named(row, option))
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

/* ---- the verbs ---- */

const char *verb_command(unsigned verb)
{
    static const char *const names[] = {
#define VERB(id, command) command,
#include "request/verbs.def"
    };

    return names[__builtin_ctz(verb)];
}

static bool verb_takes_option(unsigned verb, const struct setting *row)
{
    return row->opt.name && (row->verbs | row->option_of) & verb;
}

bool verb_takes_field(unsigned verb, const struct setting *row)
{
    return row->field && (row->verbs | row->field_of) & verb;
}

static bool has_name(const struct opt *rows, size_t n, const char *name)
{
    while (n && strcmp(rows[n - 1].name, name) != 0)
        n--;
    return n > 0;
}

const struct opt *verb_options(unsigned verbs)
{
    static struct made {
        unsigned verbs;
        struct opt rows[SETTING_COUNT + 1];
        struct made *next;
    } * all;
    struct made *made = all;
    size_t n = 0;

    while (made && made->verbs != verbs)
        made = made->next;
    if (made)
        return made->rows;
    made = xcalloc(1, sizeof *made);
    *made = (struct made){.verbs = verbs, .next = all};
    all = made;
    for (const struct setting *row = settings_all; row < settings_all + SETTING_COUNT; row++)
        if (verb_takes_option(verbs, row) && !has_name(made->rows, n, row->opt.name))
            made->rows[n++] = row->opt;
    return made->rows;
}
