/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's settings as the JSON that a daemon takes.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/run_remote.h"
#include "jail/lay.h"
#include "text/encoded.h"

enum {
    FILES_MAX = 4 << 20, /* of all --file together */
};

/* ---- what can be carried over ---- */

static bool is_valid(char *const *list)
{
    for (; list && *list; list++)
        if (!utf8_valid(str_from(*list)))
            return false;
    return true;
}

/* An interpreter of the user's own choice is first in our $PATH, not in the daemon's. */
static bool has_own_interpreter(void)
{
    static const char *const names[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return true;
    }
    return false;
}

/* A user's config file holds for the daemon too, which is the same user's. */
static bool is_own(const struct opt_set *set, const char *name)
{
    enum opt_from from = opt_source_of(set, name)->from;

    return from != OPT_FROM_DEFAULT && from != OPT_FROM_USER;
}

static bool is_built_in(const char *profile)
{
    if (!profile)
        return true;
    for (const struct profile_info *p = profiles; p->name; p++)
        if (strcmp(p->name, profile) == 0)
            return true;
    return false;
}

bool remote_can_carry(const struct remote_run *run)
{
    const struct cli_settings *s = &run->options->settings;
    const struct settings *c = &s->common;
    const struct run_request *q = run->request;
    bool plain_wall = (!c->backend || strcmp(c->backend, "jail") == 0) && !c->allow_unsafe &&
                      !c->net && !c->ro.n && !c->without.n;
    bool plain_work = !c->work_dir && !c->context && !c->invocation && !c->execution_id &&
                      !c->data.n && !c->languages.user_count;
    bool plain_log = !is_own(&run->options->set, "log") && !is_own(&run->options->set, "log-code");

    return !c->no_daemon && !c->cold && !s->trace_time && plain_wall && plain_work && plain_log &&
           is_built_in(c->profile) && !has_own_interpreter() && utf8_valid(q->code) &&
           is_valid(q->args) && is_valid(q->env) && is_valid(q->allow_imports) &&
           is_valid(q->forbid_imports) && (!q->file || utf8_valid(str_from(q->file)));
}

/* ---- parts of the body ---- */

static void set(json_t *body, const char *key, json_t *value)
{
    json_object_set_new_nocheck(body, key, value);
}

static void set_text(json_t *body, const char *key, const char *text)
{
    if (text)
        set(body, key, json_string(text));
}

static void set_number(json_t *body, const char *key, int64_t n)
{
    set(body, key, json_integer((json_int_t)n));
}

static json_t *words(char *const *list)
{
    json_t *array = json_array();

    for (; list && *list; list++)
        json_array_append_new(array, json_string(*list));
    return array;
}

static void set_words(json_t *body, const char *key, char *const *list)
{
    if (list && *list)
        set(body, key, words(list));
}

/* K alone is the value that we have. */
static int put_env(json_t *body, char *const *env)
{
    json_t *map = json_object();

    for (; env && *env; env++) {
        const char *equals = strchr(*env, '=');
        AUTO_FREE char *name = xstrndup(*env, equals ? (size_t)(equals - *env) : strlen(*env));
        const char *value = equals ? equals + 1 : getenv(name);
        if (!*name || (value && !utf8_valid(str_from(value)))) {
            json_decref(map);
            return -1;
        }
        if (value)
            set(map, name, json_string(value));
    }
    if (json_object_size(map))
        set(body, "env", json_incref(map));
    json_decref(map);
    return 0;
}

static int put_prelude(json_t *body, const char *path)
{
    AUTO_BUF struct buf b = {0};
    struct err err;

    buf_init(&b, RUN_SOURCE_MAX);
    if (!path)
        return 0;
    if (fd_read_file(path, &b, &err) < 0 || !utf8_valid(buf_str(&b)))
        return -1;
    set(body, "prelude", json_stringn(b.p, b.n));
    return 0;
}

/* Over there a prelude has no name. */
static const char *language_of(const struct run_request *q)
{
    const struct language *l = NULL;

    if (q->prelude && (!q->language || strcmp(q->language, "auto") == 0) &&
        !language_stated(q->languages, q->file, q->code))
        l = language_stated(q->languages, q->prelude, STR(""));
    return l ? l->name : q->language;
}

