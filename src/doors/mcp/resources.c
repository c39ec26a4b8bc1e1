/* SPDX-License-Identifier: Apache-2.0
 *
 * Resources: files of sessions, and the parts of runs that are kept (kept.h). A path is hostile
 * text from a guest, so it is percent-encoded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "formats/mime.h"
#include "mcp/parts.h"

#define SCHEME "sandbox://"

enum {
    LISTED_MAX = 5000,
    PATHS_LISTED = 512 << 10, /* bytes on a page: of paths, and of the URIs of kept items */
    READ_MAX = 64 << 20,      /* maximum bytes of a session's file */
    URI_SHOWN = 200,
};

/* ---- addresses ---- */

char *resource_uri(const char *session, struct str path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    struct buf b;

    buf_init(&b, 3 * path.n + 100);
    (void)buf_addf(&b, SCHEME "%s/", session);
    for (size_t i = 0; i < path.n; i++) {
        char c = path.p[i];
        if (c && strchr(plain, c))
            (void)buf_addc(&b, c);
        else
            (void)buf_addf(&b, "%%%02X", (unsigned char)c);
    }
    return buf_take(&b);
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 0x20) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Decodes the two digits after a '%'; -1 if they are invalid. */
static int decode_byte(struct str digits)
{
    int high = digits.n < 2 ? -1 : hex_digit(digits.p[0]);
    int low = high < 0 ? -1 : hex_digit(digits.p[1]);

    return low < 0 ? -1 : high << 4 | low;
}

char *uri_decode(struct str s)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, s.n + 1);
    for (size_t i = 0; i < s.n; i++) {
        int byte = s.p[i] == '%' ? decode_byte(str_slice(s, i + 1, s.n)) : (unsigned char)s.p[i];
        if (byte <= 0)
            return NULL;
        i += s.p[i] == '%' ? 2 : 0;
        (void)buf_addc(&b, (char)byte);
    }
    return buf_take(&b);
}

/* ---- reading ---- */

static struct str uri_of(const struct mcp_call *call)
{
    return json_str(json_object_get(call->message.params, "uri"));
}

static void refuse_uri(struct mcp_call *call)
{
    struct str uri = uri_of(call);
    struct rpc_problem problem;

    (void)rpc_problem_set(&problem, call->modern ? RPC_PARAMS : RPC_NO_RESOURCE,
                          "there is no resource '%.*s'", (int)utf8_cut(uri, URI_SHOWN), uri.p);
    problem.data = json_pack("{s:o}", "uri", json_text(uri));
    mcp_call_refuse(call, &problem);
}

static void answer_bytes(struct mcp_call *call, const char *mime, struct str bytes)
{
    bool text = utf8_valid(bytes) && !memchr(bytes.p, '\0', bytes.n);
    AUTO_BUF struct buf base64 = {0};

    buf_init(&base64, 2 * bytes.n + 8);
    if (!text)
        (void)base64_add(&base64, bytes);
    call->result =
        json_pack("{s:[{s:o, s:s, s:o}]}", "contents", "uri", json_text(uri_of(call)), "mimeType",
                  mime, text ? "text" : "blob", json_text(text ? bytes : buf_str(&base64)));
}

static int read_session_file(struct mcp_call *call, const char *path, struct buf *ret)
{
    uint64_t size;
    struct err err;
    AUTO_CLOSE int fd = session_file_open(mcp_call_session(call), path, &size, &err);

    return fd < 0 || size > READ_MAX ? -1 : fd_read_all(fd, ret);
}

static void read_work(struct mcp_call *call)
{
    struct str uri = uri_of(call);
    AUTO_FREE char *path =
        uri_decode(str_slice(uri, strlen(SCHEME) + strlen(call->entry->id) + 1, uri.n));
    AUTO_BUF struct buf bytes = {0};

    buf_init(&bytes, READ_MAX);
    if (!path || read_session_file(call, path, &bytes) < 0)
        refuse_uri(call);
    else
        answer_bytes(
            call, mime_type(path, strlen(path), bytes.p, bytes.n < MIME_HEAD ? bytes.n : MIME_HEAD),
            buf_str(&bytes));
}

static struct session_entry *entry_of(const struct mcp_call *call)
{
    struct str uri = uri_of(call), id;
    char name[RESULT_ID];

    if (!str_starts(uri, SCHEME))
        return NULL;
    uri = str_slice(uri, strlen(SCHEME), uri.n);
    if (!str_next(&uri, '/', &id) || id.n >= sizeof name)
        return NULL;
    memcpy(name, id.p, id.n);
    name[id.n] = '\0';
    return sessions_find(call->client->sessions, call->client->sees, name);
}

