/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion at the cursor: names in the session; inside quotes, files of its workspace.
 */

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "remote/cmd_repl.h"

static bool is_name_part(char c)
{
    return ascii_is_word(c) || (unsigned char)c >= 0x80 || c == '.' || c == '$';
}

/* Returns the text after the quote that is open in the last line; .p is NULL if no quote is open.
 */
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

static void cmd_repl_complete_add_file(json_t *words, const char *path, struct str prefix)
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
        cmd_repl_complete_add_file(words, files[i].path, prefix);
    workspace_files_done(files, n);
    return words;
}

static json_t *files_there(struct session_call *call, struct str prefix)
{
    json_t *words = json_array(), *doc, *file;
    struct err err;
    size_t i;

    if (cmd_session_ask_about(call, "GET", "/files", NULL, &doc, &err) < 0)
        return words;
    json_array_foreach(json_object_get(doc, "files"), i, file)
        cmd_repl_complete_add_file(words, json_string_value(json_object_get(file, "path")), prefix);
    json_decref(doc);
    return words;
}

static json_t *names_there(struct session_call *call, struct str prefix)
{
    json_t *body = json_pack("{s:[],s:o}", "names", "prefix", json_stringn(prefix.p, prefix.n));
    json_t *doc, *names;
    struct err err;

    if (!body || cmd_session_ask_about(call, "POST", "/get", body, &doc, &err) < 0)
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

/* The last line of the text, without the blanks at its start. */
static struct str last_line_of(struct str text)
{
    const char *end = text.n ? memrchr(text.p, '\n', text.n) : NULL;
    size_t from = end ? (size_t)(end - text.p) + 1 : 0;

    while (from < text.n && ascii_is_blank(text.p[from]))
        from++;
    return str_slice(text, from, text.n);
}

static struct str first_word(struct str text)
{
    size_t n = 0;

    while (n < text.n && is_name_part(text.p[n]))
        n++;
    return str_slice(text, 0, n);
}

/* The question for the names that may follow in an import statement of Python (session_names), or
 * NULL if the text before the name is not such a statement. */
static char *import_question(struct str before, struct str name)
{
    struct str line = last_line_of(str_slice(before, 0, before.n - name.n));
    bool from = str_starts(line, "from "), all = str_starts(line, "import ");
    struct str module = from ? first_word(str_trim(str_slice(line, 5, line.n))) : STR("");
    bool named = str_ends(line, " ") || str_ends(line, ",") || str_ends(line, "(");
    long names = module.n ? str_find(line, STR(" import")) : -1;

    if (!(from || all) || !named || str_ends(line, " as ") || str_find(line, STR(";")) >= 0)
        return NULL;
    if (names < 0)
        return module.n ? NULL : xasprintf("import %.*s", (int)name.n, name.p);
    return xasprintf("from %.*s import %.*s", (int)module.n, module.p, (int)name.n, name.p);
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
    struct str name = str_slice(before, from, before.n);
    AUTO_FREE char *question = h->traits->is_notebook ? import_question(before, name) : NULL;
    if (!question && !*ret_n)
        return NULL;
    return names_of(h, question ? str_from(question) : name);
}
