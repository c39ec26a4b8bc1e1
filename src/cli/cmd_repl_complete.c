/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion at the cursor: names of the session, and inside quotes files of its workspace.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/cmd_repl.h"

static bool is_name_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80 || (c && strchr("_.$", c));
}

/* The text after the quote that is open in the last line; .p NULL if none is. */
static struct str quoted_part(struct str before)
{
    struct str part = {0};
    char quote = '\0';

    for (size_t i = 0; i < before.n; i++) {
        char c = before.p[i];
        if (c == '\n' || (quote && c == quote)) {
            quote = '\0';
        } else if (!quote && (c == '"' || c == '\'')) {
            quote = c;
            part = str_slice(before, i + 1, before.n);
        }
    }
    return quote ? part : (struct str){0};
}

static void add_file(json_t *words, const char *path, struct str prefix)
{
    AUTO_FREE char *start = xstrndup(prefix.p, prefix.n);

    if (path && str_starts(str_from(path), start))
        json_array_append_new(words, json_string(path));
}

static json_t *files_here(struct session *session, struct str prefix)
{
    json_t *words = json_array();
    struct workspace_file *files;
    struct err err;
    size_t n;

    if (session_files(session, &files, &n, &err) < 0)
        return words;
    for (size_t i = 0; i < n; i++)
        add_file(words, files[i].path, prefix);
    workspace_files_done(files, n);
    return words;
}

static json_t *files_there(struct session_call *call, struct str prefix)
{
    AUTO_FREE char *path = xasprintf("/v1/sessions/%s/files", call->id);
    json_t *words = json_array(), *doc, *file;
    struct err err;
    size_t i;

    if (session_ask(call, "GET", path, NULL, &doc, &err) < 0)
        return words;
    json_array_foreach(json_object_get(doc, "files"), i, file)
        add_file(words, json_string_value(json_object_get(file, "path")), prefix);
    json_decref(doc);
    return words;
}

static json_t *names_there(struct session_call *call, struct str prefix)
{
    AUTO_FREE char *path = xasprintf("/v1/sessions/%s/get", call->id);
    json_t *body = json_pack("{s:[],s:o}", "names", "prefix", json_stringn(prefix.p, prefix.n));
    json_t *doc, *names;
    struct err err;

    if (!body || session_ask(call, "POST", path, body, &doc, &err) < 0)
        return NULL;
    names = json_incref(json_object_get(doc, "names"));
    json_decref(doc);
    return names;
}

static json_t *names_of(struct repl_host *h, struct str prefix)
{
    json_t *names;
    struct err err;

    if (!h->session)
        return names_there(h->call, prefix);
    return session_names(h->session, prefix, &names, &err) < 0 ? NULL : names;
}

json_t *repl_host_complete(struct repl_host *h, struct str before, size_t *ret_n)
{
    struct str path = quoted_part(before);
    size_t from = before.n;
    struct err err;

    if (!h->session && repl_host_connect(h, &err) < 0)
        return NULL;
    if (path.p) {
        *ret_n = path.n;
        return h->session ? files_here(h->session, path) : files_there(h->call, path);
    }
    while (from && is_name_part(before.p[from - 1]))
        from--;
    *ret_n = before.n - from;
    return *ret_n ? names_of(h, str_slice(before, from, before.n)) : NULL;
}