static void read_kept_work(struct mcp_call *call)
{
    struct str uri = uri_of(call);
    AUTO_BUF struct buf bytes = {0};
    const char *mime;

    buf_init(&bytes, KEPT_MAX_BYTES);
    if (uri.n && strlen(uri.p) == uri.n &&
        kept_read(call->client->kept, call->client->owner, uri.p, &bytes, &mime))
        answer_bytes(call, mime, buf_str(&bytes));
    else
        refuse_uri(call);
}

void resources_read(struct mcp_call *call)
{
    struct session_entry *entry = entry_of(call);

    call->work = entry ? read_work : read_kept_work;
    mcp_call_begin(call, entry);
}

/* ---- listing ---- */

/* One page of the list. It has limits because a guest chooses the number and the names of its
 * files. */
struct listing {
    json_t *rows;
    size_t skip;  /* number of rows on earlier pages */
    size_t bytes; /* of the paths so far */
    bool more;    /* some rows are left for the next page */
};

/* True if the next row is on this page. */
static bool is_here(struct listing *l)
{
    bool room = json_array_size(l->rows) < LISTED_MAX && l->bytes < PATHS_LISTED;

    if (l->skip) {
        l->skip--;
        return false;
    }
    l->more |= !room;
    return room;
}

const char *resource_type(struct session *session, const char *path)
{
    const char *named = mime_type_of_name(path, strlen(path));
    char head[MIME_HEAD];
    uint64_t size;
    struct err err;

    if (named)
        return named;
    AUTO_CLOSE int fd = session_file_open(session, path, &size, &err);
    ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);
    return n < 0 ? "application/octet-stream" : mime_type("", 0, head, (size_t)n);
}

static void resources_add_file(struct listing *l, const struct session_entry *entry,
                               const struct workspace_file *f)
{
    struct str path = str_from(f->path);
    AUTO_FREE char *uri = resource_uri(entry->id, path);

    l->bytes += path.n;
    json_array_append_new(
        l->rows, json_pack("{s:s, s:o, s:s, s:I}", "uri", uri, "name", json_text(path), "mimeType",
                           resource_type(entry->session, f->path), "size", (json_int_t)f->size));
}

static void resources_add_files(struct listing *l, const struct session_entry *entry)
{
    struct workspace_file *files;
    struct err err;
    size_t n;

    if (session_files(entry->session, &files, &n, &err) < 0)
        return;
    for (size_t i = 0; i < n; i++)
        if (!str_ends(str_from(files[i].path), "/") && is_here(l))
            resources_add_file(l, entry, &files[i]);
    workspace_files_done(files, n);
}

static void add_kept(struct listing *l, const struct mcp_call *call)
{
    json_t *all = json_array(), *row;
    size_t i;

    kept_list(call->client->kept, call->client->owner, all);
    json_array_foreach(all, i, row)
    {
        if (!is_here(l))
            continue;
        l->bytes += json_string_length(json_object_get(row, "uri"));
        json_array_append(l->rows, row);
    }
    json_decref(all);
}

/* The cursor is the number of rows on earlier pages. -1: the cursor is not one of ours. */
static int64_t skip_of(const struct mcp_call *call)
{
    const json_t *cursor = json_object_get(call->message.params, "cursor");
    int64_t skip = 0;

    if (!cursor || json_is_null(cursor))
        return 0;
    return num_int64(json_str(cursor), &skip) && skip >= 0 ? skip : -1;
}

/* The list has no files of a session that runs a cell: it would have to wait for the cell. */
static void list_work(struct mcp_call *call)
{
    struct listing list = {.rows = json_array(), .skip = (size_t)skip_of(call)};
    int64_t until_ms = clock_mono_ms() + SESSION_ENDS_MS;
    struct session_info info;

    add_kept(&list, call);
    for (size_t i = 0; i < call->list_n; i++) {
        session_info_until(call->list[i]->session, until_ms, &info);
        if (info.state != SESSION_BUSY)
            resources_add_files(&list, call->list[i]);
    }
    json_t *next =
        list.more ? json_sprintf("%zu", (size_t)skip_of(call) + json_array_size(list.rows)) : NULL;
    call->result = json_pack("{s:o, s:o*}", "resources", list.rows, "nextCursor", next);
}

void resources_list(struct mcp_call *call)
{
    struct rpc_problem problem;

    if (skip_of(call) < 0) {
        (void)rpc_problem_set(&problem, RPC_PARAMS, "'cursor' is not one of this list");
        mcp_call_refuse(call, &problem);
        mcp_call_finish(call);
        return;
    }
    call->list = sessions_list(call->client->sessions, call->client->sees, &call->list_n);
    call->work = list_work;
    mcp_call_begin(call, NULL);
}

json_t *resource_templates(void)
{
    return json_pack("{s:[{s:s, s:s, s:s, s:s}]}", "resourceTemplates", "uriTemplate",
                     SCHEME "{session_id}/{+path}", "name", "session-file", "title",
                     "A file of a session", "description",
                     "A file of an open session, or of a run while it is kept.");
}
