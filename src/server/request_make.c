/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoded fields become a run_request.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/backend.h"
#include "base/fd.h"
#include "base/mem.h"
#include "guard/policy.h"
#include "python/python.h"
#include "server/run_fields.h"
#include "text/encoded.h"

enum {
    RETRIES_MAX = 10,
    RETRY_DELAY_MAX = 10000,
    INPUTS_MAX = 10000,
    DATA_MAX = 64,
};

void request_parts_init(struct request_parts *parts)
{
    *parts = (struct request_parts){.stdin_fd = -1};
}

static void free_words(char **words)
{
    for (char **w = words; w && *w; w++)
        free(*w);
    free(words);
}

void request_parts_done(struct request_parts *p)
{
    free_words(p->args);
    free_words(p->env);
    free_words(p->files);
    free_words(p->ro);
    free_words(p->data);
    free_words(p->allow_imports);
    free_words(p->forbid_imports);
    for (size_t i = 0; i < p->input_count; i++)
        buf_done(&p->contents[i]);
    free(p->inputs);
    free(p->contents);
    for (size_t i = 0; i < p->fd_count; i++)
        fd_close(&p->fds[i]);
    free(p->fds);
    free(p->prelude);
    fd_close(&p->stdin_fd);
    request_parts_init(p);
}

/* ---- words ---- */

static char **words_of(json_t *v)
{
    size_t n = json_is_array(v) ? json_array_size(v) : 1;
    char **words = xcalloc(n + 1, sizeof *words);

    for (size_t i = 0; i < n; i++)
        words[i] = xstrdup(json_string_value(json_is_array(v) ? json_array_get(v, i) : v));
    return words;
}

/* The config's own, then the request's. */
static char **joined(const struct opt_list *own, json_t *v)
{
    char **words = words_of(v);
    size_t n = 0;

    while (words[n])
        n++;
    char **all = xcalloc(own->n + n + 1, sizeof *all);
    for (size_t i = 0; i < own->n; i++)
        all[i] = xstrdup(own->items[i]);
    memcpy(all + own->n, words, n * sizeof *all);
    free(words);
    return all;
}

