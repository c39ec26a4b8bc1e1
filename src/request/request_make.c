/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a run_request from decoded fields.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/encoded.h"
#include "base/fd.h"
#include "base/mem.h"
#include "languages/pythons.h"
#include "request/run_fields.h"

enum {
    INPUTS_MAX = 10000,
    VALUES_MAX = 64,
};

void request_parts_init(struct request_parts *parts)
{
    *parts = (struct request_parts){.stdin_fd = -1};
}

void request_parts_done(struct request_parts *p)
{
    setting_lent_done(&p->lent);
    for (char **w = p->args; w && *w; w++)
        free(*w);
    free(p->args);
    for (size_t i = 0; i < p->input_count; i++)
        buf_done(&p->contents[i]);
    free(p->inputs);
    free(p->contents);
    for (size_t i = 0; i < p->value_count; i++)
        free((char *)p->values[i].bytes.p);
    free(p->values);
    fd_close(&p->stdin_fd);
    request_parts_init(p);
}

static char **words_of(json_t *v)
{
    size_t n = json_is_array(v) ? json_array_size(v) : 1;
    char **words = xcalloc(n + 1, sizeof *words);

    for (size_t i = 0; i < n; i++)
        words[i] = xstrdup(json_string_value(json_is_array(v) ? json_array_get(v, i) : v));
    return words;
}

/* ---- files ---- */

static int decode(struct str content, struct str encoding, struct buf *ret, struct err *err)
{
    buf_init(ret, content.n + 1);
    if (str_is(encoding, "utf8"))
        encoding = STR("utf-8");
    return encoded_read(content, encoding, ret, err);
}

static struct str text_of(json_t *v)
{
    return (struct str){json_string_value(v), json_string_length(v)};
}

static int add_file(struct request_parts *p, struct str name, struct str content,
                    struct str encoding, struct err *err)
{
    if (p->input_count == INPUTS_MAX)
        return err_set(err, ERR_LIMIT, "'files': there are more than %d", INPUTS_MAX);
    p->inputs = xrealloc_array(p->inputs, p->input_count + 1, sizeof *p->inputs);
    p->contents = xrealloc_array(p->contents, p->input_count + 1, sizeof *p->contents);
    struct buf *bytes = &p->contents[p->input_count];
    *bytes = (struct buf){0};
    p->inputs[p->input_count++].name = name;
    if (!encoding.n) {
        buf_init(bytes, 0);
        p->inputs[p->input_count - 1].bytes = content;
        return 0;
    }
    if (decode(content, encoding, bytes, err) < 0)
        return err_wrap(err, "'files': %.*s", (int)(name.n < 100 ? name.n : 100), name.p);
    p->inputs[p->input_count - 1].bytes = buf_str(bytes);
    return 0;
}

struct file_item {
    const char *name, *path;
    struct str content;
    int encoding;
};

static int add_item(struct request_parts *p, const struct request_rules *rules, json_t *v,
                    struct err *err)
{
    static const char *const encodings[] = {"", "", "", "base64"};
    struct field rows[5];
    const struct field *const tables[] = {rows, NULL};
    struct file_item item;

    if (!json_is_object(v))
        return err_set(err, ERR_USAGE,
                       "'files': an item must be an object with \"name\" and \"content\"");
    memcpy(rows, file_fields, sizeof rows);
    rows[0].offset = offsetof(struct file_item, name);
    rows[1].offset = offsetof(struct file_item, path);
    rows[2].offset = offsetof(struct file_item, content);
    rows[3].offset = offsetof(struct file_item, encoding);
    if (fields_read(tables, v, rules, &item, err) < 0)
        return err_wrap(err, "'files'");
    const char *name = item.name ? item.name : item.path;
    if (!name || (item.name && item.path))
        return err_set(err, ERR_USAGE, "'files': a file needs one name, in 'name' or 'path'");
    return add_file(p, str_from(name), item.content, str_from(encodings[item.encoding]), err);
}

