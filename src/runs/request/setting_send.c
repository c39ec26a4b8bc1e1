/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the fields of a request to a daemon from a user's settings. Only settings that the user
 * changed are sent, so that the daemon's own defaults and ceilings apply.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "languages/preludes.h"
#include "languages/pythons.h"
#include "options/conf.h"
#include "options/opt_value.h"
#include "request/setting.h"

/* ---- which settings are sent ---- */

/* True if the value comes from the user's usual config file, which the user's daemon reads, too. */
static bool is_shared(const struct settings *s, const struct setting *row)
{
    const struct opt_source *source = opt_source_of(s->sources, row->opt.name);

    return row->remote == REMOTE_SHARED && source->from == OPT_FROM_USER && !s->config_named;
}

static bool is_default(const struct settings *s, const struct setting *row)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 4096);
    if (row->opt.kind == OPT_LIST || row->opt.kind == OPT_STRING) {
        const char *value = row->opt.kind == OPT_STRING
                                ? *(char *const *)((const char *)s + row->opt.offset)
                                : NULL;
        return value && row->opt.initial && strcmp(value, row->opt.initial) == 0;
    }
    opt_add_value(&text, &row->opt, s);
    return str_is(buf_str(&text), row->opt.initial   ? row->opt.initial
                                  : row->opt.choices ? row->opt.choices[0]
                                                     : "false");
}

/* If a value has two names, only one of them is sent. */
static bool speaks(const struct settings *s, const struct setting *row)
{
    return row->opt.kind != OPT_NEGATION && row->of == setting_id_of(row) &&
           settings_asked(s, row->of) && setting_counts(s, row);
}

static bool is_for_daemon(const struct setting *row)
{
    return row->remote == REMOTE_HERE && row->field && row->shape <= SHAPE_TEXT;
}

static bool stays_here(const struct settings *s, const struct setting *row, bool only_there)
{
    if (!speaks(s, row) || (only_there && is_for_daemon(row)))
        return false;
    if (row->remote == REMOTE_HERE || row->remote == REMOTE_SHARED)
        return !is_default(s, row) && !is_shared(s, row);
    return row->sendable && !only_there && !row->sendable(s);
}

const struct setting *settings_kept_here(const struct settings *s, bool only_there)
{
    for (const struct setting *row = settings_all; row < settings_all + SETTING_COUNT; row++)
        if (stays_here(s, row, only_there))
            return row;
    return NULL;
}

/* ---- values ---- */

static int not_text(const struct setting *row, struct err *err)
{
    return err_set(err, ERR_USAGE, "--%s: is not UTF-8 text, which a daemon requires",
                   row->opt.name);
}

static int file_value(const struct setting *row, const char *path, json_t **ret, struct err *err)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, RUN_SOURCE_MAX);
    if (setting_id_of(row) == SETTING_prelude && prelude_is_ready(str_from(path))) {
        *ret = json_string(path);
        return 0;
    }
    if (fd_read_file(path, &b, err) < 0) {
        err->kind = ERR_USAGE;
        return err_wrap(err, "--%s", row->opt.name);
    }
    *ret = json_stringn(b.p, b.n);
    return *ret ? 0 : not_text(row, err);
}

/* K alone means its value in our environment; a K that is not set there is left out. */
static int map_value(const struct setting *row, const struct opt_list *list, json_t **ret,
                     struct err *err)
{
    json_t *map = *ret = json_object();

    for (size_t i = 0; i < list->n; i++) {
        const char *equals = strchr(list->items[i], '=');
        AUTO_FREE char *name = equals ? xstrndup(list->items[i], (size_t)(equals - list->items[i]))
                                      : xstrdup(list->items[i]);
        const char *value = equals ? equals + 1 : getenv(name);
        if (!*name)
            return err_set(err, ERR_USAGE, "--%s: a variable needs a name", row->opt.name);
        if (value && json_object_set_new(map, name, json_string(value)) < 0)
            return not_text(row, err);
    }
    return 0;
}

/* Makes the path absolute: the daemon's current folder is another. */
static json_t *absolute(const char *path)
{
    AUTO_FREE char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    AUTO_FREE char *full = here ? xasprintf("%s/%s", here, path) : NULL;

    return json_string(full ? full : path);
}

static int list_value(const struct setting *row, const struct opt_list *list, json_t **ret,
                      struct err *err)
{
    bool paths = setting_id_of(row) == SETTING_ro;
    json_t *array = *ret = json_array();