/* Only what the user set: of the rest the daemon has its own. */
static void put_limits(json_t *body, const struct run_request *q, const struct settings *s)
{
    const struct jail_limits *l = &q->limits;
    const struct {
        const char *option, *field;
        int64_t value;
    } rows[] = {
        {"timeout", "timeout_ms", l->wall_ms},
        {"cpu-time", "cpu_time_ms", l->cpu_ms},
        {"memory", "memory_bytes", (int64_t)l->memory_bytes},
        {"disk", "disk_bytes", (int64_t)l->disk_bytes},
        {"inodes", "inodes", (int64_t)l->inodes},
        {"pids", "pids", l->pids},
        {"open-files", "open_files", l->open_files},
        {"output-limit", "output_limit_bytes", (int64_t)s->output_limit},
        {"retries", "retries", q->retries},
        {"retry-delay", "retry_delay_ms", q->retry_delay_ms},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (settings_asked(s, rows[i].option))
            set_number(body, rows[i].field, rows[i].value);
    if (settings_asked(s, "cpus"))
        set(body, "cpus", json_real((double)l->cpu_milli / 1000));
}

int remote_put_common(json_t *body, const struct settings *s, const struct run_request *q)
{
    static const char *const targets[] = {"auto", "3.11", "3.12", "3.13", "3.14"};

    put_limits(body, q, s);
    set_text(body, "profile", q->profile);
    set_words(body, "allow_imports", q->allow_imports);
    set_words(body, "forbid_imports", q->forbid_imports);
    set_words(body, "require", s->require.items);
    if (s->target > 0 && (size_t)s->target < ARRAY_LEN(targets))
        set_text(body, "target", targets[s->target]);
    if (q->no_check)
        set(body, "no_check", json_true());
    if (q->optimize_data)
        set(body, "optimize_data", json_true());
    return put_env(body, q->env) < 0 ? -1 : put_prelude(body, q->prelude);
}

/* ---- files ---- */

/* Only what a daemon would lay the same: a plain file that cannot be executed. */
static int read_one(const char *path, size_t left, struct buf *ret)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_mode & 0111 ||
        (uint64_t)st.st_size > left)
        return -1;
    buf_init(ret, left);
    return fd_read_all(fd, ret);
}

/* SRC[:NAME], as lay_add_file has it. */
static int put_file(json_t *list, const char *spec, size_t *left)
{
    AUTO_BUF struct buf bytes = {0}, text = {0};
    const char *colon = strrchr(spec, ':');
    AUTO_FREE char *src = xstrndup(spec, colon ? (size_t)(colon - spec) : strlen(spec));
    struct str folder, name = str_from(colon ? colon + 1 : src);

    if (!colon)
        lay_path_split(str_from(src), &folder, &name);
    if (!utf8_valid(name) || read_one(src, *left, &bytes) < 0)
        return -1;
    *left -= bytes.n;
    json_t *item = json_object();
    set(item, "name", json_stringn(name.p, name.n));
    if (utf8_valid(buf_str(&bytes))) {
        set(item, "content", json_stringn(bytes.p, bytes.n));
    } else {
        buf_init(&text, 2 * bytes.n + 8);
        (void)base64_add(&text, buf_str(&bytes));
        set(item, "content", json_stringn(text.p, text.n));
        set(item, "encoding", json_string("base64"));
    }
    return json_array_append_new(list, item);
}

int remote_put_files(json_t *body, const struct run_request *q)
{
    size_t left = FILES_MAX;
    json_t *list = q->files && *q->files ? json_array() : NULL;
    int result = 0;

    for (char *const *spec = q->files; list && *spec && result == 0; spec++)
        result = put_file(list, *spec, &left);
    if (list && result == 0)
        set(body, "files", json_incref(list));
    json_decref(list);
    return result;
}

/* ---- the whole ---- */

static int put_input(json_t *body, const struct remote_run *run, struct buf *input)
{
    if (remote_take_input(run, input) < 0 || !utf8_valid(buf_str(input)))
        return -1;
    if (input->n)
        set(body, "stdin", json_stringn(input->p, input->n));
    return 0;
}

char *remote_body(struct remote_run *run, struct buf *input)
{
    const struct run_request *q = run->request;
    json_t *body = json_object();
    char *text = NULL;

    set(body, "code", json_stringn(q->code.p ? q->code.p : "", q->code.n));
    set_text(body, "filename", q->file);
    set_text(body, "language", language_of(q));
    set_words(body, "args", q->args);
    if (q->out_dir)
        set(body, "collect", json_true());
    /* Input last: what was read of it has to be given back when it is for nothing. */
    if (remote_put_common(body, &run->options->settings.common, q) == 0 &&
        remote_put_files(body, q) == 0 && put_input(body, run, input) == 0)
        text = json_dumps(body, JSON_COMPACT);
    json_decref(body);
    return text;
}
