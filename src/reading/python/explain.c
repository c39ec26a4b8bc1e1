/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which error is reported. CPython parses a wrong program twice, the second time with the
 * grammar's rules for wrong forms. After that, CPython's tokenizer reads to the end of the file,
 * and an error there may replace the error of the second parse.
 */
#include "python/explain_parts.h"

/* True if the lexer stopped within an f-string of 3.12 or later. */
static bool stopped_in_format(const struct tokens *t)
{
    int open = 0;

    for (size_t i = 0; i < t->n; i++) {
        unsigned kind = t->at[i].kind;
        open += kind == T_FSTRING_START || kind == T_TSTRING_START;
        open -= kind == T_FSTRING_END || kind == T_TSTRING_END;
    }
    return open > 0;
}

/* An error of the lexer later in the text replaces the grammar's error, unless it is in an
 * f-string. If the lexer has no such error, an open bracket replaces it, but only one that was
 * opened before the last line that was read. */
static void prefer_lexical(struct reader *r)
{
    const struct tokens *t = r->tokens;

    if (stopped_in_format(t))
        return;
    if (t->error.kind != PYTHON_NO_ERROR && !t->late)
        explain_lexical(r);
    else if (t->open_count && t->open[t->open_count - 1].line < t->at[r->fill - 1].line)
        explain_open(r, &t->open[t->open_count - 1]);
}

/* Neither reading found a message; `last` is the last token that the first one looked at. */
static void explain_plainly(struct reader *r, uint32_t last)
{
    unsigned kind = r->tokens->at[last].kind;

    if (kind == T_INDENT || kind == T_DEDENT) {
        explain_last(r, PYTHON_INDENTATION_ERROR,
                     kind == T_INDENT ? "unexpected indent" : "unexpected unindent", NULL);
        return;
    }
    explain_range(r, last | VALUE_TOKEN, last | VALUE_TOKEN, "invalid syntax", NULL);
    prefer_lexical(r);
}

/* `known` is an error that the parser has already reported for a literal. */
static void explain_by_reader(struct reader *r, const struct python_error *known)
{
    bool accepted = reader_run(r, false);
    uint32_t last = r->fill - 1;

    if (accepted && known->kind != PYTHON_NO_ERROR) {
        r->tree->error = *known;
        return;
    }
    if (!r->failed && !accepted)
        reader_run(r, true);
    if (!r->failed)
        explain_plainly(r, last);
    else if (!r->lexical && r->tree->error.kind <= PYTHON_TAB_ERROR)
        prefer_lexical(r);
}

static int explain_tokens(struct python_tree *tree, const struct tokens *tokens, bool field)
{
    struct reader r;
    struct python_error known = tree->error;
    size_t warnings = tree->warnings.n; /* further warnings would be repetitions */

    tree->error = (struct python_error){0};
    reader_init(&r, tree, tokens, field);
    explain_by_reader(&r, &known);
    reader_done(&r);
    tree->warnings.n = warnings;
    return -1;
}

int explain_module(struct python_tree *tree, const struct tokens *tokens)
{
    return explain_tokens(tree, tokens, false);
}

int explain_fstring_field(struct python_tree *tree, const struct tokens *tokens)
{
    return explain_tokens(tree, tokens, true);
}
