/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a run_request from the settings of a request.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "languages/pythons.h"
#include "request/run_ask.h"

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

/* ---- files ---- */

static int request_make_decode(struct str content, struct str encoding, struct buf *ret,
                               struct err *err)
{
    buf_init(ret, content.n + 1);
    if (str_is(encoding, "utf8"))
        encoding = STR("utf-8");
    return encoded_read(content, encoding, ret, err);
}

static struct str request_make_text_of(json_t *v)
{
    return (struct str){json_string_value(v), json_string_length(v)};
}

static int request_make_add_file(struct request_parts *p, struct str name, struct str content,
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
    if (request_make_decode(content, encoding, bytes, err) < 0)
        return err_wrap(err, "'files': %.*s", (int)(name.n < 100 ? name.n : 100), name.p);
    p->inputs[p->input_count - 1].bytes = buf_str(bytes);
    return 0;
}

struct file_item {
    const char *name, *path;
    struct str content;
    int encoding;
};

#define AT(member) offsetof(struct file_item, member)

static const char *const encodings[] = {"utf8", "utf-8", "base64", NULL};

static const struct setting file_rows[] = {
    {.field = "name",
     .opt = {.kind = OPT_STRING, .offset = AT(name)},
     .code = CODE_NONE,
     .meaning = "path in the workspace, such as data/a.csv"},
    {.field = "path",
     .opt = {.kind = OPT_STRING, .offset = AT(path)},
     .code = CODE_NONE,
     .meaning = "the same as name"},
    {.field = "content",
     .shape = SHAPE_TEXT,
     .json_at = AT(content),
     .code = CODE_READ,
     .required = V_ANY,
     .meaning = "the file's content"},
    {.field = "encoding",
     .opt = {.kind = OPT_CHOICE, .offset = AT(encoding), .choices = encodings},
     .unset = "utf8",
     .meaning = "the encoding of content: text, or bytes in base64"},
    {.field = NULL},
};
const struct ask_form file_form = {.own = file_rows};

static int add_item(struct request_parts *p, const struct request_rules *rules, json_t *v,
                    struct err *err)
{
    struct file_item item = {0};

    if (!json_is_object(v))
        return err_set(err, ERR_USAGE,
                       "'files': an item must be an object with \"name\" and \"content\"");
    if (ask_read(&file_form, v, rules, &item, err) < 0)
        return err_wrap(err, "'files'");
    const char *name = item.name ? item.name : item.path;
    const char *encoding = encodings[item.encoding];
    if (!name || (item.name && item.path))
        return err_set(err, ERR_USAGE, "'files': a file needs one name, in 'name' or 'path'");
    return request_make_add_file(p, str_from(name), item.content,
                                 str_from(strcmp(encoding, "base64") == 0 ? encoding : ""), err);
}

static int request_make_add_files(struct request_parts *p, const struct request_rules *rules,
                                  json_t *v, struct err *err)
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
            return err_set(err, ERR_USAGE, "'files': the content of '%.100s' must be a string",
                           name);
        if (request_make_add_file(p, str_from(name), request_make_text_of(value),
                                  (struct str){NULL, 0}, err) < 0)
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

/* Returns the number in the unit of the field: 0.5 for 500 thousandths. */
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
        return err_set(err, ERR_POLICY, "'%s': 0 means no limit, and this daemon allows at most %s",
                       row->field, most);
    return err_set(err, ERR_POLICY, "'%s': %s is more than this daemon allows, %s", row->field,
                   show_limit(row, wanted, have, sizeof have), most);
}

