/* SPDX-License-Identifier: Apache-2.0 */
#include "python/text.h"

static unsigned target_of(const struct python_options *options)
{
    return options->target ? options->target : PYTHON_NEWEST;
}

bool python_text_fits(const struct python_text *text, const struct python_options *options)
{
    const struct python_options *own = &text->options;

    return target_of(own) == target_of(options) && own->top_await == options->top_await &&
           own->memory_limit == options->memory_limit;
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
