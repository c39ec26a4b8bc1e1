/* SPDX-License-Identifier: Apache-2.0
 *
 * Tools for the files of a session. The functions session_file_* make sure that a path stays in the
 * workspace.
 */
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/mime.h"
#include "mcp/tools.h"

enum {
    READ_DEFAULT = 64 << 10,
    READ_MAX = 1 << 20, /* bytes: text is in the answer twice */
    PICTURE_MAX = 3 << 20,
    FILES_LISTED = 1000,
    PATHS_LISTED = 256 << 10, /* bytes of the paths: each path is in the answer three times */
};

/* ---- writing ---- */

static int put_tool_file(struct session *session, const char *path, struct str bytes,
                         struct err *err)
{
    AUTO_CLOSE int fd = fd_memory("glovebox-file", bytes.p, bytes.n, err);

    return fd < 0 ? -1 : session_file_put(session, path, fd, bytes.n, err);
}

int tool_put_files(struct session *session, const struct request_parts *parts, struct err *err)
{
    for (size_t i = 0; i < parts->input_count; i++) {
        const struct named_bytes *input = &parts->inputs[i];
        AUTO_FREE char *path = xstrndup(input->name.p, input->name.n);
        if (put_tool_file(session, path, input->bytes, err) < 0)
            return err_wrap(err, "'files'");
    }
    return 0;
}

static void answer_written(struct mcp_call *call, const char *path, size_t size)
{
    const char *session = call->entry->id;
    AUTO_FREE char *uri = resource_uri(session, str_from(path));
    AUTO_FREE char *text = xasprintf("Wrote %zu bytes to %s.", size, path);

    tool_answer(call, json_pack("[o]", tool_text(str_from(text))),
                json_pack("{s:s, s:o, s:I, s:s}", "session_id", session, "path",
                          json_text(str_from(path)), "size", (json_int_t)size, "uri", uri),
                false);
}

void tool_write_file(struct mcp_call *call)
{
    struct tool_arguments a;
    AUTO_BUF struct buf bytes = {0};
    struct err err;

    if (tool_arguments_read(call, &a) == 0) {
        buf_init(&bytes, a.content.n + 1);
        if (encoded_read(a.content, a.encoding == 1 ? STR("base64") : STR("utf-8"), &bytes, &err) <
                0 ||
            put_tool_file(mcp_call_session(call), a.path, buf_str(&bytes), &err) < 0)
            mcp_call_fail(call, &err);
        else
            answer_written(call, a.path, bytes.n);
    }
    tool_arguments_done(&a);
}

/* ---- reading ---- */

struct piece {
    uint64_t size;
    size_t offset;
    struct buf bytes;
    const char *mime;
    bool text;
};

static int read_piece(int fd, size_t limit, struct piece *ret, struct err *err)
{
    ssize_t got;

    buf_init(&ret->bytes, limit);
    while (ret->bytes.n < limit) {
        size_t want = limit - ret->bytes.n < 65536 ? limit - ret->bytes.n : 65536;
        char *room = buf_room(&ret->bytes, want);
        got = room ? pread(fd, room, want, (off_t)(ret->offset + ret->bytes.n)) : 0;
        if (got < 0)
            return err_sys(err, "read the session's file");
        if (got == 0)
            break;
        buf_grew(&ret->bytes, (size_t)got);
    }
    return 0;
}

/* If the last character is incomplete, it is left for the next chunk. Bytes with a NUL are not
 * text. */
static void find_text(struct piece *p)
{
    struct str all = buf_str(&p->bytes);
    size_t valid = utf8_valid_prefix(all);

    bool nul = memchr(all.p, '\0', all.n) != NULL;

    p->text =
        !nul && (valid == all.n || (all.n - valid < 4 && p->offset + all.n < p->size && valid > 0));
    if (p->text)
        p->bytes.n = valid;
}

static json_t *content_of(const struct piece *p)
{
    AUTO_BUF struct buf base64 = {0};

    if (p->text)
        return json_text(buf_str(&p->bytes));
    buf_init(&base64, 2 * p->bytes.n + 8);
    (void)base64_add(&base64, buf_str(&p->bytes));
    return json_text(buf_str(&base64));
}

static bool is_picture(const struct piece *p)
{
    struct str mime = str_from(p->mime);

    return p->offset == 0 && p->bytes.n == p->size && p->size <= PICTURE_MAX &&
           (str_is(mime, "image/png") || str_is(mime, "image/jpeg") || str_is(mime, "image/gif") ||
            str_is(mime, "image/webp"));
}

static json_t *items_of(const struct mcp_call *call, const char *path, const struct piece *p,
                        json_t *content, const char *uri)
{
    if (is_picture(p))
        return json_pack("[{s:s, s:O, s:s}]", "type", "image", "data", content, "mimeType",
                         p->mime);
    if (p->text)
        return json_pack("[{s:s, s:O}]", "type", "text", "text", content);
    AUTO_FREE char *text =
        xasprintf("%s is not text: %zu bytes of it are in the structured result, in base64.", path,
                  p->bytes.n);
    return json_pack("[o, o*]", tool_text(str_from(text)),
                     tool_link(call, uri, str_from(path), p->mime, (int64_t)p->size));
}

