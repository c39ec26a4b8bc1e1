/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/hide_key.h"
#include "formats/json_get.h"
#include "formats/printable.h"
#include "net/url.h"

enum { RECORD_MAX = 256 << 20, LINE_MAX_BYTES = 160 << 20 };

/* ---- writing ---- */

struct llm_record {
    int fd;
    char *path;
};

/* An existing file may be readable by others. A device or a pipe is not changed. */
static int make_private(int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -1;
    return S_ISREG(st.st_mode) && st.st_mode & 077 ? fchmod(fd, 0600) : 0;
}

int llm_record_open(const char *path, struct llm_record **ret, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_sys(err, "open --record %s", path);
    if (make_private(fd) < 0) {
        err_sys(err, "make --record %s readable only by you", path);
        close(fd);
        return -1;
    }
    struct llm_record *record = xcalloc(1, sizeof *record);
    record->fd = fd;
    record->path = xstrdup(path);
    *ret = record;
    return 0;
}

void llm_record_close(struct llm_record *record)
{
    if (!record)
        return;
    fd_close(&record->fd);
    free(record->path);
    free(record);
}

/* Returns the text without the key, as valid UTF-8. Invalid bytes become U+FFFD, so a replay of an
 * answer with such bytes is broken in another way than the answer was. */
static json_t *clean_text(struct str text, const char *key)
{
    AUTO_BUF struct buf hidden = {0};
    AUTO_BUF struct buf clean = {0};

    buf_init(&hidden, LINE_MAX_BYTES);
    buf_init(&clean, LINE_MAX_BYTES);
    hide_key(&hidden, text, key);
    (void)utf8_add_clean(&clean, buf_str(&hidden));
    return json_stringn(clean.p, clean.n);
}

static void add_answer(json_t *line, const struct llm_exchange *x, const char *key)
{
    if (x->status)
        json_object_update_new(line,
                               json_pack("{s:i, s:o, s:o}", "status", (int)x->status, "headers",
                                         clean_text(buf_str(&x->header_lines), key), "body",
                                         clean_text(buf_str(&x->body), key)));
    if (x->failed)
        json_object_update_new(line, json_pack("{s:i, s:o}", "failure", (int)x->failure, "words",
                                               clean_text(buf_str(&x->words), key)));
}

int llm_record_add(struct llm_record *record, const struct llm_place *place,
                   const struct llm_exchange *x, struct err *err)
{
    AUTO_BUF struct buf shown = {0};
    AUTO_FREE char *url = llm_place_url(place, x->path);

    buf_init(&shown, 4096);
    url_add_shown(&shown, str_from(url));
    json_t *line =
        json_pack("{s:s, s:s, s:s, s:s, s:O}", "provider", place->provider->name, "model",
                  place->model, "url", shown.p, "path", x->path, "request", x->request);
    add_answer(line, x, place->key);
    char *text = json_dumps(line, JSON_COMPACT);
    json_decref(line);
    int status = fd_write_all(record->fd, text, strlen(text));
    if (status == 0)
        status = fd_write_all(record->fd, "\n", 1);
    free(text);
    return status < 0 ? err_sys(err, "write --record %s", record->path) : 0;
}

/* ---- reading ---- */

struct llm_replay {
    char *path;
    json_t *lines; /* used ones are null */
    char *first;
};

static int record_add_line(struct llm_replay *replay, struct str line, size_t number,
                           struct err *err)
{
    json_error_t where;
    json_t *exchange = json_loadb(line.p, line.n, JSON_ALLOW_NUL, &where);

    if (!json_is_object(json_object_get(exchange, "request")) ||
        !json_get_text(exchange, "provider") || !json_get_text(exchange, "model")) {
        json_decref(exchange);
        return err_set(err, ERR_USAGE, "%s:%zu: this line was not written by --record",
                       replay->path, number);
    }
    json_array_append_new(replay->lines, exchange);
    return 0;
}