    for (size_t i = 0; i < list->n; i++)
        if (json_array_append_new(array, paths ? absolute(list->items[i])
                                               : json_string(list->items[i])) < 0)
            return not_text(row, err);
    return 0;
}

/* Returns the path of the Dockerfile, which need not exist, in a folder; for any other path, the
 * path itself. The caller frees. */
static char *dockerfile_path(const char *path)
{
    static const char *const names[] = {"Dockerfile", "Containerfile"};
    struct stat st;

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char *file = xasprintf("%s/%s", path, names[i]);
        if (access(file, F_OK) == 0)
            return file;
        free(file);
    }
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? xasprintf("%s/%s", path, names[0])
                                                       : xstrdup(path);
}

static int dockerfile_value(const struct setting *row, const char *path, json_t **ret,
                            struct err *err)
{
    AUTO_FREE char *file = dockerfile_path(path);

    return file_value(row, file, ret, err);
}

static int python_value(const struct setting *row, const char *text, json_t **ret, struct err *err)
{
    unsigned minor;

    *ret = python_is_version(str_from(text), &minor) ? json_string(text) : absolute(text);
    return *ret ? 0 : not_text(row, err);
}

/* Sends the content of a policy file. The daemon takes a string with a line end for content, and
 * any other for a name. */
static int policy_value(const struct setting *row, const char *name, json_t **ret, struct err *err)
{
    AUTO_BUF struct buf b = {0};

    *ret = NULL;
    buf_init(&b, CONF_MAX_BYTES + 1);
    if (!strpbrk(name, "/.")) {
        *ret = json_string(name);
    } else if (fd_read_file(name, &b, err) < 0) {
        err->kind = ERR_USAGE;
        return err_wrap(err, "--%s", row->opt.name);
    } else {
        (void)buf_addc(&b, '\n');
        *ret = json_stringn(b.p, b.n);
    }
    return *ret ? 0 : not_text(row, err);
}

static int string_value(const struct setting *row, const char *text, json_t **ret, struct err *err)
{
    if (setting_id_of(row) == SETTING_dockerfile)
        return dockerfile_value(row, text, ret, err);
    if (row->shape == SHAPE_TEXT)
        return file_value(row, text, ret, err);
    if (setting_id_of(row) == SETTING_work_dir) {
        *ret = absolute(text);
        return *ret ? 0 : not_text(row, err);
    }
    if (setting_id_of(row) == SETTING_python)
        return python_value(row, text, ret, err);
    if (setting_id_of(row) == SETTING_profile)
        return policy_value(row, text, ret, err);
    *ret = json_string(text);
    return *ret ? 0 : not_text(row, err);
}

static int setting_send_value_of(const struct settings *s, const struct setting *row, json_t **ret,
                                 struct err *err)
{
    union opt_value v = opt_value_get(&row->opt, s);

    switch (row->opt.kind) {
    case OPT_FLAG:
        *ret = json_boolean(v.flag);
        break;
    case OPT_NEGATION:
        *ret = json_boolean(!v.flag);
        break;
    case OPT_STRING:
        return string_value(row, v.string, ret, err);
    case OPT_LIST:
        return row->shape == SHAPE_MAP ? map_value(row, &v.list, ret, err)
                                       : list_value(row, &v.list, ret, err);
    case OPT_MILLI:
        *ret = json_real((double)v.number / 1000);
        break;
    case OPT_CHOICE:
        *ret = json_string(row->opt.choices[v.choice]);
        break;
    case OPT_SIZE:
    case OPT_DURATION:
    case OPT_INT:
        *ret = json_integer((json_int_t)v.number);
        break;
    }
    return 0;
}

static int send_one(const struct settings *s, const struct setting *row, json_t *body,
                    struct err *err)
{
    json_t *value = NULL;
    int result = setting_send_value_of(s, row, &value, err);

    if (result == 0)
        json_object_set(body, row->field, value);
    json_decref(value);
    return result;
}

int settings_send(const struct settings *s, bool only_there, json_t *body, struct err *err)
{
    for (const struct setting *row = settings_all; row < settings_all + SETTING_COUNT; row++) {
        bool sent = row->remote == REMOTE_SENT || (only_there && is_for_daemon(row));
        /* A field that concerns code or the policy is sent only if it changes something:
         * --lock-policy refuses the field in any case. */
        bool changes =
            row->code < CODE_UNJUDGED || row->code == CODE_OPERATOR || !is_default(s, row);
        if (sent && changes && speaks(s, row) && send_one(s, row, body, err) < 0)
            return -1;
    }
    return 0;
}
