/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores a run's outputs in a notebook, in the form of its nbformat.
 */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "formats/json_write.h"
#include "text/notebook.h"

/* The names of an output's members in nbformat 3. */
static const char *const old_names[][2] = {
    {"text/plain", "text"},       {"text/html", "html"},
    {"text/latex", "latex"},      {"image/svg+xml", "svg"},
    {"image/png", "png"},         {"image/jpeg", "jpeg"},
    {"application/json", "json"}, {"application/javascript", "javascript"},
};

static const char *count_name(const struct notebook *nb)
{
    return nb->format == 3 ? "prompt_number" : "execution_count";
}

static json_t *outputs_of(const struct notebook_cell *cell)
{
    return json_object_get(cell->cell, "outputs");
}

/* ---- cells ---- */

static void clear(const struct notebook *nb, json_t *cell)
{
    const char *type = json_get_text(cell, "cell_type");

    if (!type || strcmp(type, "code") != 0)
        return;
    json_object_set_new(cell, "outputs", json_array());
    if (nb->format == 3)
        json_object_del(cell, count_name(nb));
    else
        json_object_set_new(cell, count_name(nb), json_null());
}

static void clear_all(const struct notebook *nb, json_t *cells)
{
    json_t *cell;
    size_t i;

    json_array_foreach(cells, i, cell)
    {
        clear(nb, cell);
    }
}

void notebook_clear(struct notebook *nb)
{
    json_t *sheet;
    size_t i;

    clear_all(nb, nb->format == 4 ? json_object_get(nb->document, "cells") : NULL);
    json_array_foreach(json_object_get(nb->document, "worksheets"), i, sheet)
    {
        clear_all(nb, nb->format == 3 ? json_object_get(sheet, "cells") : NULL);
    }
}

void notebook_set_count(const struct notebook *nb, const struct notebook_cell *cell,
                        unsigned number)
{
    json_object_set_new(cell->cell, count_name(nb), json_integer(number));
}

/* ---- streams ---- */

static const char *stream_member(const struct notebook *nb)
{
    return nb->format == 3 ? "stream" : "name";
}

/* The last output if it is of this stream, otherwise NULL. */
static json_t *last_stream(const struct notebook *nb, const struct notebook_cell *cell,
                           const char *name)
{
    const json_t *outputs = outputs_of(cell);
    size_t n = json_array_size(outputs);
    json_t *last = n ? json_array_get(outputs, n - 1) : NULL;
    const char *type = json_get_text(last, "output_type"),
               *stream = json_get_text(last, stream_member(nb));

    return type && stream && strcmp(type, "stream") == 0 && strcmp(stream, name) == 0 ? last : NULL;
}

void notebook_add_stream(const struct notebook *nb, const struct notebook_cell *cell, int stream,
                         struct str text)
{
    const char *name = stream == 2 ? "stderr" : "stdout";
    json_t *last = last_stream(nb, cell, name);
    AUTO_BUF struct buf all = {0};

    if (!last) {
        json_array_append_new(outputs_of(cell),
                              json_pack("{s:s, s:s, s:o}", "output_type", "stream",
                                        stream_member(nb), name, "text", json_text(text)));
        return;
    }
    struct str before = json_str(json_object_get(last, "text"));
    buf_init(&all, before.n + 3 * text.n + 1);
    (void)buf_add_str(&all, before);
    (void)utf8_add_clean(&all, text);
    json_object_set_new(last, "text", json_stringn(all.p, all.n));
}

/* ---- bundles ---- */

/* In nbformat 3 each MIME type is a member of the output, and its value is a string. */
static void add_old_forms(json_t *output, const json_t *data)
{
    for (size_t i = 0; i < ARRAY_LEN(old_names); i++) {
        json_t *form = json_object_get(data, old_names[i][0]);
        AUTO_FREE char *json = form && !json_is_string(form) ? json_write(form, false) : NULL;
        if (json)
            json_object_set_new(output, old_names[i][1], json_string(json));
        else if (form)
            json_object_set(output, old_names[i][1], form);
    }
}

/* Only JSON types may have a value that is not a string. */
static json_t *valid_forms(const json_t *data)
{
    json_t *forms = json_object(), *form;
    const char *mime;

    json_object_foreach((json_t *)data, mime, form)
    {
        bool json = strcmp(mime, "application/json") == 0 || str_ends(str_from(mime), "+json");
        if (json || json_is_string(form))
            json_object_set(forms, mime, form);
    }
    return forms;
}

void notebook_add_bundle(const struct notebook *nb, const struct notebook_cell *cell,
                         const json_t *bundle, unsigned number)
{
    const char *kind = json_get_text(bundle, "kind");
    bool value = kind && strcmp(kind, "value") == 0;
    const json_t *data = json_object_get(bundle, "data");
    json_t *metadata = json_object_get(bundle, "metadata"), *output = json_object();
    const char *type = !value ? "display_data" : nb->format == 3 ? "pyout" : "execute_result";

    json_object_set_new(output, "output_type", json_string(type));
    if (value)
        json_object_set_new(output, count_name(nb), json_integer(number));
    if (nb->format == 3)
        add_old_forms(output, data);
    else
        json_object_set_new(output, "data", valid_forms(data));
    json_object_set_new(output, "metadata",
                        json_is_object(metadata) ? json_incref(metadata) : json_object());
    json_array_append_new(outputs_of(cell), output);
}

/* ---- errors ---- */

static json_t *lines_json(struct str text)
{
    json_t *lines = json_array();
    struct str line;

    while (str_next_line(&text, &line))
        json_array_append_new(lines, json_text(line));
    return lines;
}

/* Removes a traceback that the interpreter has printed from the end of standard error. */
static void take_from_stream(const struct notebook *nb, const struct notebook_cell *cell,
                             struct str traceback)
{
    json_t *last = last_stream(nb, cell, "stderr");
    struct str text = json_str(json_object_get(last, "text"));

    traceback = str_trim(traceback);
    while (text.n && text.p[text.n - 1] == '\n')
        text.n--;
    if (!last || !traceback.n || text.n < traceback.n ||
        memcmp(text.p + text.n - traceback.n, traceback.p, traceback.n) != 0)
        return;
    text.n -= traceback.n;
    if (text.n)
        json_object_set_new(last, "text", json_stringn(text.p, text.n));
    else
        json_array_remove(outputs_of(cell), json_array_size(outputs_of(cell)) - 1);
}

void notebook_add_error(const struct notebook *nb, const struct notebook_cell *cell,
                        const char *type, const char *message, const char *traceback)
{
    take_from_stream(nb, cell, str_from(traceback));
    json_array_append_new(outputs_of(cell), json_pack("{s:s, s:o, s:o, s:o}", "output_type",
                                                      nb->format == 3 ? "pyerr" : "error", "ename",
                                                      json_text(str_from(type)), "evalue",
                                                      json_text(str_from(message)), "traceback",
                                                      lines_json(str_from(traceback))));
}

char *notebook_text(const struct notebook *nb)
{
    AUTO_FREE char *json = json_dumps(nb->document, JSON_INDENT(1));

    return json ? xasprintf("%s\n", json) : NULL;
}
