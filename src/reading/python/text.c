/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees that several readers share, and names of variables: callers of python_parse. They are not
 * in its file, so that tests/guard can count how often a program is parsed.
 */
#include "base/buf.h"
#include "python/python.h"

static unsigned python_target_of(const struct python_options *options)
{
    return options->target ? options->target : PYTHON_NEWEST;
}

bool python_text_fits(const struct python_text *text, const struct python_options *options)
{
    const struct python_options *own = &text->options;

    return python_target_of(own) == python_target_of(options) &&
           own->top_await == options->top_await && own->memory_limit == options->memory_limit;
}

bool python_text_parse(struct python_text *text, struct str bytes)
{
    if (text->parsed && text->bytes.p == bytes.p && text->bytes.n == bytes.n)
        return text->grammatical;
    python_text_done(text);
    text->bytes = bytes;
    text->parsed = true;
    text->grammatical = python_parse(bytes, &text->options, &text->tree) == 0;
    return text->grammatical;
}

bool python_text_check(struct python_text *text, struct str bytes)
{
    if (!python_text_parse(text, bytes))
        return false;
    if (!text->checked)
        text->compiles = python_check(&text->tree) == 0;
    text->checked = true;
    return text->compiles;
}

void python_text_done(struct python_text *text)
{
    struct python_options options = text->options;

    python_tree_done(&text->tree);
    *text = (struct python_text){.options = options};
}

bool python_is_variable(struct str name)
{
    AUTO_BUF struct buf text = {0};
    struct python_tree tree;

    if (!name.n || name.n > 200 || str_starts(name, "__"))
        return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    buf_init(&text, name.n + 8);
    (void)buf_add_str(&text, name);
    (void)buf_adds(&text, " = 0\n");
    bool good = python_parse(buf_str(&text), &(struct python_options){0}, &tree) == 0 &&
                python_check(&tree) == 0;
    python_tree_done(&tree);
    return good;
}
