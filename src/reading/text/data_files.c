/* SPDX-License-Identifier: Apache-2.0 */
#include "text/data_files.h"

#include <string.h>

#include "base/ascii.h"
#include "formats/mime.h"
#include "languages/guests.h"

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

/* ---- the program ---- */

/* The last component of a path, without its extension. */
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

    if (!stem.n || ascii_is_digit(stem.p[0]))
        (void)buf_addc(ret, '_');
    for (size_t i = 0; i < stem.n; i++)
        /* one for each character, not for each byte */
        if (((unsigned char)stem.p[i] & 0xC0) != 0x80)
            (void)buf_addc(ret, ascii_is_alnum(stem.p[i]) ? stem.p[i] : '_');
}

/* Appends a Python string literal. The text is UTF-8. */
static int quote(struct str text, struct buf *ret)
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

static void data_files_add_call(struct str name, struct buf *ret)
{
    (void)buf_adds(ret, "read_csv(");
    (void)quote(name, ret);
    (void)buf_adds(ret, ")\n");
}

static void add_notice(struct str name, struct buf *ret)
{
    AUTO_BUF struct buf notice = {0};

    buf_init(&notice, name.n + 64);
    (void)buf_adds(&notice, "Processing input file: `");
    (void)buf_add_str(&notice, name);
    (void)buf_adds(&notice, "`");
    (void)buf_adds(ret, "    print(");
    (void)quote(buf_str(&notice), ret);
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
    data_files_add_call(table->name, ret);
    if (table->is_new)
        (void)buf_addf(ret, "    explore_df(program['%s'])\n", variable.p);
    (void)buf_adds(ret, "except Exception as e:\n"
                        "    print('It cannot be read: %s: %s' % (type(e).__name__, e))\n");
}

int data_explore_all(const struct data_table *tables, size_t n, struct buf *ret)
{
    (void)buf_adds(ret, guest_explore_data_py);
    (void)buf_adds(ret, "\n\nprogram.setdefault('explore_df', explore_df)\n"
                        "program.setdefault('crop', crop)\n");
    for (size_t i = 0; i < n; i++)
        add_table(&tables[i], ret);
    return ret->overflow ? -1 : 0;
}

/* ---- JSON as variables ---- */

static void add_bind(const struct data_binding *binding, struct buf *ret)
{
    (void)buf_adds(ret, "\nbind(");
    (void)quote(binding->name, ret);
    (void)buf_adds(ret, ", ");
    (void)quote(binding->file, ret);
}

/* Adds the decoders only if a binding needs them: compiling them takes some milliseconds. */
static void add_decoders(const struct data_binding *bindings, size_t n, struct buf *ret)
{
    for (size_t i = 0; i < n; i++)
        if (bindings[i].typed) {
            (void)buf_adds(ret, guest_judge_codec_py);
            (void)buf_adds(ret, guest_cells_decode_py);
            return;
        }
}

int data_bind_python(const struct data_binding *bindings, size_t n, struct buf *ret)
{
    (void)buf_addc(ret, '\n');
    add_decoders(bindings, n, ret);
    (void)buf_adds(ret, guest_bind_data_py);
    for (size_t i = 0; i < n; i++) {
        add_bind(&bindings[i], ret);
        (void)buf_adds(ret, bindings[i].typed ? ", True)" : ", False)");
    }
    return buf_addc(ret, '\n');
}

int data_bind_node(const struct data_binding *bindings, size_t n, struct buf *ret)
{
    (void)buf_adds(ret, guest_bind_data_js);
    for (size_t i = 0; i < n; i++) {
        add_bind(&bindings[i], ret);
        (void)buf_addc(ret, ')');
    }
    return buf_addc(ret, '\n');
}

void data_load_python(struct str file, struct buf *ret)
{
    (void)buf_adds(ret, "import json\nwith open(");
    (void)quote(file, ret);
    (void)buf_adds(ret, ", encoding='utf-8-sig') as data:\n    data = json.load(data)\n");
}
