/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's settings as the JSON that a daemon takes.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encoded.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "console/own_python.h"
#include "console/run_remote.h"
#include "jail/lay.h"
#include "languages/preludes.h"
#include "request/setting.h"

enum {
    FILES_MAX = 4 << 20, /* of all --file together */
};

/* ---- what can be sent ---- */

static bool is_valid(char *const *list)
{
    for (; list && *list; list++)
        if (!utf8_valid(str_from(*list)))
            return false;
    return true;
}

/* The option, or the thing, that keeps the run here; NULL for none. */
static const char *obstacle(const struct remote_run *run)
{
    const struct cli_settings *s = &run->options->settings;
    const struct run_request *q = run->request;

    if (s->trace_time)
        return "--trace-time";
    if (s->common.languages.user_count)
        return "a [language] section of the config file";
    if (!utf8_valid(q->code) || !is_valid(q->args) || (q->file && !utf8_valid(str_from(q->file))))
        return "a program, a name or an argument that is not UTF-8";
    return NULL;
}

/* With --daemon, the daemon decides about what needs a permission. An interpreter that the user
 * chose is first in our $PATH, not in the daemon's: the run is sent only where a daemon is
 * demanded. */
int remote_can_carry(const struct remote_run *run, struct err *err)
{
    const struct cli_settings *s = &run->options->settings;
    const struct setting *kept = settings_kept_here(&s->common, s->daemon);
    const char *what = obstacle(run);

    if (kept)
        return err_set(err, ERR_UNSUPPORTED,
                       "a daemon cannot honour --%s as it was given; leave out that option, or "
                       "--daemon",
                       kept->opt.name);
    if (what)
        return err_set(err, ERR_UNSUPPORTED, "a daemon cannot honour %s; leave out --daemon", what);
    return !s->daemon && own_python(s)
               ? err_set(err, ERR_UNSUPPORTED, "the active environment stays here")
               : 0;
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

/* In a request a prelude has no name. */
static const char *language_of(const struct run_request *q)
{
    const struct language *l = NULL;

    if (q->prelude && (!q->language || strcmp(q->language, "auto") == 0) &&
        !language_stated(q->languages, q->file, q->code))
        l = prelude_language(q->languages, q->prelude);
    return l ? l->name : q->language;
}

/* ---- files ---- */

/* Only files that a daemon would lay the same way: plain files that are not executable. */
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

/* SRC[:NAME], as in lay_add_file. */
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

int remote_put_files(json_t *body, const struct settings *s)
{
    size_t left = FILES_MAX;
    json_t *list = s->file.n ? json_array() : NULL;
    int result = 0;

    for (char *const *spec = s->file.items; list && *spec && result == 0; spec++)
        result = put_file(list, *spec, &left);
    if (list && result == 0)
        set(body, "files", json_incref(list));
    json_decref(list);
    return result;
}

/* ---- the body ---- */

static int put_input(json_t *body, const struct remote_run *run, struct buf *input)
{
    if (remote_take_input(run, input) < 0 || !utf8_valid(buf_str(input)))
        return -1;
    if (input->n)
        set(body, "stdin", json_stringn(input->p, input->n));
    return 0;
}

json_t *remote_body(struct remote_run *run, struct buf *input)
{
    const struct run_request *q = run->request;
    json_t *body = json_object();
    struct err err;

    set(body, "code", json_stringn(q->code.p ? q->code.p : "", q->code.n));
    set_text(body, "filename", q->file);
    set_text(body, "language", language_of(q));
    set_words(body, "args", q->args);
    if (q->out_dir)
        set(body, "collect", json_true());
    /* Input last: if the request is not sent, the bytes read must be given back. */
    const struct settings *s = &run->options->settings.common;
    if (settings_send(s, run->options->settings.daemon, body, &err) == 0 &&
        remote_put_files(body, s) == 0 &&
        remote_put_context(body, q, run->stream.cancel_fd, &run->context.before) == 0 &&
        put_input(body, run, input) == 0)
        return body;
    json_decref(body);
    return NULL;
}
