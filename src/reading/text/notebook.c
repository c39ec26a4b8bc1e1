/* SPDX-License-Identifier: Apache-2.0 */
#include "text/notebook.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "formats/json_get.h"
#include "formats/json_shape.h"
#include "languages/language.h"

enum { LINE_PIECES_MAX = 1000000 };

bool notebook_is_name(const char *file)
{
    return str_ends_nocase(str_from(file), ".ipynb");
}

/* ---- the document ---- */

static json_t *notebook_load(struct str text, struct err *err)
{
    json_error_t where;

    if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
        text = str_slice(text, 3, text.n);
    if (json_count_values(text) > NOTEBOOK_VALUES_MAX) {
        err_set(err, ERR_USAGE, "has more than %d values", NOTEBOOK_VALUES_MAX);
        return NULL;
    }
    json_t *document = json_loadb(text.p, text.n, JSON_ALLOW_NUL, &where);
    if (!document)
        err_set(err, ERR_USAGE, "is not JSON: line %d, column %d: %s", where.line, where.column,
                where.text);
    return document;
}

static int check_format(struct notebook *nb, struct err *err)
{
    const json_t *format = json_object_get(nb->document, "nbformat");
    int64_t n = json_get_int(nb->document, "nbformat");

    if (!json_is_object(nb->document) || !json_is_integer(format))
        return err_set(err, ERR_USAGE, "is JSON, but not a notebook: it has no number 'nbformat'");
    if (n != 3 && n != 4)
        return err_set(err, ERR_USAGE, "has nbformat %lld; 3 and 4 can be read", (long long)n);
    nb->format = (int)n;
    return 0;
}

/* ---- the language ---- */

static void set_language(struct notebook *nb)
{
    static const char *const pythons[] = {"python", "ipython", "ipykernel", "xpython", NULL};
    const json_t *metadata = json_object_get(nb->document, "metadata");
    const json_t *kernel = json_object_get(metadata, "kernelspec");
    const char *names[] = {json_get_text(kernel, "language"),
                           json_get_text(json_object_get(metadata, "language_info"), "name"),
                           json_get_text(kernel, "name"), "python"};
    size_t i = 0, n = 0;

    while (!names[i] || !*names[i])
        i++;
    for (; names[i][n] && n + 1 < sizeof nb->language; n++)
        nb->language[n] = ascii_lower(names[i][n]);
    nb->language[n] = '\0';
    if (str_starts_one_of(str_from(nb->language), pythons))
        memcpy(nb->language, "python", sizeof "python");
    else if (strcmp(nb->language, "ir") == 0)
        memcpy(nb->language, "r", sizeof "r");
}

/* ---- the cells ---- */

/* Appends a string, or a list of strings that follow each other. */
static int notebook_add_text(const json_t *source, struct buf *ret, struct err *err)
{
    const json_t *piece;
    size_t i;

    if (json_is_string(source))
        return buf_add_str(ret, json_str(source)) < 0 ? err_set(err, ERR_USAGE, "is too large") : 0;
    if (!json_is_array(source))
        return err_set(err, ERR_USAGE, "has no source that is a string or a list of strings");
    json_array_foreach(source, i, piece)
    {
        if (!json_is_string(piece))
            return err_set(err, ERR_USAGE, "has a source with a line that is not a string");
        if (buf_add_str(ret, json_str(piece)) < 0)
            return err_set(err, ERR_USAGE, "is too large");
    }
    return 0;
}

static bool has_tag(const json_t *cell, const char *tag)
{
    const json_t *tags = json_object_get(json_object_get(cell, "metadata"), "tags"), *one;
    size_t i;

    json_array_foreach(tags, i, one)
    {
        if (json_is_string(one) && strcmp(json_string_value(one), tag) == 0)
            return true;
    }
    return false;
}

static int take_cell(struct notebook *nb, json_t *cell, size_t index, struct err *err)
{
    const char *type = json_get_text(cell, "cell_type");
    AUTO_BUF struct buf code = {0};

    if (!type)
        return err_set(err, ERR_USAGE, "has no 'cell_type'");
    if (strcmp(type, "code") != 0)
        return 0;
    buf_init(&code, NOTEBOOK_MAX + 2 * LINE_PIECES_MAX);
    if (notebook_add_text(json_object_get(cell, nb->format == 3 ? "input" : "source"), &code, err) <
        0)
        return -1;
    if (memchr(code.p, '\0', code.n))
        return err_set(err, ERR_USAGE, "has a NUL character");
    if (!str_trim(buf_str(&code)).n)
        return 0;
    nb->cells = xrealloc_array(nb->cells, nb->n + 1, sizeof *nb->cells);
    nb->cells[nb->n++] = (struct notebook_cell){.cell = cell,
                                                .index = index,
                                                .code = buf_take(&code),
                                                .may_fail = has_tag(cell, "raises-exception")};
    return 0;
}

static int take_cells(struct notebook *nb, json_t *cells, size_t *index, struct err *err)
{
    json_t *cell;
    size_t i;

    if (!json_is_array(cells))
        return err_set(err, ERR_USAGE, "has no list of cells");
    size_t n = *index + json_array_size(cells);
    if (n > NOTEBOOK_CELLS_MAX)
        return err_set(err, ERR_USAGE, "has %zu cells of all types, more than %d: split it", n,
                       NOTEBOOK_CELLS_MAX);
    json_array_foreach(cells, i, cell)
    {
        if (take_cell(nb, cell, *index, err) < 0)
            return err_wrap(err, "item %zu of its cells", *index + 1);
        ++*index;
    }
    return 0;
}

/* nbformat 3 has a list of worksheets; the notebook has the cells of all worksheets. */
static int take_sheets(struct notebook *nb, struct err *err)
{
    json_t *sheets = json_object_get(nb->document, "worksheets"), *sheet;
    size_t i, index = 0;

    if (!json_is_array(sheets))
        return err_set(err, ERR_USAGE, "has no list of worksheets");
    json_array_foreach(sheets, i, sheet)
    {
        if (take_cells(nb, json_object_get(sheet, "cells"), &index, err) < 0)
            return -1;
    }
    return 0;
}

int notebook_read(struct str text, struct notebook *ret, struct err *err)
{
    size_t index = 0;

    *ret = (struct notebook){.document = notebook_load(text, err)};
    if (!ret->document || check_format(ret, err) < 0)
        return -1;
    set_language(ret);
    return ret->format == 3 ? take_sheets(ret, err)
                            : take_cells(ret, json_object_get(ret->document, "cells"), &index, err);
}

void notebook_done(struct notebook *nb)
{
    for (size_t i = 0; i < nb->n; i++)
        free(nb->cells[i].code);
    free(nb->cells);
    json_decref(nb->document);
    *nb = (struct notebook){0};
}