static void answer_piece(struct mcp_call *call, const char *path, const struct piece *p)
{
    const char *session = call->entry->id;
    AUTO_FREE char *uri = resource_uri(session, str_from(path));
    size_t next = p->offset + p->bytes.n;
    json_t *content = content_of(p), *items = items_of(call, path, p, content, uri);
    json_t *structured = json_pack(
        "{s:s, s:o, s:I, s:s, s:I, s:s, s:o, s:o, s:s}", "session_id", session, "path",
        json_text(str_from(path)), "size", (json_int_t)p->size, "mime_type", p->mime, "offset",
        (json_int_t)p->offset, "encoding", p->text ? "utf-8" : "base64", "content", content,
        "next_offset", next < p->size ? json_integer((json_int_t)next) : json_null(), "uri", uri);

    if (next < p->size) {
        AUTO_FREE char *more =
            xasprintf("[%zu of %llu bytes; continue with offset %zu, or read the resource %s]",
                      p->bytes.n, (unsigned long long)p->size, next, uri);
        json_array_append_new(items, tool_text(str_from(more)));
    }
    tool_answer(call, items, structured, false);
}

static int read_tool_file(struct mcp_call *call, const struct tool_arguments *a, struct piece *p,
                          struct err *err)
{
    int64_t limit = a->limit < 0 ? READ_DEFAULT : a->limit;
    AUTO_CLOSE int fd = session_file_open(mcp_call_session(call), a->path, &p->size, err);

    if (fd < 0)
        return -1;
    if (limit > READ_MAX)
        return err_set(err, ERR_LIMIT, "'limit' is more than %d MiB", READ_MAX >> 20);
    p->offset = a->offset < 0 ? 0 : (size_t)a->offset;
    if (p->offset > p->size)
        return err_set(err, ERR_USAGE, "'offset' is beyond the file's %llu bytes",
                       (unsigned long long)p->size);
    if (read_piece(fd, (size_t)limit, p, err) < 0)
        return -1;
    p->mime = resource_type(mcp_call_session(call), a->path);
    find_text(p);
    return 0;
}

void tool_read_file(struct mcp_call *call)
{
    struct tool_arguments a;
    struct piece piece = {0};
    struct err err;

    buf_init(&piece.bytes, 0);
    if (tool_arguments_read(call, &a) == 0) {
        if (read_tool_file(call, &a, &piece, &err) < 0)
            mcp_call_fail(call, &err);
        else
            answer_piece(call, a.path, &piece);
    }
    buf_done(&piece.bytes);
    tool_arguments_done(&a);
}

/* ---- listing ---- */

static void add_row(const struct session_entry *entry, const struct workspace_file *f, json_t *rows,
                    struct buf *text)
{
    struct str path = str_from(f->path);
    AUTO_FREE char *uri = resource_uri(entry->id, path);

    json_array_append_new(rows, json_pack("{s:o, s:I, s:s, s:s}", "path", json_text(path), "size",
                                          (json_int_t)f->size, "mime_type",
                                          resource_type(entry->session, f->path), "uri", uri));
    (void)buf_addf(text, "%llu %s\n", (unsigned long long)f->size, f->path);
}

static void answer_list(struct mcp_call *call, const struct workspace_file *files, size_t n)
{
    const char *session = call->entry->id;
    json_t *rows = json_array();
    AUTO_BUF struct buf text = {0};
    size_t left_out = 0, room = PATHS_LISTED;

    buf_init(&text, 1 << 20);
    for (size_t i = 0; i < n; i++) {
        if (str_ends(str_from(files[i].path), "/"))
            continue;
        room -= room < strlen(files[i].path) ? room : strlen(files[i].path);
        if (json_array_size(rows) < FILES_LISTED && room)
            add_row(call->entry, &files[i], rows, &text);
        else
            left_out++;
    }
    (void)buf_adds(&text, json_array_size(rows) ? "" : "There are no files.\n");
    if (left_out)
        (void)buf_addf(&text, "(%zu more)\n", left_out);
    tool_answer(call, json_pack("[o]", tool_text(buf_str(&text))),
                json_pack("{s:s, s:o, s:I}", "session_id", session, "files", rows, "files_left_out",
                          (json_int_t)left_out),
                false);
}

void tool_list_files(struct mcp_call *call)
{
    struct tool_arguments a;
    struct workspace_file *files;
    size_t n;
    struct err err;

    if (tool_arguments_read(call, &a) == 0) {
        if (session_files(mcp_call_session(call), &files, &n, &err) < 0) {
            mcp_call_fail(call, &err);
        } else {
            answer_list(call, files, n);
            workspace_files_done(files, n);
        }
    }
    tool_arguments_done(&a);
}
