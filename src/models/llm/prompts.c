/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/prompts.h"

#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/printable.h"
#include "options/user_file.h"

enum { PROMPT_MAX = 256 << 10 };

static const struct {
    const char *name, *text;
} built_in[] = {
    {"analyze", prompt_analyze_md}, {"builtin", prompt_builtin_md},
    {"fix", prompt_fix_md},         {"generate", prompt_generate_md},
    {"math", prompt_math_md},       {"review", prompt_review_md},
    {"solve", prompt_solve_md},     {"transform", prompt_transform_md},
};

static const char *find_built_in(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(built_in); i++)
        if (strcmp(built_in[i].name, name) == 0)
            return built_in[i].text;
    return NULL;
}

/* Reads the user's own prompt, if there is one. */
static int read_own(const char *path, struct buf *ret, struct err *err)
{
    if (access(path, F_OK) < 0)
        return 0;
    return fd_read_file(path, ret, err) < 0 ? err_wrap(err, "prompt") : 0;
}

static const char *prompts_value_of(struct str word, const struct prompt_value *values)
{
    for (; values->word; values++)
        if (str_is(word, values->word))
            return values->value;
    return NULL;
}

static int fill(struct str text, const char *from, const struct prompt_value *values,
                struct buf *ret, struct err *err)
{
    long open;

    while ((open = str_find(text, STR("{{"))) >= 0) {
        (void)buf_add_str(ret, str_slice(text, 0, (size_t)open));
        text = str_slice(text, (size_t)open + 2, text.n);
        long close = str_find(text, STR("}}"));
        struct str word = str_slice(text, 0, close < 0 ? 0 : (size_t)close);
        const char *value = prompts_value_of(str_trim(word), values);
        if (!value)
            return err_set(err, ERR_USAGE,
                           "%s: the placeholder '{{%.*s}}' has no value in this prompt", from,
                           (int)(word.n < 40 ? word.n : 40), word.p);
        (void)buf_adds(ret, value);
        text = str_slice(text, (size_t)close + 2, text.n);
    }
    (void)buf_add_str(ret, text);
    return ret->overflow ? err_set(err, ERR_LIMIT, "%s: the prompt is too long", from) : 0;
}

int prompt_make(const char *name, const char *folder, const struct prompt_value *values,
                struct buf *ret, struct err *err)
{
    AUTO_FREE char *beside = folder ? xstrdup(folder) : user_file_config("prompts");
    AUTO_FREE char *path = xasprintf("%s/%s.md", beside ? beside : "", name);
    AUTO_BUF struct buf own = {0};
    const char *text = find_built_in(name);

    buf_init(&own, PROMPT_MAX);
    if (!text)
        return err_set(err, ERR_BUG, "there is no prompt '%s'", name);
    if (folder && access(folder, X_OK) < 0)
        return err_sys(err, "open --prompts %s", folder);
    if (beside && read_own(path, &own, err) < 0)
        return -1;
    if (own.n)
        return fill(buf_str(&own), path, values, ret, err);
    return fill(str_from(text), name, values, ret, err);
}

enum { NAME_CHARS = 100 };

void prompt_add_name(struct buf *b, struct str name)
{
    AUTO_BUF struct buf plain = {0};

    buf_init(&plain, 8 * NAME_CHARS);
    printable_add_word(&plain, name, NAME_CHARS);
    (void)buf_adds(b, "\"");
    for (size_t i = 0; i < plain.n; i++) {
        if (plain.p[i] == '"' || plain.p[i] == '\\')
            (void)buf_adds(b, "\\");
        (void)buf_add(b, &plain.p[i], 1);
    }
    (void)buf_adds(b, "\"");
}
