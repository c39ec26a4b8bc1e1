/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/reply.h"

#include <inttypes.h>
#include <string.h>

#include "agent/execute_code.h"
#include "base/encoded.h"
#include "base/fd.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mcp/advice.h"
#include "text/format.h"

enum {
    HEAD_MAX = 24 << 10, /* bytes of a stream that are in the answer */
    TAIL_MAX = 8 << 10,
    FILES_LISTED = 100,
    FILES_IN_TEXT = 20,
    TEXT_MAX = 128 << 10,
    LINKS_MAX = 20,
    PICTURES_MAX = 8,
    PICTURES_SIZE_MAX = 4 << 20, /* base64 of all in the answer */
    FILES_KEPT_MAX = 32 << 20,   /* bytes of one sandbox's files */
};

struct reply {
    struct mcp_call *call;
    const struct result *result;
    const char *session;
    json_t *document, *structured, *content;
    struct buf text;
    unsigned pictures, links, displays;
    size_t room;          /* for files that are kept */
    size_t picture_bytes; /* in the answer */
};

/* ---- long output ---- */

static char *output_uri(const struct reply *r, const char *name)
{
    return xasprintf("sandbox://output/%s/%s", r->result->id, name);
}

/* URI NULL: nothing has the rest. */
static void cut(struct str all, const char *uri, struct buf *ret)
{
    size_t head = utf8_cut(all, HEAD_MAX), tail = all.n - TAIL_MAX;

    while (tail < all.n && (all.p[tail] & 0xC0) == 0x80)
        tail++;
    buf_init(ret, HEAD_MAX + TAIL_MAX + 400);
    (void)buf_add(ret, all.p, head);
    (void)buf_addf(ret, "\n[%zu bytes are left out here; %s%s]\n", tail - head,
                   uri ? uri : "the output is too long to keep", uri ? " has them" : "");
    (void)buf_add(ret, all.p + tail, all.n - tail);
}

/* Shortens the stream in the document as well: the text is made from that. */
static void put_stream(struct reply *r, const char *name)
{
    struct str all = json_str(json_object_get(r->document, name));
    AUTO_FREE char *key = xasprintf("%s_uri", name);
    AUTO_FREE char *uri = output_uri(r, name);
    AUTO_BUF struct buf less = {0};
    bool long_one = all.n > HEAD_MAX + TAIL_MAX;
    bool kept = long_one && kept_add(r->call->client->kept, r->call->client->keeper, uri,
                                     str_from(name), "text/plain", all);

    if (long_one) {
        cut(all, kept ? uri : NULL, &less);
        json_object_set_new(r->document, name, json_text(buf_str(&less)));
    }
    json_object_set(r->structured, name, json_object_get(r->document, name));
    json_object_set_new(r->structured, key, kept ? json_string(uri) : json_null());
}

/* ---- files ---- */

static bool keep_file(struct reply *r, const struct file_entry *f, const char *uri)
{
    AUTO_BUF struct buf bytes = {0};
    uint64_t size = 0;
    struct err err;
    AUTO_CLOSE int fd = f->size <= r->room ? result_file_open(r->result, f->path, &size, &err) : -1;

    buf_init(&bytes, r->room);
    if (fd < 0 || size > r->room || fd_read_all(fd, &bytes) < 0)
        return false;
    r->room -= bytes.n;
    return kept_add(r->call->client->kept, r->call->client->keeper, uri,
                    (struct str){f->path, f->path_len}, f->mime, buf_str(&bytes));
}

static void put_link(struct reply *r, const char *uri, struct str name, const char *mime,
                     int64_t size)
{
    json_t *link = r->links < LINKS_MAX ? tool_link(r->call, uri, name, mime, size) : NULL;

    if (!link)
        return;
    json_array_append_new(r->content, link);
    r->links++;
}