static int record_read_lines(struct llm_replay *replay, struct str text, struct err *err)
{
    struct str line;

    for (size_t number = 1; str_next_line(&text, &line); number++)
        if (line.n && record_add_line(replay, line, number, err) < 0)
            return -1;
    const json_t *first = json_array_get(replay->lines, 0);
    if (!first)
        return err_set(err, ERR_USAGE, "%s: the record is empty", replay->path);
    replay->first =
        xasprintf("%s/%s", json_get_text(first, "provider"), json_get_text(first, "model"));
    return 0;
}

int llm_replay_open(const char *path, struct llm_replay **ret, struct err *err)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, RECORD_MAX);
    if (fd_read_file(path, &text, err) < 0)
        return err_wrap(err, "--replay");
    struct llm_replay *replay = xcalloc(1, sizeof *replay);
    replay->path = xstrdup(path);
    replay->lines = json_array();
    if (record_read_lines(replay, buf_str(&text), err) < 0) {
        llm_replay_close(replay);
        return -1;
    }
    *ret = replay;
    return 0;
}

void llm_replay_close(struct llm_replay *replay)
{
    if (!replay)
        return;
    json_decref(replay->lines);
    free(replay->path);
    free(replay->first);
    free(replay);
}

const char *llm_replay_first_model(const struct llm_replay *replay)
{
    return replay->first;
}

/* ---- answering ---- */

static bool is_same(const json_t *line, const struct llm_place *place, const struct llm_exchange *x)
{
    const struct provider *provider = provider_named(json_str(json_object_get(line, "provider")));

    return provider && provider->protocol == place->provider->protocol &&
           str_is(json_str(json_object_get(line, "path")), x->path) &&
           json_equal(json_object_get(line, "request"), x->request);
}

/* Returns the name of the first member that differs. */
static const char *difference(const json_t *was, const json_t *is)
{
    const char *name;
    json_t *member;

    json_object_foreach((json_t *)(uintptr_t)is, name,
                        member) if (!json_equal(json_object_get(was, name), member)) return name;
    json_object_foreach((json_t *)(uintptr_t)was, name,
                        member) if (!json_object_get(is, name)) return name;
    return "the address";
}

static int no_match(const struct llm_replay *replay, const struct llm_exchange *x, struct err *err)
{
    AUTO_BUF struct buf name = {0};
    const json_t *line;
    size_t i;

    buf_init(&name, 256);
    json_array_foreach(replay->lines, i, line)
    {
        if (json_is_null(line))
            continue;
        printable_add_word(&name,
                           str_from(difference(json_object_get(line, "request"), x->request)), 40);
        return err_set(err, ERR_USAGE,
                       "%s: the request is not in the record: it differs from exchange %zu in '%s'",
                       replay->path, i + 1, name.p);
    }
    return err_set(err, ERR_USAGE, "%s: the record has no further exchange", replay->path);
}

static void take_answer(const json_t *line, struct llm_exchange *x)
{
    json_int_t status = json_get_int(line, "status"), failure = json_get_int(line, "failure");
    bool known = failure >= FETCH_NOT_CONNECTED && failure <= FETCH_BAD_REQUEST;

    x->status = status > 0 && status < 1000 ? (unsigned)status : 0;
    (void)buf_add_str(&x->header_lines, json_str(json_object_get(line, "headers")));
    (void)buf_add_str(&x->body, json_str(json_object_get(line, "body")));
    (void)buf_add_str(&x->words, json_str(json_object_get(line, "words")));
    x->failed = json_object_get(line, "failure") || !x->status;
    x->failure = !x->failed ? 0 : known ? (enum fetch_failure)failure : FETCH_BROKEN;
}

int llm_replay_answer(struct llm_replay *replay, const struct llm_place *place,
                      struct llm_exchange *x, struct err *err)
{
    const json_t *line;
    size_t i;

    json_array_foreach(replay->lines, i, line)
    {
        if (json_is_null(line) || !is_same(line, place, x))
            continue;
        take_answer(line, x);
        json_array_set_new(replay->lines, i, json_null());
        return 0;
    }
    return no_match(replay, x, err);
}
