/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's settings as the JSON of a daemon's request.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "languages/preludes.h"
#include "remote/own_python.h"
#include "remote/run_remote.h"
#include "request/setting.h"
#include "workspace/workspace.h"

enum {
    FILES_MAX = 4 << 20, /* bytes of all --file together */
};

/* ---- what can be sent ---- */

static bool is_valid(char *const *list)
{
    for (; list && *list; list++)
        if (!utf8_valid(str_from(*list)))
            return false;
    return true;
}

/* Returns the option or the other reason because of which the run stays in this process; NULL for
 * none. */
static const char *obstacle(const struct remote_run *run)
{
    const struct cli_settings *s = &run->options->settings;
    const struct run_request *q = run->request;

    if (s->trace_time)
        return "--trace-time";
    if (s->common.languages.user_count)
        return "a [language] section of the config file";
    if (!utf8_valid(q->program.code) || !is_valid(q->program.args) ||
        (q->program.file && !utf8_valid(str_from(q->program.file))))
        return "a program, a name or an argument that is not UTF-8";
    return NULL;
}

/* With --daemon, the daemon decides about settings that need a permission. The active environment
 * is first in our $PATH, not in the daemon's: without --daemon, such a run stays here. */
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
               ? err_set(err, ERR_UNSUPPORTED, "a daemon cannot use the active virtual environment")
               : 0;
}

/* ---- parts of the body ---- */

static void run_remote_request_set(json_t *body, const char *key, json_t *value)
{
    json_object_set_new_nocheck(body, key, value);
}

static void set_text(json_t *body, const char *key, const char *text)
{
    if (text)
        run_remote_request_set(body, key, json_string(text));
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
        run_remote_request_set(body, key, words(list));
}

/* A prelude is sent without a name. */
static const char *language_of(const struct run_request *q)
{
    const struct language *l = NULL;

    if (q->program.prelude && (!q->program.language || strcmp(q->program.language, "auto") == 0) &&
        !language_stated(q->program.languages, q->program.file, q->program.code))
        l = prelude_language(q->program.languages, q->program.prelude);
    return l ? l->name : q->program.language;
}

/* ---- files ---- */

/* Reads only files that a daemon would lay in the same way: regular files that are not executable.
 */
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

/* Adds SRC[:NAME], read as by lay_add_file. */
static int run_remote_request_put_file(json_t *list, const char *spec, size_t *left)
{
    AUTO_BUF struct buf bytes = {0}, text = {0};
    struct str name;
    AUTO_FREE char *src = file_spec_source(spec, &name);

    if (!utf8_valid(name) || read_one(src, *left, &bytes) < 0)
        return -1;
    *left -= bytes.n;
    json_t *item = json_object();
    run_remote_request_set(item, "name", json_stringn(name.p, name.n));
    if (utf8_valid(buf_str(&bytes))) {
        run_remote_request_set(item, "content", json_stringn(bytes.p, bytes.n));
    } else {
        buf_init(&text, 2 * bytes.n + 8);
        (void)base64_add(&text, buf_str(&bytes));
        run_remote_request_set(item, "content", json_stringn(text.p, text.n));
        run_remote_request_set(item, "encoding", json_string("base64"));
    }
    return json_array_append_new(list, item);
}

int remote_put_files(json_t *body, const struct settings *s)
{
    size_t left = FILES_MAX;
    json_t *list = s->file.n ? json_array() : NULL;
    int result = 0;

    for (char *const *spec = s->file.items; list && *spec && result == 0; spec++)
        result = run_remote_request_put_file(list, *spec, &left);
    if (list && result == 0)
        run_remote_request_set(body, "files", json_incref(list));
    json_decref(list);
    return result;
}

/* ---- the body ---- */

static int put_input(json_t *body, const struct remote_run *run, struct buf *input)
{
    if (remote_take_input(run, input) < 0 || !utf8_valid(buf_str(input)))
        return -1;
    if (input->n)
        run_remote_request_set(body, "stdin", json_stringn(input->p, input->n));
    return 0;
}

json_t *remote_body(struct remote_run *run, struct buf *input)
{
    const struct run_request *q = run->request;
    json_t *body = json_object();
    struct err err;

    run_remote_request_set(
        body, "code", json_stringn(q->program.code.p ? q->program.code.p : "", q->program.code.n));
    set_text(body, "filename", q->program.file);
    set_text(body, "language", language_of(q));
    set_words(body, "args", q->program.args);
    if (q->workspace.out_dir)
        run_remote_request_set(body, "collect", json_true());
    /* Standard input comes last: if the request is not sent, the bytes that were read must be given
     * back. */
    const struct settings *s = &run->options->settings.common;
    if (settings_send(s, run->options->settings.daemon, body, &err) == 0 &&
        remote_put_files(body, s) == 0 &&
        remote_put_context(body, q, run->stream.cancel_fd, &run->context.before) == 0 &&
        put_input(body, run, input) == 0)
        return body;
    json_decref(body);
    return NULL;
}
