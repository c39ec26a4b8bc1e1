/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_get.h"
#include "base/mem.h"
#include "base/num.h"
#include "e2b/json.h"
#include "e2b/parts.h"
#include "net/http_client.h"

enum { TRANSFER_MS = 300000, ENTRIES_MOST = 100000 };

/* One call of the service's RPC for files. */
static int call(struct e2b *e, const char *method, json_t *body, int cancel_fd,
                struct e2b_answer *ret, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/filesystem.Filesystem/%s", method);
    const struct e2b_ask ask = {.side = E2B_ENVD,
                                .method = "POST",
                                .path = path,
                                .json = body,
                                .header = "Connect-Protocol-Version: 1",
                                .cancel_fd = cancel_fd};

    int result = e2b_ask(e, &ask, ret, err);
    json_decref(body);
    return result;
}

static int call_to(struct e2b *e, const char *method, const char *path, int cancel_fd,
                   struct e2b_answer *ret, struct err *err)
{
    if (e2b_json_check("the path", path, err) < 0)
        return -1;
    return call(e, method, json_pack("{s:s}", "path", path), cancel_fd, ret, err);
}

/* ---- folders ---- */

static int empty_folder(struct e2b *e, const char *path, int cancel_fd, struct err *err)
{
    struct e2b_answer answer;

    if (call_to(e, "Remove", path, cancel_fd, &answer, err) < 0)
        return -1;
    e2b_answer_done(&answer);
    if (call_to(e, "MakeDir", path, cancel_fd, &answer, err) < 0)
        return -1;
    int result = e2b_must(&answer, "make a folder in the sandbox", err);
    e2b_answer_done(&answer);
    return result;
}

int e2b_make_folder(struct e2b *e, const char *path, int cancel_fd, struct err *err)
{
    struct e2b_answer answer;

    if (call_to(e, "MakeDir", path, cancel_fd, &answer, err) < 0)
        return -1;
    bool is_there = answer.status == 409;
    int result = is_there ? 0 : e2b_must(&answer, "make a folder in the sandbox", err);
    e2b_answer_done(&answer);
    return is_there ? empty_folder(e, path, cancel_fd, err) : result;
}

/* ---- lists ---- */

static enum e2b_entry_kind kind_of(const json_t *entry)
{
    struct str type = json_str(json_object_get(entry, "type"));

    if (json_str(json_object_get(entry, "symlinkTarget")).n || str_is(type, "FILE_TYPE_SYMLINK"))
        return E2B_ENTRY_LINK;
    if (str_is(type, "FILE_TYPE_DIRECTORY"))
        return E2B_ENTRY_FOLDER;
    return str_is(type, "FILE_TYPE_FILE") ? E2B_ENTRY_FILE : E2B_ENTRY_OTHER;
}

/* A number, or its digits: JSON has no 64 bits. */
static uint64_t size_of(const json_t *entry)
{
    const json_t *size = json_object_get(entry, "size");
    int64_t n = json_integer_value(size);

    if (json_is_string(size) && !num_int64(json_str(size), &n))
        n = INT64_MAX;
    return n > 0 ? (uint64_t)n : 0;
}

static char *copy_of(struct str s)
{
    return xstrndup(s.p ? s.p : "", s.n);
}

void e2b_entries_done(struct e2b_entries *entries)
{
    for (size_t i = 0; i < entries->n; i++) {
        free(entries->at[i].path);
        free(entries->at[i].changed);
    }
    free(entries->at);
    *entries = (struct e2b_entries){0};
}

static int read_entries(const json_t *list, struct e2b_entries *ret, struct err *err)
{
    const json_t *entry;
    size_t i, n = json_array_size(list);

    if (n > ENTRIES_MOST)
        return err_set(err, ERR_LIMIT, "the sandbox has more than %d files", ENTRIES_MOST);
    ret->at = n ? xcalloc(n, sizeof *ret->at) : NULL;
    json_array_foreach(list, i, entry)
    {
        struct e2b_entry *to = &ret->at[ret->n++];
        *to = (struct e2b_entry){
            .kind = kind_of(entry),
            .path = copy_of(json_str(json_object_get(entry, "path"))),
            .changed = copy_of(json_str(json_object_get(entry, "modifiedTime"))),
            .size = size_of(entry),
            .mode = (unsigned)json_get_int(entry, "mode") & 0777,
        };
    }
    return 0;
}