static void put_file(struct reply *r, const struct file_entry *f, json_t *list)
{
    struct str path = {f->path, f->path_len};
    AUTO_FREE char *uri = resource_uri(r->session ? r->session : r->result->id, path);
    bool kept = r->session || keep_file(r, f, uri);

    json_array_append_new(list, json_pack("{s:o, s:I, s:s, s:o}", "path", json_text(path), "size",
                                          (json_int_t)f->size, "mime_type", f->mime, "uri",
                                          kept ? json_string(uri) : json_null()));
    if (kept)
        put_link(r, uri, path, f->mime, (int64_t)f->size);
}

static void put_files(struct reply *r)
{
    const struct file_set *files = &r->result->files;
    json_t *list = json_array();
    size_t left_out = 0;

    r->room = FILES_KEPT_MAX;
    for (size_t i = 0; i < files->count; i++) {
        const struct file_entry *f = &files->entries[i];
        if (f->is_dir || f->change == FILE_DELETED)
            continue;
        if (json_array_size(list) < FILES_LISTED)
            put_file(r, f, list);
        else
            left_out++;
    }
    json_object_set_new(r->structured, "files", list);
    json_object_set_new(r->structured, "files_left_out", json_integer((json_int_t)left_out));
}

/* ---- displays ---- */

static const struct {
    const char *mime, *extension;
    bool base64;
} kept_forms[] = {
    {"image/svg+xml", "svg", false}, {"application/pdf", "pdf", true}, {"text/html", "html", false},
    {"text/latex", "tex", false},    {"text/markdown", "md", false},
};

static bool put_picture(struct reply *r, const json_t *data)
{
    static const char *const forms[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};

    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        struct str base64 = json_str(json_object_get(data, forms[i]));
        if (!base64.n || r->picture_bytes + base64.n > PICTURES_SIZE_MAX ||
            r->pictures >= PICTURES_MAX)
            continue;
        json_array_append_new(r->content, json_pack("{s:s, s:o, s:s}", "type", "image", "data",
                                                    json_text(base64), "mimeType", forms[i]));
        r->pictures++;
        r->picture_bytes += base64.n;
        return true;
    }
    return false;
}

static void keep_display(struct reply *r, const json_t *data, size_t form)
{
    struct str text = json_str(json_object_get(data, kept_forms[form].mime));
    AUTO_FREE char *name = xasprintf("display-%u.%s", r->displays, kept_forms[form].extension);
    AUTO_FREE char *uri = output_uri(r, name);
    AUTO_BUF struct buf bytes = {0};
    struct err err;

    buf_init(&bytes, text.n + 1);
    if (encoded_read(text, kept_forms[form].base64 ? STR("base64") : STR("utf-8"), &bytes, &err) <
        0)
        return;
    if (kept_add(r->call->client->kept, r->call->client->keeper, uri, str_from(name),
                 kept_forms[form].mime, buf_str(&bytes)))
        put_link(r, uri, str_from(name), kept_forms[form].mime, (int64_t)bytes.n);
}

static void put_display(struct reply *r, const json_t *bundle)
{
    const json_t *data = json_object_get(bundle, "data");
    struct str plain = json_str(json_object_get(data, "text/plain"));
    bool value = str_is(json_str(json_object_get(bundle, "kind")), "value");

    r->displays++;
    bool picture = put_picture(r, data);
    for (size_t i = 0; i < ARRAY_LEN(kept_forms); i++)
        if (json_object_get(data, kept_forms[i].mime))
            keep_display(r, data, i);
    if (!picture && plain.n)
        (void)buf_addf(&r->text, "\n%s:\n\n%.*s%s\n", value ? "Value" : "Display",
                       (int)utf8_cut(plain, HEAD_MAX), plain.p, plain.n > HEAD_MAX ? " [cut]" : "");
}

static void put_displays(struct reply *r)
{
    const json_t *bundle;
    size_t i;

    json_array_foreach(json_object_get(r->document, "results"), i, bundle) put_display(r, bundle);
}

/* ---- the structured result ---- */

static void copy(struct reply *r, const char *to, const char *from)
{
    json_t *value = json_object_get(r->document, from);

    json_object_set(r->structured, to, value ? value : json_null());
}

