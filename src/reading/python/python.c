/* SPDX-License-Identifier: Apache-2.0 */
#include "python/python.h"

#include <string.h>

#include "python/check.h"
#include "python/explain.h"
#include "python/parse.h"
#include "syntax/future.h"
#include "syntax/lex.h"
#include "syntax/scope.h"

static void tree_start(struct python_tree *tree, const struct python_options *options)
{
    *tree = (struct python_tree){
        .target = options->target ? options->target : PYTHON_NEWEST,
        .top_await = options->top_await,
        .memory_limit = options->memory_limit ? options->memory_limit : PYTHON_MEMORY,
    };
}

/* Sorts warnings: the first n are the lexer's, the others the parser's. */
static void sort_warnings(struct python_tree *tree, size_t n)
{
    struct python_warnings *w = &tree->warnings;

    if (n == 0 || n == w->n)
        return;
    struct python_error *sorted = arena_alloc(&tree->arena, w->n * sizeof *sorted);
    for (size_t i = 0, a = 0, b = n; i < w->n; i++)
        sorted[i] =
            b == w->n || (a < n && w->at[a].line <= w->at[b].line) ? w->at[a++] : w->at[b++];
    w->at = sorted;
    w->room = w->n;
}

static int parse(struct python_tree *tree)
{
    struct tokens tokens;

    lex_text(tree, tree->text, NULL, &tokens);
    size_t warnings = tree->warnings.n;
    tree->module = parse_module(tree, &tokens);
    int answer = tree->module ? 0 : -1;
    /* A bad literal has its message already, but CPython may report another error first. */
    if (!tree->module && tree->error.kind <= PYTHON_SYNTAX_ERROR)
        answer = explain_module(tree, &tokens);
    sort_warnings(tree, warnings);
    tokens_done(&tokens);
    return answer;
}

int python_parse(struct str bytes, const struct python_options *options, struct python_tree *ret)
{
    tree_start(ret, options);
    if (source_read(ret, bytes) < 0)
        return -1;
    return parse(ret);
}

int python_check(struct python_tree *tree)
{
    if (future_check(tree) < 0)
        return -1;
    struct scope *module = scope_build(tree);
    if (!module || check_places(tree, module) < 0)
        return -1;
    tree->scopes = module;
    return 0;
}
