/* SPDX-License-Identifier: Apache-2.0 */
#include "run/cell_decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "explain/feedback_advice.h"
#include "formats/json_shape.h"
#include "guard/foreign_line.h"
#include "languages/language.h"

enum {
    MIMES_MAX = 40,
    MIME_NAME_MAX = 100,
    WHY_MAX = 200,
    TYPE_MAX = 300,
    MESSAGE_MAX = 64 << 10,
    TRACEBACK_MAX = 256 << 10,
    SOURCE_MAX = 1000,
};

/* ---- JSON ---- */

json_t *cell_decode(struct str bytes, struct err *err)
{
    json_error_t where;

    if (json_check_shape(bytes, CELL_DEPTH_MAX, CELL_VALUES_MAX, err) < 0)
        return NULL;
    json_t *value = json_loadb(bytes.p, bytes.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);
    if (!value)
        err_set(err, ERR_GUEST, "its JSON cannot be read: %s", where.text);
    return value;
}

size_t cell_count_values(const json_t *value)
{
    size_t n = 1, i;
    const char *key;
    json_t *item;

    json_array_foreach(value, i, item) n += cell_count_values(item);
    json_object_foreach((json_t *)value, key, item) n += cell_count_values(item);
    return n;
}

/* ---- members ---- */

bool cell_flag(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static char *cell_decode_copy_text(struct str s, size_t max)
{
    AUTO_BUF struct buf b = {0};
    struct str piece;

    s.n = utf8_cut(s, s.n < max ? s.n : max);
    buf_init(&b, 3 * s.n + 1);
    while (str_next(&s, '\0', &piece)) {
        (void)buf_add_str(&b, piece);
        if (s.p && s.n)
            (void)buf_adds(&b, "\xEF\xBF\xBD");
    }
    return buf_take(&b);
}

char *cell_text(const json_t *object, const char *key, size_t max)
{
    const json_t *text = json_object_get(object, key);

    if (!json_is_string(text))
        return NULL;
    return cell_decode_copy_text((struct str){json_string_value(text), json_string_length(text)},
                                 max);
}

bool cell_integer(const json_t *object, const char *key, int64_t low, int64_t high, int64_t *ret)
{
    const json_t *number = json_object_get(object, key);
    json_int_t value = json_integer_value(number);

    if (!json_is_integer(number) || value < low || value > high)
        return false;
    *ret = value;
    return true;
}

/* ---- bundles ---- */

static void cell_decode_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
}

static json_t *copy_data(json_t *from)
{
    json_t *to = json_object(), *value;
    const char *mime;

    json_object_foreach(from, mime, value) if (*mime && strlen(mime) <= MIME_NAME_MAX &&
                                               !json_is_null(value) &&
                                               json_object_size(to) < MIMES_MAX)
        json_object_set_nocheck(to, mime, value);
    return to;
}

static json_t *text_json(const json_t *from, const char *key, size_t max)
{
    AUTO_FREE char *text = cell_text(from, key, max);

    return json_string_nocheck(text ? text : "");
}

static json_t *copy_dropped(const json_t *from)
{
    json_t *to = json_array(), *item;
    size_t i;

    json_array_foreach(from, i, item)
    {
        int64_t bytes = 0;
        if (!json_is_object(item) || json_array_size(to) == MIMES_MAX)
            continue;
        json_t *object = json_object();
        (void)cell_integer(item, "bytes", 0, INT64_MAX, &bytes);
        cell_decode_set(object, "mime", text_json(item, "mime", MIME_NAME_MAX));
        cell_decode_set(object, "bytes", json_integer(bytes));
        cell_decode_set(object, "why", text_json(item, "why", WHY_MAX));
        json_array_append_new(to, object);
    }
    return to;
}

json_t *cell_bundle(const json_t *bundle)
{
    json_t *data = copy_data(json_object_get(bundle, "data"));
    json_t *dropped = copy_dropped(json_object_get(bundle, "dropped"));
    json_t *metadata = json_object_get(bundle, "metadata");

    if (!json_object_size(data) && !json_array_size(dropped)) {
        json_decref(data);
        json_decref(dropped);
        return NULL;
    }
    AUTO_FREE char *kind = cell_text(bundle, "kind", 20);
    json_t *object = json_object();
    cell_decode_set(object, "kind",
                    json_string_nocheck(kind && strcmp(kind, "value") == 0 ? "value" : "display"));
    cell_decode_set(object, "data", data);
    cell_decode_set(object, "metadata",
                    json_is_object(metadata) ? json_incref(metadata) : json_object());
    cell_decode_set(object, "dropped", dropped);
    return object;
}

/* Returns the size of the value as JSON text; structure adds a little. */
static size_t size_of(const json_t *value)
{
    size_t n = 8, i;
    const char *key;
    json_t *item;

    if (json_is_string(value))
        return n + json_string_length(value);
    json_array_foreach(value, i, item) n += size_of(item);
    json_object_foreach((json_t *)value, key, item) n += strlen(key) + size_of(item);
    return n;
}

