/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/tools.h"

#include <inttypes.h>
#include <string.h>

#include "agent/execute_code.h"
#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "mcp/advice.h"
#include "text/format.h"
#include "text/model_text.h"

enum {
    STREAM_MAX = 32 << 10, /* bytes of a stream in the structured result */
    FILES_LISTED = 100,
    LINKS_MAX = 20,
    PICTURES_MAX = 8,
    PICTURES_SIZE_MAX = 4 << 20, /* bytes of base64 of all pictures in the answer */
    FILES_KEPT_MAX = 32 << 20,   /* bytes of the kept files of one sandbox */
};

struct reply {
    struct mcp_call *call;
    const struct result *result;
    const char *session;
    json_t *document, *structured, *content;
    unsigned pictures, links, displays;
    size_t room;          /* bytes left for files to keep */
    size_t picture_bytes; /* in the answer */
};

/* ---- long output ---- */

static char *output_uri(const struct reply *r, const char *name)
{
    return xasprintf("sandbox://output/%s/%s", r->result->id, name);
}

/* The structured result has the stream's head and tail. The document keeps all of it, with a note
 * about the resource that has the rest. */
static void put_stream(struct reply *r, const char *name)
{
    struct str all = json_str(json_object_get(r->document, name));
    AUTO_FREE char *key = xasprintf("%s_uri", name), *rest = xasprintf("%s_rest", name);
    AUTO_FREE char *uri = output_uri(r, name);
    const struct capture *c = strcmp(name, "stdout") == 0 ? &r->result->out : &r->result->err;
    bool lost = capture_truncated(c);
    AUTO_FREE char *note = xasprintf("%s has %s", uri, lost ? "more of them" : "them");
    AUTO_BUF struct buf less = {0};
    bool kept = all.n > STREAM_MAX && kept_add(r->call->client->kept, r->call->client->owner, uri,
                                               str_from(name), "text/plain", all);
    const char *about = kept ? note : "the output is too long to keep";

    buf_init(&less, STREAM_MAX + 400);
    model_add_cut(&less, all, STREAM_MAX, str_from(about), lost ? c->total : 0);
    json_object_set_new(r->structured, name, json_text(buf_str(&less)));
    json_object_set_new(r->structured, key, kept ? json_string(uri) : json_null());
    if (all.n > STREAM_MAX)
        json_object_set_new(r->document, rest, json_string(about));
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
    return kept_add(r->call->client->kept, r->call->client->owner, uri,
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

static void reply_put_file(struct reply *r, const struct file_entry *f, json_t *list)
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
            reply_put_file(r, f, list);
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

static void put_picture(struct reply *r, const json_t *data)
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
        return;
    }
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
    if (kept_add(r->call->client->kept, r->call->client->owner, uri, str_from(name),
                 kept_forms[form].mime, buf_str(&bytes)))
        put_link(r, uri, str_from(name), kept_forms[form].mime, (int64_t)bytes.n);
}

/* Pictures are images, and other forms are resources; plain text is in the text for the model. */
static void put_display(struct reply *r, const json_t *bundle)
{
    const json_t *data = json_object_get(bundle, "data");

    r->displays++;
    put_picture(r, data);
    for (size_t i = 0; i < ARRAY_LEN(kept_forms); i++)
        if (json_object_get(data, kept_forms[i].mime))
            keep_display(r, data, i);
}

static void put_displays(struct reply *r)
{
    const json_t *bundle;
    size_t i;

    json_array_foreach(json_object_get(r->document, "results"), i, bundle) put_display(r, bundle);
}

/* ---- the structured result ---- */

static void reply_copy(struct reply *r, const char *to, const char *from)
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
#define RESULT_SHOWN(name, type, value, mcp, as, maybe) reply_copy(r, mcp, #name);
#include "result/result.def"
    json_object_set_new(r->structured, "session_ended", json_boolean(over));
    json_object_set_new(r->structured, "error", execute_why(r->document));
}

/* ---- the text ---- */

static json_t *text_item(const struct reply *r)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 64 << 20);
    (void)format_for_model(r->document, FORMAT_MODEL_MAX, &text);
    return tool_text(buf_str(&text));
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

    advice_for_model(r.document, tool_has_all_time(call, result->limits.wall_ms));
    put_members(&r);
    put_stream(&r, "stdout");
    put_stream(&r, "stderr");
    put_displays(&r);
    put_files(&r);
    log_notes(&r);
    json_array_insert_new(r.content, 0, text_item(&r));
    tool_answer(call, r.content, r.structured, !result->success);
    json_decref(r.document);
}