static void put_members(struct reply *r)
{
    const struct result *result = r->result;
    bool over =
        r->session && (result->cell.ended == CELL_KILLED || result->cell.ended == CELL_DIED);

    json_object_set_new(r->structured, "session_id", json_text_or_null(str_from(r->session)));
    json_object_set_new(r->structured, "run_id", json_text_or_null(str_from(result->id)));
    copy(r, "language", "language");
    copy(r, "success", "success");
    copy(r, "exit_code", "exit_code");
    copy(r, "error_type", "error_type");
    copy(r, "advice", "feedback");
    copy(r, "value", "value");
    copy(r, "timed_out", "timed_out");
    copy(r, "out_of_memory", "oom_killed");
    copy(r, "duration_ms", "duration_ms");
    json_object_set_new(r->structured, "session_ended", json_boolean(over));
}

/* ---- the text ---- */

/* Advice that stands in the text already, as the exception's hint, is not repeated. */
static void put_advice(struct reply *r)
{
    const json_t *list = json_object_get(r->document, "feedback"), *line;
    size_t i, before = r->text.n;

    json_array_foreach(list, i, line)
    {
        const char *head = r->text.n == before ? "\nWhat to do:\n\n" : "";
        if (!strstr(r->text.p, json_string_value(line)))
            (void)buf_addf(&r->text, "%s- %s\n", head, json_string_value(line));
    }
}

/* A long list of files is for the structured result. Returns the number of files left out. */
static size_t shorten_files(struct reply *r)
{
    json_t *files = json_object_get(r->document, "files");
    size_t all = json_array_size(files);

    while (json_array_size(files) > FILES_IN_TEXT)
        (void)json_array_remove(files, json_array_size(files) - 1);
    return all - json_array_size(files);
}

/* The displays have the value as people read it; the document has it as typed JSON. */
static void put_text(struct reply *r)
{
    struct finished run;
    struct err err;

    if (json_array_size(json_object_get(r->document, "results")))
        json_object_set_new(r->document, "value", json_null());
    size_t left_out = shorten_files(r);
    if (finished_read(r->document, &run, &err) == 0) {
        json_object_set_new(r->structured, "error", execute_why(&run));
        (void)format_result(&run, FORMAT_MARKDOWN, &r->text);
        finished_done(&run);
    }
    if (left_out)
        (void)buf_addf(&r->text, "(%zu more files)\n", left_out);
}

static json_t *text_item(struct reply *r)
{
    if (r->text.n > TEXT_MAX) {
        r->text.n = utf8_cut(buf_str(&r->text), TEXT_MAX);
        (void)buf_adds(&r->text, "\n[cut]\n");
    }
    return tool_text(buf_str(&r->text));
}

static void log_notes(const struct reply *r)
{
    const json_t *line;
    size_t i;

    json_array_foreach(json_object_get(r->document, "warnings"), i, line)
        mcp_call_log(r->call, LEVEL_WARNING, "%s", json_string_value(line));
    json_array_foreach(json_object_get(r->document, "notes"), i, line)
        mcp_call_log(r->call, LEVEL_NOTICE, "%s", json_string_value(line));
    mcp_call_log(r->call, LEVEL_DEBUG, "run %s: exit status %d after %" PRId64 " ms", r->result->id,
                 r->result->exit_code, r->result->duration_ms);
}

void reply_run(struct mcp_call *call, const struct result *result, const char *session)
{
    struct reply r = {.call = call,
                      .result = result,
                      .session = session,
                      .document = result_document(result),
                      .structured = json_object(),
                      .content = json_array()};

    buf_init(&r.text, 1 << 20);
    advice_for_model(r.document, tool_has_all_time(call, result->limits.wall_ms));
    put_members(&r);
    put_stream(&r, "stdout");
    put_stream(&r, "stderr");
    put_text(&r);
    put_displays(&r);
    put_files(&r);
    put_advice(&r);
    log_notes(&r);
    json_array_insert_new(r.content, 0, text_item(&r));
    tool_answer(call, r.content, r.structured, !result->success);
    json_decref(r.document);
    buf_done(&r.text);
}