size_t cell_bundle_bytes(const json_t *bundle)
{
    return size_of(bundle);
}

/* ---- exceptions ---- */

#define CELL_FILE "<cell " /* then its number and '>': a guest's file name for a cell */

/* exception_find returns "line 2 in f of 1>" for a line in the file "<cell 1>". */
static void name_cells(char **calls)
{
    AUTO_BUF struct buf b = {0};

    if (!*calls)
        return;
    buf_init(&b, 2 * strlen(*calls) + 1);
    for (const char *p = *calls; *p; p++) {
        if (*p == '>')
            continue;
        (void)buf_addc(&b, *p);
        if (str_ends(buf_str(&b), " of ") && p[1] >= '0' && p[1] <= '9')
            (void)buf_adds(&b, "cell ");
    }
    free(*calls);
    *calls = buf_take(&b);
}

/* Reads details that only the traceback has: the calls, the cause, the line at the top level. */
static struct result_exception *read_trace(const char *traceback, const char *language,
                                           struct str code, unsigned number)
{
    AUTO_FREE char *program = xasprintf("%u>", number);

    if (!language_traits_of(language)->cells_trace || !traceback)
        return NULL;
    struct result_exception *e =
        exception_find(&(struct exception_input){.language = language,
                                                 .text = str_from(traceback),
                                                 .work = CELL_FILE,
                                                 .program = program,
                                                 .code = code});
    if (!e)
        return NULL;
    name_cells(&e->calls);
    free(mem_take(&e->file)); /* `cell` has the number */
    return e;
}

static void cell_decode_replace(char **text, char *with)
{
    if (!with)
        return;
    free(*text);
    *text = with;
}

static char *source_line(struct str code, int64_t n)
{
    struct str line;

    while (n > 0 && str_next_line(&code, &line))
        if (--n == 0 && line.n <= SOURCE_MAX)
            return cell_decode_copy_text(line, SOURCE_MAX);
    return NULL;
}

static void cell_decode_set_place(struct result_exception *e, const json_t *from, struct str code,
                                  unsigned number)
{
    int64_t line = 0, column = 0, cell = 0;

    if (!cell_integer(from, "line", 1, INT32_MAX, &line))
        return;
    (void)cell_integer(from, "column", 1, INT32_MAX, &column);
    (void)cell_integer(from, "cell", 1, UINT32_MAX, &cell);
    bool ours = cell == number || !cell;
    if (ours && line > (int64_t)str_count_lines(code) + 1) /* the guest invented the line */
        return;
    if (cell_integer(from, "statement_line", 1, INT32_MAX, &e->top_line))
        (void)cell_integer(from, "statement_column", 1, INT32_MAX, &e->top_column);
    e->column = column ? column : e->line == line ? e->column : 0;
    e->line = line;
    e->cell = cell;
    if (ours)
        cell_decode_replace(&e->source, source_line(code, line));
}

/* The guard has this hint, too, where it reads the cells. */
static const char *foreign_hint(const struct result_exception *e)
{
    const char *type = e->type ? e->type : "";
    bool syntax = strcmp(type, "SyntaxError") == 0 || strcmp(type, "IndentationError") == 0;

    return syntax && e->source ? foreign_line_hint(str_from(e->source)) : NULL;
}

/* What a run's standard error has: the traceback's message may end with a suggestion of the
 * interpreter. */
static const char *whole_message(const char *message, const char *shown)
{
    return shown && str_starts(str_from(shown), message) ? shown : message;
}

struct result_exception *cell_exception(const json_t *from, const struct result *result,
                                        struct str code, const char *profile)
{
    const char *language = result->language;
    unsigned number = result->cell.number;
    struct python_text text = {0};

    if (!json_is_object(from))
        return NULL;
    AUTO_FREE char *traceback = cell_text(from, "traceback", TRACEBACK_MAX);
    struct result_exception *e = read_trace(traceback, language, code, number);
    if (!e)
        e = xcalloc(1, sizeof *e);
    AUTO_FREE char *shown = e->message ? xstrdup(e->message) : NULL;
    cell_decode_replace(&e->type, cell_text(from, "type", TYPE_MAX));
    cell_decode_replace(&e->message, cell_text(from, "message", MESSAGE_MAX));
    cell_decode_replace(&e->type, e->type && *e->type ? NULL : xstrdup("Error"));
    cell_decode_replace(&e->message, e->message ? NULL : xstrdup(""));
    cell_decode_replace(&e->traceback, mem_take(&traceback));
    cell_decode_replace(&e->traceback, e->traceback ? NULL : xstrdup(""));
    cell_decode_set_place(e, from, code, number);
    const char *ends = foreign_hint(e);
    ends = ends ? ends : exception_line_ends(language, code);
    cell_decode_replace(&e->hint,
                        ends ? xstrdup(ends)
                             : advice_for_error(&(struct advice_error){
                                   language, e->type, str_from(whole_message(e->message, shown)),
                                   advice_place_of(result)}));
    exception_find_statement(e, code, &text);
    exception_use_words(e, profile);
    python_text_done(&text);
    return e;
}
