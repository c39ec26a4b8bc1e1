/* SPDX-License-Identifier: Apache-2.0
 *
 * A byte for the version, then a file. Its tokens stand in order inside the text, and every other
 * one of them where the line says; each indentation ends.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "syntax/lex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_error(const struct python_error *e)
{
    assert(e->kind != PYTHON_NO_ERROR && *python_error_name(e->kind));
    assert(utf8_valid(str_from(e->message)) && e->column >= -1 && e->end_column >= -1);
}

static void check_place(struct str text, const struct token *t)
{
    size_t start = t->start;

    if (t->column == TOKEN_NO_COLUMN)
        return;
    assert(start >= t->column);
    assert(start == t->column || text.p[start - t->column - 1] == '\n');
    assert(!memchr(text.p + start - t->column, '\n', t->column));
}

static void check_tokens(struct str text, const struct tokens *tokens)
{
    int depth = 0;

    for (size_t i = 0; i < tokens->n; i++) {
        const struct token *t = &tokens->at[i];
        assert(t->start <= t->end && t->end <= text.n && t->line <= t->end_line && t->line);
        assert(!i || (t[-1].end <= t->start && t[-1].end_line <= t->line));
        assert((t->kind == T_NAME || t->kind >= T_FIRST_KEYWORD) == (t->name != NULL));
        assert((t->kind == T_END) <= (i + 1 == tokens->n));
        depth += (t->kind == T_INDENT) - (t->kind == T_DEDENT);
        assert(depth >= 0 && depth < 100);
        check_place(text, t);
    }
    if (tokens->error.kind != PYTHON_NO_ERROR)
        return check_error(&tokens->error);
    assert(tokens->n && tokens->at[tokens->n - 1].kind == T_END);
    assert(depth == 0 || tokens->open_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct tokens tokens;

    if (!n)
        return 0;
    struct python_tree tree = {.target = PYTHON_OLDEST + data[0] % 4,
                               .memory_limit = PYTHON_MEMORY};
    if (source_read(&tree, (struct str){(const char *)data + 1, n - 1}) < 0) {
        check_error(&tree.error);
        python_tree_done(&tree);
        return 0;
    }
    /* An exact copy, in which a sanitizer sees a read behind the NUL. */
    AUTO_FREE char *exact = xstrndup(tree.text.p, tree.text.n);
    struct str text = {exact, tree.text.n};
    assert(utf8_valid(text) && text.p[text.n - 1] == '\n');
    lex_text(&tree, text, NULL, &tokens);
    check_tokens(text, &tokens);
    tokens_done(&tokens);
    python_tree_done(&tree);
    return 0;
}