static int env_of(const struct opt_list *own, json_t *v, char ***ret, struct err *err)
{
    const char *name;
    json_t *value;
    size_t n = own->n;
    char **env = *ret = xcalloc(own->n + json_object_size(v) + 1, sizeof *env);

    for (size_t i = 0; i < own->n; i++)
        env[i] = xstrdup(own->items[i]);
    json_object_foreach(v, name, value)
    {
        if (!*name || strchr(name, '='))
            return err_set(err, ERR_USAGE, "'env': '%.60s' is no name for a variable", name);
        env[n++] = xasprintf("%s=%s", name, json_string_value(value));
    }
    return 0;
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

static int add_item(struct request_parts *p, const struct config *config, json_t *v,
                    struct err *err)
{
    static const char *const encodings[] = {"", "", "", "base64"};
    struct field rows[5];
    const struct field *const tables[] = {rows, NULL};
    struct file_item item;

    memcpy(rows, file_fields, sizeof rows);
    rows[0].offset = offsetof(struct file_item, name);
    rows[1].offset = offsetof(struct file_item, path);
    rows[2].offset = offsetof(struct file_item, content);
    rows[3].offset = offsetof(struct file_item, encoding);
    if (fields_read(tables, v, config, &item, err) < 0)
        return err_wrap(err, "'files'");
    const char *name = item.name ? item.name : item.path;
    if (!name || (item.name && item.path))
        return err_set(err, ERR_USAGE, "'files': a file has one name, in 'name' (or 'path')");
    return add_file(p, str_from(name), item.content, str_from(encodings[item.encoding]), err);
}

static int add_files(struct request_parts *p, const struct config *config, json_t *v,
                     struct err *err)
{
    const char *name;
    json_t *value;
    size_t i;

    json_array_foreach(v, i, value) if (add_item(p, config, value, err) < 0) return -1;
    if (!json_is_object(v))
        return 0;
    json_object_foreach(v, name, value)
    {
        if (!json_is_string(value))
            return err_set(err, ERR_USAGE, "'files': the content of '%.100s' is a text", name);
        if (add_file(p, str_from(name), text_of(value), (struct str){NULL, 0}, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- text that the session reads from a path ---- */

static char *memory_path(struct request_parts *p, struct str bytes, struct err *err)
{
    int fd = fd_memory("glovebox-request", bytes.p, bytes.n, err);

    if (fd < 0)
        return NULL;
    p->fds = xrealloc_array(p->fds, p->fd_count + 1, sizeof *p->fds);
    p->fds[p->fd_count++] = fd;
    return xasprintf("/proc/self/fd/%d", fd);
}

static int add_data(struct request_parts *p, json_t *v, struct err *err)
{
    const char *name;
    json_t *value;
    size_t n = 0;

    if (json_object_size(v) > DATA_MAX)
        return err_set(err, ERR_LIMIT, "'data': there are more than %d values", DATA_MAX);
    p->data = xcalloc(json_object_size(v) + 1, sizeof *p->data);
    json_object_foreach(v, name, value)
    {
        AUTO_FREE char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        AUTO_FREE char *path = text ? memory_path(p, str_from(text), err) : NULL;
        if (strchr(name, '='))
            return err_set(err, ERR_USAGE, "'data': '%.60s' is no name for a variable", name);
        if (!path)
            return text ? -1 : err_set(err, ERR_USAGE, "'data': '%.60s' cannot be written", name);
        p->data[n++] = xasprintf("%s=%s", name, path);
    }
    return 0;
}

/* ---- limits ---- */

int ceiling_check(const char *name, int64_t wanted, int64_t ceiling, struct err *err)
{
    if (ceiling && (wanted > ceiling || !wanted))
        return err_set(err, ERR_POLICY, "'%s': %s%lld is more than this daemon allows, %lld", name,
                       wanted ? "" : "no limit, ", (long long)wanted, (long long)ceiling);
    return 0;
}

/* Absent: the default, or the ceiling where that is less. */
static int limit(const char *name, int64_t wanted, int64_t initial, int64_t ceiling, int64_t *ret,
                 struct err *err)
{
    if (wanted < 0) {
        *ret = ceiling && (!initial || initial > ceiling) ? ceiling : initial;
        return 0;
    }
    *ret = wanted;
    return ceiling_check(name, wanted, ceiling, err);
}

static int set_limits(const struct run_fields *f, const struct config *config,
                      struct run_request *q, struct err *err)
{
    const struct server_settings *s = &config->settings;
    struct jail_limits *l = &q->limits;
    int64_t memory, disk, inodes, pids, files, cpus, output;
    int64_t wanted_cpus = f->cpus < 0 ? -1 : f->cpus > 4096 ? 4096000 : (int64_t)(f->cpus * 1000);

    if (f->cpus > 0 && !wanted_cpus)
        return err_set(err, ERR_USAGE, "'cpus': the least is 0.001; 0 is no limit");
    if (limit("timeout_ms", f->timeout_ms, l->wall_ms, s->max_timeout_ms, &l->wall_ms, err) < 0 ||
        limit("cpu_time_ms", f->cpu_time_ms, l->cpu_ms, s->max_cpu_time_ms, &l->cpu_ms, err) < 0 ||
        limit("memory_bytes", f->memory_bytes, (int64_t)l->memory_bytes, (int64_t)s->max_memory,
              &memory, err) < 0 ||
        limit("disk_bytes", f->disk_bytes, (int64_t)l->disk_bytes, (int64_t)s->max_disk, &disk,
              err) < 0 ||
        limit("inodes", f->inodes, (int64_t)l->inodes, 1 << 24, &inodes, err) < 0 ||
        limit("pids", f->pids, l->pids, s->max_pids, &pids, err) < 0 ||
        limit("open_files", f->open_files, l->open_files, 1 << 20, &files, err) < 0 ||
        limit("cpus (in thousandths)", wanted_cpus, l->cpu_milli, s->max_cpus_milli, &cpus, err) <
            0 ||
        limit("output_limit_bytes", f->output_limit_bytes, (int64_t)q->output_limit,
              (int64_t)s->max_output_limit, &output, err) < 0)
        return -1;
    q->asked |= (f->cpus >= 0 ? (unsigned)ASKED_CPUS : 0) |
                (f->pids >= 0 ? (unsigned)ASKED_PIDS : 0) |
                (f->inodes >= 0 ? (unsigned)ASKED_INODES : 0);
    if (pids > UINT32_MAX || output > 1 << 30)
        return err_set(err, ERR_USAGE, "a limit is out of range");
    l->memory_bytes = (uint64_t)memory;
    l->disk_bytes = (uint64_t)disk;
    l->inodes = (uint64_t)inodes;
    l->pids = (uint32_t)pids;
    l->open_files = (uint32_t)files;
    l->cpu_milli = (uint32_t)cpus;
    q->output_limit = output ? (uint64_t)output : 1ULL << 30;
    return 0;
}

static int set_retries(const struct run_fields *f, struct run_request *q, struct err *err)
{
    int64_t retries, delay;

    if (limit("retries", f->retries ? f->retries : -1, q->retries, RETRIES_MAX, &retries, err) <
            0 ||
        limit("retry_delay_ms", f->retry_delay_ms ? f->retry_delay_ms : -1, q->retry_delay_ms,
              RETRY_DELAY_MAX, &delay, err) < 0)
        return -1;
    q->retries = f->retries == 0 ? 0 : (int)retries;
    q->retry_delay_ms = f->retry_delay_ms == 0 ? 0 : delay;
    return 0;
}

/* ---- the wall and the guard ---- */

static int layers_of(json_t *v, const char *name, layer_mask *ret, struct err *err)
{
    char **words = words_of(v);
    int result = 0;

    for (char **w = words; *w && result == 0; w++) {
        layer_mask some = 0;
        result = layers_parse(str_from(*w), &some, err);
        *ret |= some;
    }
    free_words(words);
    return result < 0 ? err_wrap(err, "'%s'", name) : 0;
}

static int need(const struct config *config, enum permit permit, const char *what, struct err *err)
{
    if (config->permits & permit)
        return 0;
    return err_set(err, ERR_POLICY,
                   "%s is not allowed here: who runs this daemon has to say --allow %s", what,
                   permit_name(permit));
}

static int set_wall(const struct run_fields *f, const struct config *config, struct run_request *q,
                    struct err *err)
{
    if (f->backend) {
        const struct backend_ops *backend = backend_find(str_from(f->backend), err);
        if (!backend)
            return -1;
        if (backend->unsafe && need(config, PERMIT_HOST_BACKEND, "'backend': 'host'", err) < 0)
            return -1;
        q->backend = f->backend;
        q->allow_unsafe |= backend->unsafe;
    }
    if (f->net == 2 && need(config, PERMIT_NET_HOST, "'net': 'host'", err) < 0)
        return -1;
    if (f->net)
        q->net_host = f->net == 2;
    if (f->net == 1)
        q->asked |= ASKED_NO_NET;
    if (f->require && layers_of(f->require, "require", &q->required, err) < 0)
        return -1;
    if (f->cold)
        q->cold = f->cold == TRI_TRUE;
    if (f->without) {
        if (layers_of(f->without, "without", &q->without, err) < 0)
            return -1;
        q->allow_unsafe = true;
    }
    if (q->required & q->without)
        return err_set(err, ERR_USAGE, "'require' and 'without' contradict each other");
    if (q->net_host && q->required & LAYER_BIT(LAYER_NETNS))
        return err_set(err, ERR_USAGE,
                       "'net': 'host' and 'require': 'netns' contradict each other");
    return 0;
}

/* A policy file is a file of the host. */
static int set_profile(const char *name, const struct config *config, struct run_request *q,
                       struct err *err)
{
    for (const struct profile_info *p = profiles; p->name; p++)
        if (strcmp(p->name, name) == 0) {
            q->profile = name;
            return 0;
        }
    if (!(config->permits & PERMIT_HOST_FILES))
        return err_set(err, ERR_USAGE, "there is no profile '%.60s'", name);
    q->profile = name;
    return 0;
}

static int set_policy(const struct run_fields *f, const struct config *config,
                      struct request_parts *p, struct run_request *q, struct err *err)
{
    const struct settings *s = &config->settings.common;

    if (f->check && f->no_check && (f->check == TRI_TRUE) == (f->no_check == TRI_TRUE))
        return err_set(err, ERR_USAGE, "'check' and 'no_check' contradict each other");
    q->only_read = config->settings.lock_policy;
    if (f->check)
        q->no_check = f->check == TRI_FALSE;
    if (f->no_check)
        q->no_check = f->no_check == TRI_TRUE;
    if (f->profile && set_profile(f->profile, config, q, err) < 0)
        return -1;
    if (f->allow_imports)
        q->allow_imports = p->allow_imports = joined(&s->allow_imports, f->allow_imports);
    if (f->forbid_imports)
        q->forbid_imports = p->forbid_imports = joined(&s->forbid_imports, f->forbid_imports);
    if (f->target)
        q->target = f->target == 1 ? 0 : PYTHON_OLDEST + (unsigned)f->target - 2;
    if (f->prelude.p) {
        p->prelude = memory_path(p, f->prelude, err);
        q->prelude = p->prelude;
    }
    return f->prelude.p && !p->prelude ? -1 : 0;
}

/* ---- the whole ---- */

static int set_work(const struct run_fields *f, const struct config *config,
                    struct request_parts *p, struct run_request *q, struct err *err)
{
    const struct settings *s = &config->settings.common;

    if (f->args)
        q->args = p->args = words_of(f->args);
    if (f->files && add_files(p, config, f->files, err) < 0)
        return -1;
    q->inputs = p->inputs;
    q->input_count = p->input_count;
    if (f->env && env_of(&s->env, f->env, &p->env, err) < 0)
        return -1;
    if (f->env)
        q->env = p->env;
    if (f->data && add_data(p, f->data, err) < 0)
        return -1;
    if (f->data)
        q->data = p->data;
    if (f->optimize_data)
        q->optimize_data = f->optimize_data == TRI_TRUE;
    if (f->host_files)
        q->files = p->files = joined(&s->files, f->host_files);
    if (f->ro)
        q->ro = p->ro = joined(&s->ro, f->ro);
    q->work_dir = f->work_dir ? f->work_dir : q->work_dir;
    q->out_dir = f->out_dir ? f->out_dir : q->out_dir;
    if (!f->input.n)
        return 0;
    p->stdin_fd = fd_memory("glovebox-stdin", f->input.p, f->input.n, err);
    q->stdin_fd = p->stdin_fd;
    return p->stdin_fd < 0 ? -1 : 0;
}

int request_make(const struct run_fields *f, const struct config *config, struct request_parts *p,
                 struct run_request *ret, struct err *err)
{
    *ret = config->defaults;
    ret->stdin_fd = -1;
    ret->code = f->code;
    ret->file = f->filename && *f->filename ? f->filename : NULL;
    if (f->language)
        ret->language = f->language;
    if (f->log)
        ret->log = f->log;
    if (set_limits(f, config, ret, err) < 0 || set_retries(f, ret, err) < 0 ||
        set_wall(f, config, ret, err) < 0 || set_policy(f, config, p, ret, err) < 0)
        return -1;
    return set_work(f, config, p, ret, err);
}