/* The ceilings for clients also limit the daemon's own defaults. */
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

    if (!settings_requested(s, id)) {
        hold_default(row, rules->ceilings[id], value);
        return 0;
    }
    if (ceiling_check(rules, id, *value, err) < 0)
        return -1;
    if (row->opt.max && *value > row->opt.max)
        return err_set(err, ERR_USAGE, "'%s': %lld is too large; the maximum is %lld", row->field,
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

    if (!settings_requested(s, SETTING_python) || !s->python || !*s->python ||
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

int request_network(const char *text, const struct request_rules *rules, struct err *err)
{
    struct request_place place = {0};

    if (network_read(text, &place, err) < 0)
        return -1;
    if (place.net_host)
        return permit_check(rules, PERMIT_NET_HOST, "'net': 'host'", err);
    return place.net_rules ? network_check(rules, place.net_rules, err) : 0;
}

static int check_permits(const struct settings *s, const struct request_rules *rules,
                         struct err *err)
{
    if (check_python(s, rules, err) < 0)
        return -1;
    if (settings_requested(s, SETTING_image) && image_check(rules, s->image, err) < 0)
        return -1;
    return settings_requested(s, SETTING_net) ? request_network(s->net, rules, err) : 0;
}

/* An image that a client chose replaces every image and Dockerfile of the daemon's config file. */
static void choose_image(struct settings *s)
{
    bool image = settings_requested(s, SETTING_image),
         built = settings_requested(s, SETTING_dockerfile);

    if (image || built)
        s->dockerfile = s->e2b_template = NULL;
    if (!image && built)
        s->image = NULL;
}

/* ---- the request ---- */

static int set_work(const struct settings *s, const struct request_rules *rules,
                    struct request_parts *p, struct run_request *q, struct err *err)
{
    q->program.args = s->args.items;
    if (s->files && request_make_add_files(p, rules, s->files, err) < 0)
        return -1;
    q->workspace.inputs = q->place.build_files = p->inputs;
    q->workspace.input_count = q->place.build_file_count = p->input_count;
    if (s->data_json && add_values(p, s->data_json, err) < 0)
        return -1;
    if (s->data_json)
        q->workspace.data = NULL; /* not those of the daemon's own settings */
    q->workspace.values = p->values;
    q->workspace.value_count = p->value_count;
    if (!s->input_text.n)
        return 0;
    p->stdin_fd = fd_memory("glovebox-stdin", s->input_text.p, s->input_text.n, err);
    q->program.stdin_fd = p->stdin_fd;
    return p->stdin_fd < 0 ? -1 : 0;
}

static int set_context(const struct settings *s, struct run_request *q, struct err *err)
{
    const char *alone = s->invocation ? "invocation" : s->execution_id ? "execution_id" : NULL;

    if (!s->context_json && alone)
        return err_set(err, ERR_USAGE, "'%s' has no effect without 'context'", alone);
    q->context.document = s->context_json;
    return 0;
}

/* False if the packages are the operator's own choice for all clients. */
static bool chooses_packages(const struct request_place *place)
{
    bool by_program = place->environment && strcmp(place->environment, "auto") == 0;

    return place->packages_given || by_program;
}

int request_make(struct settings *ask, const struct request_rules *rules, struct request_parts *p,
                 struct run_request *ret, struct err *err)
{
    choose_image(ask);
    if (hold_ceilings(rules, ask, err) < 0 || check_permits(ask, rules, err) < 0 ||
        settings_request(ask, ret, err) < 0)
        return -1;
    if (settings_requested(ask, SETTING_without))
        ret->place.allow_unsafe = true;
    if (ask->prelude_text.p)
        ret->program.prelude = NULL; /* not that of the daemon's own settings */
    ret->program.languages = &rules->defaults->languages;
    ret->program.code = ask->code_text;
    ret->program.file = ask->filename && *ask->filename ? ask->filename : NULL;
    ret->place.only_known = chooses_packages(&ret->place) && (!(rules->permits & PERMIT_PACKAGES) ||
                                                              rules->lock_policy || rules->reviews);
    ret->policy.only_read = rules->lock_policy;
    ret->policy.reads_beside = rules->lock_policy || rules->reviews;
    if (set_context(ask, ret, err) < 0)
        return -1;
    return set_work(ask, rules, p, ret, err);
}
