/* SPDX-License-Identifier: Apache-2.0 */
#include "text/data_files.h"

#include <string.h>

#include "base/encoded.h"
#include "base/mem.h"
#include "base/mime.h"
#include "guests/guests.h"

#define FILE_MAX (64u << 20)

static bool is_table_type(struct str type)
{
    long end = str_find(type, STR(";"));

    return str_is_nocase(str_trim(str_slice(type, 0, end < 0 ? type.n : (size_t)end)), "text/csv");
}

bool data_is_table(struct str name)
{
    return is_table_type(str_from(mime_type(name.p, name.n, "", 0)));
}

/* ---- out of a message ---- */

static struct str text_of(const json_t *value)
{
    return (struct str){json_is_string(value) ? json_string_value(value) : "",
                        json_string_length(value)};
}

/* What a part holds as data, in either spelling; NULL. */
static const json_t *table_in(const json_t *part)
{
    const json_t *data = json_object_get(part, "inline_data");
    const json_t *type;

    data = data ? data : json_object_get(part, "inlineData");
    type = json_object_get(data, "mime_type");
    type = type ? type : json_object_get(data, "mimeType");
    return is_table_type(text_of(type)) ? data : NULL;
}

static json_t *file_of(const json_t *data, const char *name, struct err *err)
{
    AUTO_BUF struct buf bytes = {0};

    buf_init(&bytes, FILE_MAX);
    if (encoded_read(text_of(json_object_get(data, "data")), STR("base64"), &bytes, err) < 0) {
        err_wrap(err, "%s", name);
        return NULL;
    }
    json_t *file = encoded_file(str_from(name), buf_str(&bytes));
    json_object_set_new(file, "mime_type", json_string("text/csv"));
    return file;
}

static int take_part(json_t *parts, size_t j, const char *name, json_t *files, struct err *err)
{
    const json_t *data = table_in(json_array_get(parts, j));
    json_t *file;

    if (!data)
        return 0;
    file = file_of(data, name, err);
    if (!file)
        return -1;
    json_array_append_new(files, file);
    json_array_set_new(parts, j,
                       json_pack("{s:o}", "text", json_sprintf("\nAvailable file: `%s`\n", name)));
    return 0;
}

static int take_content(json_t *content, size_t i, json_t *files, struct err *err)
{
    json_t *parts = json_object_get(content, "parts");

    if (!str_is(text_of(json_object_get(content, "role")), "user"))
        return 0;
    for (size_t j = 0; j < json_array_size(parts); j++) {
        AUTO_FREE char *name = xasprintf("data_%zu_%zu.csv", i + 1, j + 1);
        if (take_part(parts, j, name, files, err) < 0)
            return -1;
    }
    return 0;
}

json_t *data_take_inline(json_t *contents, struct err *err)
{
    json_t *changed = json_deep_copy(contents), *files = json_array();

    for (size_t i = 0; i < json_array_size(changed); i++) {
        if (take_content(json_array_get(changed, i), i, files, err) < 0) {
            json_decref(changed);
            json_decref(files);
            return NULL;
        }
    }
    json_array_clear(contents);
    json_array_extend(contents, changed);
    json_decref(changed);
    return files;
}

/* ---- the program ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The last component without what follows its last dot. */
static struct str stem_of(struct str name)
{
    for (size_t i = name.n; i > 0; i--)
        if (name.p[i - 1] == '/') {
            name = str_slice(name, i, name.n);
            break;
        }
    for (size_t i = name.n; i > 1; i--)
        if (name.p[i - 1] == '.')
            return str_slice(name, 0, i - 1);
    return name;
}

void data_variable(struct str name, struct buf *ret)
{
    struct str stem = stem_of(name);

    if (!stem.n || is_digit(stem.p[0]))
        (void)buf_addc(ret, '_');
    for (size_t i = 0; i < stem.n; i++)
        if (((unsigned char)stem.p[i] & 0xC0) != 0x80) /* one for each character */
            (void)buf_addc(ret, is_word(stem.p[i]) ? stem.p[i] : '_');
}

int data_quote(struct str text, struct buf *ret)
{
    (void)buf_addc(ret, '\'');
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < 0x20 || c == 0x7f)
            (void)buf_addf(ret, "\\x%02x", c);
        else if (c == '\'' || c == '\\')
            (void)buf_addf(ret, "\\%c", c);
        else
            (void)buf_addc(ret, (char)c);
    }
    return buf_addc(ret, '\'');
}

static void add_call(struct str name, struct buf *ret)
{
    (void)buf_adds(ret, "read_csv(");
    (void)data_quote(name, ret);
    (void)buf_adds(ret, ")\n");
}

int data_explore_code(struct str name, struct buf *ret)
{
    AUTO_BUF struct buf variable = {0};

    buf_init(&variable, name.n + 2);
    data_variable(name, &variable);
    (void)buf_adds(ret, guest_explore_data_py);
    (void)buf_addf(ret, "\n\n%s = ", variable.p);
    add_call(name, ret);
    return buf_addf(ret, "explore_df(%s)\n", variable.p);
}

int data_explore_notice(struct str name, struct buf *ret)
{
    (void)buf_adds(ret, "Processing input file: `");
    (void)buf_add_str(ret, name);
    return buf_adds(ret, "`");
}

static void add_notice(struct str name, struct buf *ret)
{
    AUTO_BUF struct buf notice = {0};

    buf_init(&notice, name.n + 64);
    (void)data_explore_notice(name, &notice);
    (void)buf_adds(ret, "    print(");
    (void)data_quote(buf_str(&notice), ret);
    (void)buf_adds(ret, ")\n");
}

static void add_table(const struct data_table *table, struct buf *ret)
{
    AUTO_BUF struct buf variable = {0};

    buf_init(&variable, table->name.n + 2);
    data_variable(table->name, &variable);
    (void)buf_adds(ret, "try:\n");
    if (table->is_new)
        add_notice(table->name, ret);
    (void)buf_addf(ret, "    program['%s'] = ", variable.p);
    add_call(table->name, ret);
    if (table->is_new)
        (void)buf_addf(ret, "    explore_df(program['%s'])\n", variable.p);
    (void)buf_adds(ret, "except Exception as e:\n"
                        "    print('It cannot be read: %s: %s' % (type(e).__name__, e))\n");
}

int data_explore_all(const struct data_table *tables, size_t n, struct buf *ret)
{
    (void)buf_adds(ret, guest_explore_data_py);
    (void)buf_adds(ret, "\n\nprogram.setdefault('explore_df', explore_df)\n");
    for (size_t i = 0; i < n; i++)
        add_table(&tables[i], ret);
    return ret->overflow ? -1 : 0;
}

/* ---- JSON as variables ---- */

static int bind_all(const char *helper, const struct data_binding *bindings, size_t n,
                    struct buf *ret)
{
    (void)buf_adds(ret, helper);
    for (size_t i = 0; i < n; i++) {
        (void)buf_adds(ret, "\nbind(");
        (void)data_quote(bindings[i].name, ret);
        (void)buf_adds(ret, ", ");
        (void)data_quote(bindings[i].file, ret);
        (void)buf_addc(ret, ')');
    }
    return buf_addc(ret, '\n');
}

int data_bind_python(const struct data_binding *bindings, size_t n, struct buf *ret)
{
    (void)buf_addc(ret, '\n');
    return bind_all(guest_bind_data_py, bindings, n, ret);
}

int data_bind_node(const struct data_binding *bindings, size_t n, struct buf *ret)
{
    return bind_all(guest_bind_data_js, bindings, n, ret);
}