int e2b_list_files(struct e2b *e, const char *folder, int depth, int cancel_fd,
                   struct e2b_entries *ret, struct err *err)
{
    struct e2b_answer answer;

    *ret = (struct e2b_entries){0};
    if (call(e, "ListDir", json_pack("{s:s, s:i}", "path", folder, "depth", depth), cancel_fd,
             &answer, err) < 0)
        return err_wrap(err, "the list of files");
    int result = e2b_must(&answer, "list files", err);
    if (result < 0 && strstr(answer.said, "invalid UT"))
        result = err_set(err, ERR_GUEST,
                         "the sandbox cannot list its files: the name of one is not UTF-8");
    if (result == 0 && !json_is_object(answer.json))
        result = err_set(err, ERR_GUEST, "the sandbox lists its files in no JSON object");
    if (result == 0)
        result = read_entries(json_object_get(answer.json, "entries"), ret, err);
    e2b_answer_done(&answer);
    return result;
}

/* ---- contents ---- */

/* The caller frees. */
static char *address_of(const char *path)
{
    struct buf query;

    buf_init(&query, 16 << 10);
    (void)buf_adds(&query, "/files?path=");
    http_encode_path(&query, str_from(path));
    return buf_take(&query);
}

static int transfer(struct e2b *e, struct e2b_ask ask, const char *path, const char *what,
                    struct err *err)
{
    AUTO_FREE char *address = address_of(path);
    struct e2b_answer answer;

    ask.side = E2B_ENVD;
    ask.path = address;
    ask.timeout_ms = TRANSFER_MS;
    if (e2b_ask(e, &ask, &answer, err) < 0)
        return -1;
    int result = ask.saves && answer.status != 200 && e2b_is_good(answer.status)
                     ? err_set(err, ERR_SYSTEM, "E2B cannot %s: status %u is no whole file", what,
                               answer.status)
                     : e2b_must(&answer, what, err);
    if (answer.status == 404)
        err->kind = ERR_USAGE;
    e2b_answer_done(&answer);
    return result;
}

int e2b_get_file(struct e2b *e, const char *path, int to, uint64_t max, int cancel_fd,
                 struct err *err)
{
    return transfer(e,
                    (struct e2b_ask){.method = "GET",
                                     .cancel_fd = cancel_fd,
                                     .saves = true,
                                     .save_fd = to,
                                     .save_max = max ? max : 1},
                    path, "read a file", err);
}

int e2b_put_own_file(struct e2b *e, const char *path, struct str bytes, int cancel_fd,
                     struct err *err)
{
    return transfer(e,
                    (struct e2b_ask){.method = "POST",
                                     .body = bytes,
                                     .type = "application/octet-stream",
                                     .cancel_fd = cancel_fd},
                    path, "receive a file", err);
}

/* ---- removing ---- */

static int check_removable(struct e2b *e, const char *path, int cancel_fd, struct err *err)
{
    struct e2b_entries inside = {0};
    struct e2b_answer answer;

    if (call_to(e, "Stat", path, cancel_fd, &answer, err) < 0)
        return -1;
    int result = answer.status == 404 ? err_set(err, ERR_USAGE, "there is no such file")
                                      : e2b_must(&answer, "look at a file", err);
    bool folder = result == 0 && kind_of(json_object_get(answer.json, "entry")) == E2B_ENTRY_FOLDER;
    e2b_answer_done(&answer);
    if (!folder)
        return result;
    result = e2b_list_files(e, path, 1, cancel_fd, &inside, err);
    if (result == 0 && inside.n)
        result = err_set(err, ERR_USAGE, "the folder is not empty");
    e2b_entries_done(&inside);
    return result;
}

int e2b_remove_file(struct e2b *e, const char *path, int cancel_fd, struct err *err)
{
    struct e2b_answer answer;

    if (check_removable(e, path, cancel_fd, err) < 0 ||
        call_to(e, "Remove", path, cancel_fd, &answer, err) < 0)
        return -1;
    int result = e2b_must(&answer, "remove a file", err);
    e2b_answer_done(&answer);
    return result;
}