static int add_files(struct request_parts *p, const struct request_rules *rules, json_t *v,
                     struct err *err)
{
    const char *name;
    json_t *value;
    size_t i;

    json_array_foreach(v, i, value) if (add_item(p, rules, value, err) < 0) return -1;
    if (!json_is_object(v))
        return 0;
    json_object_foreach(v, name, value)
    {
        if (!json_is_string(value))
            return err_set(err, ERR_USAGE, "'files': the content of '%.100s' must be a text", name);
        if (add_file(p, str_from(name), text_of(value), (struct str){NULL, 0}, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- values of variables ---- */

static int add_values(struct request_parts *p, json_t *v, struct err *err)
{
    const char *name;
    json_t *value;

    if (json_object_size(v) > VALUES_MAX)
        return err_set(err, ERR_LIMIT, "'data': there are more than %d values", VALUES_MAX);
    p->values = xcalloc(json_object_size(v) + 1, sizeof *p->values);
    json_object_foreach(v, name, value)
    {
        if (!*name || strchr(name, '='))
            return err_set(err, ERR_USAGE, "'data': '%.60s' is not a valid variable name", name);
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        if (!text)
            return err_set(err, ERR_USAGE, "'data': '%.60s' cannot be written", name);
        p->values[p->value_count++] =
            (struct named_bytes){.name = str_from(name), .bytes = str_from(text)};
    }
    return 0;
}

/* ---- ceilings ---- */

/* In the unit of the field: 0.5 for 500 thousandths. */
static const char *show_limit(const struct setting *row, int64_t n, char *out, size_t size)
{
    if (row->opt.kind == OPT_MILLI)
        snprintf(out, size, "%g", (double)n / 1000);
    else
        snprintf(out, size, "%lld", (long long)n);
    return out;
}

int ceiling_check(const struct request_rules *rules, enum setting_id id, int64_t wanted,
                  struct err *err)
{
    const struct setting *row = &settings_all[id];
    int64_t ceiling = rules->ceilings[id];
    char have[32], most[32];

    if (!ceiling || (wanted && wanted <= ceiling))
        return 0;
    (void)show_limit(row, ceiling, most, sizeof most);
    if (!wanted)
        return err_set(err, ERR_POLICY, "'%s': 0 is no limit, and this daemon allows at most %s",
                       row->field, most);
    return err_set(err, ERR_POLICY, "'%s': %s is more than this daemon allows, %s", row->field,
                   show_limit(row, wanted, have, sizeof have), most);
}

/* The daemon's own defaults are limited by the ceilings for clients. */
static void hold_default(const struct setting *row, int64_t ceiling, int64_t *value)
{
    if (ceiling && (!*value || *value > ceiling))
        *value = ceiling;
    if (row->opt.max && *value > row->opt.max)
        *value = row->opt.max;
    if (row->most && *value > row->most)
        *value = row->most;
}

static int hold_ceiling(const struct request_rules *rules, enum setting_id id, struct settings *s,
                        struct err *err)
{
    const struct setting *row = &settings_all[id];
    int64_t *value = (int64_t *)((char *)s + row->opt.offset);

    if (!(s->asked >> id & 1)) {
        hold_default(row, rules->ceilings[id], value);
        return 0;
    }
    if (ceiling_check(rules, id, *value, err) < 0)
        return -1;
    if (row->opt.max && *value > row->opt.max)
        return err_set(err, ERR_USAGE, "'%s': %lld is too large; the most is %lld", row->field,
                       (long long)*value, (long long)row->opt.max);
    return 0;
}

static int hold_ceilings(const struct request_rules *rules, struct settings *s, struct err *err)
{
    for (enum setting_id id = 0; id < SETTING_COUNT; id++)
        if ((settings_all[id].ceiling || settings_all[id].most) &&
            hold_ceiling(rules, id, s, err) < 0)
            return -1;
    return 0;
}

/* ---- checks for some values only ---- */

/* A version is one of this host's own Pythons; a path is a program of the client's choice. */
static int check_python(const struct settings *s, const struct request_rules *rules,
                        struct err *err)
{
    unsigned minor;

    if (!(s->asked >> SETTING_python & 1) || !s->python || !*s->python ||
        python_is_version(str_from(s->python), &minor))
        return 0;
    if (permit_check(rules, PERMIT_HOST_FILES, "'python': a path", err) < 0)
        return -1;
    return s->python[0] == '/' ? 0
                               : err_set(err, ERR_USAGE,
                                         "'python': '%.60s' is neither a version, as 3.12, nor an "
                                         "absolute path",
                                         s->python);
}

static int check_permits(const struct settings *s, const struct request_rules *rules,
                         struct err *err)
{
    bool opens = s->asked >> SETTING_net & 1 && s->net != 0;

    if (check_python(s, rules, err) < 0)
        return -1;
    if (s->asked >> SETTING_image & 1 && image_check(rules, s->image, err) < 0)
        return -1;
    return opens ? permit_check(rules, PERMIT_NET_HOST, "'net': 'host'", err) : 0;
}

/* A client's own image replaces each that the daemon's config file may have. */
static void choose_image(struct settings *s)
{
    bool image = s->asked >> SETTING_image & 1, built = s->asked >> SETTING_dockerfile & 1;

    if (image || built)
        s->dockerfile = s->e2b_template = NULL;
    if (!image && built)
        s->image = NULL;
}

/* ---- the request ---- */

static int set_work(const struct run_fields *f, const struct request_rules *rules,
                    struct request_parts *p, struct run_request *q, struct err *err)
{
    if (f->args)
        q->args = p->args = words_of(f->args);
    if (f->files && add_files(p, rules, f->files, err) < 0)
        return -1;
    q->inputs = q->build_files = p->inputs;
    q->input_count = q->build_file_count = p->input_count;
    if (f->data && add_values(p, f->data, err) < 0)
        return -1;
    if (f->data)
        q->data = NULL; /* the daemon's own */
    q->values = p->values;
    q->value_count = p->value_count;
    if (!f->input.n)
        return 0;
    p->stdin_fd = fd_memory("glovebox-stdin", f->input.p, f->input.n, err);
    q->stdin_fd = p->stdin_fd;
    return p->stdin_fd < 0 ? -1 : 0;
}

static int set_context(const struct run_fields *f, struct run_request *q, struct err *err)
{
    const char *alone = f->invocation ? "invocation" : f->execution_id ? "execution_id" : NULL;

    if (!f->context && alone)
        return err_set(err, ERR_USAGE, "'%s' does nothing without 'context'", alone);
    q->context_document = f->context;
    q->invocation = f->invocation;
    q->execution_id = f->execution_id;
    return 0;
}

int request_make(struct run_fields *f, const struct request_rules *rules, struct request_parts *p,
                 struct run_request *ret, struct err *err)
{
    struct settings *s = &f->request.settings;

    choose_image(s);
    if (hold_ceilings(rules, s, err) < 0 || check_permits(s, rules, err) < 0 ||
        settings_request(s, ret, err) < 0)
        return -1;
    if (s->asked >> SETTING_without & 1)
        ret->allow_unsafe = true;
    if (s->prelude_text.p)
        ret->prelude = NULL; /* the daemon's own */
    ret->languages = &rules->defaults->languages;
    ret->code = f->code;
    ret->file = f->filename && *f->filename ? f->filename : NULL;
    if (f->language)
        ret->language = f->language;
    ret->only_read = rules->lock_policy;
    ret->reads_beside = rules->lock_policy || rules->reviews;
    if (set_context(f, ret, err) < 0)
        return -1;
    return set_work(f, rules, p, ret, err);
}
