/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads f-strings like Python 3.11: searches a string token for fields, then cuts the text of each
 * field's expression into tokens and parses it separately, in parentheses. Every node that is not
 * in a field's expression has the location of all adjacent strings together, from the first to the
 * last. Text continues from one string to the next.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "python/explain.h"
#include "python/parse_parts.h"

enum { MAX_NESTED = 200, MAX_LEVEL = 2 }; /* brackets in a field; fields in a field's format */

struct fstring {
    struct python_tree *tree;
    const struct token *first, *last; /* of all adjacent strings */
    const struct token *where;        /* the location of errors: the token after the last string */
    const struct token *token;        /* the token that is being read */
    const char *at, *end;             /* the position in its body */
    bool raw;
    const char *lines_to; /* lines are counted from the start of the token up to here */
    const char *line;     /* the start of the line that has lines_to */
    uint32_t lines;
};

/* The values of a JoinedStr so far, and the text after the last of them. */
struct joined {
    struct node **at;
    size_t n, room;
    struct pieces text;
};

static void joined_done(struct joined *j)
{
    free(j->at);
    buf_done(&j->text.more);
}

static void strings_311_add(struct joined *j, struct node *value)
{
    if (j->n == j->room)
        j->at = mem_grow(j->at, &j->room, sizeof *j->at);
    j->at[j->n++] = value;
}

static bool strings_311_fail(struct fstring *f, const char *message)
{
    return strings_fail(f->tree, f->where, message);
}

static struct node *new_node(struct fstring *f, enum node_kind kind, const struct token *first,
                             const struct token *last)
{
    struct node *n = node_new(&f->tree->arena, kind);

    n->height = 1;
    n->line = first->line;
    n->column = first->column;
    n->end_line = last->end_line;
    n->end_column = last->end_column;
    return n;
}

/* ---- the expression of a field ---- */

/* Counts lines up to the brace that begins a field. */
static void count_lines(struct fstring *f, const char *to)
{
    for (const char *end; (end = memchr(f->lines_to, '\n', (size_t)(to - f->lines_to)));) {
        f->lines_to = f->line = end + 1;
        f->lines++;
    }
    f->lines_to = to;
}

/* True if only blanks are before the end of the line, or of the field. */
static bool line_is_blank(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\f')
        p++;
    return *p == '}' || *p == '\n';
}

/* The location of the expression in CPython, where its '(' replaces the brace. */
static struct lex_options field_place(struct fstring *f, const char *brace)
{
    uint32_t column = 0;

    count_lines(f, brace);
    if (!line_is_blank(brace + 1))
        column = (uint32_t)(brace - f->line);
    return (struct lex_options){
        .line = f->token->line + f->lines,
        .column = f->lines ? column : f->token->column + column,
    };
}

/* Blanks alone are not an expression, although "()" would be one. */
static bool expression_is_blank(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != ' ' && text.p[i] != '\t' && text.p[i] != '\n' && text.p[i] != '\f')
            return false;
    return true;
}

static struct str in_parentheses(struct fstring *f, struct str text)
{
    char *p = arena_alloc(&f->tree->arena, text.n + 4);

    p[0] = '(';
    memcpy(p + 1, text.p, text.n);
    memcpy(p + 1 + text.n, ")\n", 3);
    return (struct str){p, text.n + 3};
}

static struct node *parse_field(struct fstring *f, const struct tokens *tokens)
{
    struct python_tree *tree = f->tree;
    const struct token *outer = tree->field;

    tree->field = tokens->at;
    struct node *n = parse_fstring_field(tree, tokens);
    if (!n && tree->error.kind == PYTHON_NO_ERROR)
        (void)explain_fstring_field(tree, tokens);
    tree->field = outer;
    return n;
}

static struct node *field_expression(struct fstring *f, struct str text)
{
    struct python_tree *tree = f->tree;
    struct lex_options place = field_place(f, text.p - 1);
    struct str outer = tree->text;
    struct tokens tokens;

    tree->text = in_parentheses(f, text);
    lex_text(tree, tree->text, &place, &tokens);
    struct node *n = parse_field(f, &tokens);
    tokens_done(&tokens);
    tree->text = outer;
    return n;
}

static bool blank_field(struct fstring *f)
{
    char message[64] = "f-string: expression required before '?'";

    if (*f->at == '}')
        return strings_311_fail(f, "f-string: empty expression not allowed");
    message[strlen(message) - 2] = *f->at;
    return strings_311_fail(f, message);
}

/* ---- the end of an expression ---- */

struct search {
    char quote; /* of the open string in the expression, or 0 */
    bool triple;
    unsigned depth;
    char open[MAX_NESTED];
};

static bool three(const char *p, const char *end)
{
    return end - p > 2 && p[1] == p[0] && p[2] == p[0];
}

/* Handles a quote, which begins or ends a string. Returns its last character. */
static const char *search_quote(struct search *s, const char *p, const char *end)
{
    if (!s->quote) {
        s->quote = *p;
        s->triple = three(p, end);
    } else if (*p != s->quote || (s->triple && !three(p, end))) {
        return p;
    } else {
        s->quote = 0;
    }
    return s->triple ? p + 2 : p;
}

static bool search_open(struct fstring *f, struct search *s, char c)
{
    if (s->depth == MAX_NESTED)
        return strings_311_fail(f, "f-string: too many nested parenthesis");
    s->open[s->depth++] = c;
    return true;
}

static bool unmatched(struct fstring *f, char c)
{
    char message[] = "f-string: unmatched '?'";

    message[sizeof message - 3] = c;
    return strings_311_fail(f, message);
}

static bool search_close(struct fstring *f, struct search *s, char c)
{
    if (!s->depth)
        return unmatched(f, c);
    char open = s->open[--s->depth];
    if (c - open == 1 + (open != '('))
        return true;
    char message[] = "f-string: closing parenthesis '?' does not match opening parenthesis '?'";
    message[strlen("f-string: closing parenthesis '")] = c;
    message[sizeof message - 3] = open;
    return strings_311_fail(f, message);
}

/* True if the character, outside all brackets, ends the expression. == != <= >= < > do not; *p is
 * moved to the last character of such an operator. */
static bool ends_field(const char **p, const char *end)
{
    char c = **p;

    if (c != ':' && c != '}' && end - *p > 1 && (*p)[1] == '=') {
        ++*p;
        return false;
    }
    return c != '<' && c != '>';
}

/* Handles one character; *ret_end is set where the expression ends. */
static bool search_step(struct fstring *f, struct search *s, bool *ret_end)
{
    static const char ends[] = {'!', ':', '}', '=', '<', '>'};
    char c = *f->at;

    if (c == '\\')
        return strings_311_fail(f, "f-string expression part cannot include a backslash");
    if (c == '\'' || c == '"') {
        f->at = search_quote(s, f->at, f->end);
        return true;
    }
    if (s->quote)
        return true;
    if (c == '(' || c == '[' || c == '{')
        return search_open(f, s, c);
    if (c == '#')
        return strings_311_fail(f, "f-string expression part cannot include '#'");
    if (s->depth == 0 && memchr(ends, c, sizeof ends)) {
        *ret_end = ends_field(&f->at, f->end);
        return true;
    }
    return (c != ')' && c != ']' && c != '}') || search_close(f, s, c);
}

/* Finds the expression at f->at, and moves f->at to the character that ends it. */
static bool find_expression(struct fstring *f, struct str *ret)
{
    struct search s = {.quote = 0};
    const char *start = f->at;
    bool found = false;

    for (; f->at < f->end; f->at++) {
        if (!search_step(f, &s, &found))
            return false;
        if (found)
            break;
    }
    *ret = (struct str){start, (size_t)(f->at - start)};
    if (s.quote)
        return strings_311_fail(f, "f-string: unterminated string");
    if (s.depth)
        return unmatched(f, s.open[s.depth - 1]);
    return f->at < f->end || strings_311_fail(f, "f-string: expecting '}'");
}

/* ---- fields ---- */

static struct node *format_spec(struct fstring *f, unsigned level);

/* '=' and the blanks after it, which belong to the text */
static void debug_text(struct fstring *f, const char *start, struct str *ret)
{
    if (*f->at != '=')
        return;
    do {
        f->at++;
    } while (*f->at == ' ' || (*f->at >= '\t' && *f->at <= '\r'));
    *ret = (struct str){start, (size_t)(f->at - start)};
}

/* '!' and a letter */
static bool conversion(struct fstring *f, int32_t *ret)
{
    if (*f->at != '!')
        return true;
    if (++f->at >= f->end)
        return strings_311_fail(f, "f-string: expecting '}'");
    *ret = (unsigned char)*f->at++;
    return *ret == 's' || *ret == 'r' || *ret == 'a' ||
           strings_311_fail(f, "f-string: invalid conversion character: expected 's', 'r', or 'a'");
}

/* Reads the part after the expression, up to the '}'. */
static bool field_rest(struct fstring *f, struct node *n, unsigned level, bool debug)
{
    if (f->at >= f->end || !conversion(f, &n->formatted.conversion))
        return strings_311_fail(f, "f-string: expecting '}'");
    if (f->at < f->end && *f->at == ':') {
        f->at++;
        if (f->at >= f->end)
            return strings_311_fail(f, "f-string: expecting '}'");
        if (!(n->formatted.format_spec = format_spec(f, level + 1)))
            return false;
        above(n, n->formatted.format_spec);
    }
    if (f->at >= f->end || *f->at != '}')
        return strings_311_fail(f, "f-string: expecting '}'");
    f->at++;
    if (debug && !n->formatted.format_spec && n->formatted.conversion < 0)
        n->formatted.conversion = 'r';
    return true;
}

/* Reads a field from its '{' on. *ret_debug is the text that `=` adds before it. */
static struct node *strings_311_field(struct fstring *f, unsigned level, struct str *ret_debug)
{
    struct node *n = new_node(f, N_FORMATTED_VALUE, f->first, f->last);
    struct str text;

    n->formatted.conversion = -1;
    if (level >= MAX_LEVEL) {
        strings_311_fail(f, "f-string: expressions nested too deeply");
        return NULL;
    }
    f->at++;
    if (!find_expression(f, &text))
        return NULL;
    if (expression_is_blank(text)) {
        blank_field(f);
        return NULL;
    }
    n->formatted.value = field_expression(f, text);
    if (!n->formatted.value)
        return NULL;
    above(n, n->formatted.value);
    debug_text(f, text.p, ret_debug);
    return field_rest(f, n, level, ret_debug->n > 0) ? n : NULL;
}

/* ---- text ---- */

/* Skips a backslash and the character that it escapes; the braces of \N{...} do not begin a field.
 */
static const char *skip_escape(struct fstring *f, const char *p)
{
    char c = *p++;

    if (c == 'N') {
        if (p < f->end && *p++ == '{')
            while (p < f->end && *p++ != '}')
                continue;
        return p;
    }
    if (c == '{')
        python_warn(f->tree, PYTHON_DEPRECATION_WARNING, f->token->line, -1,
                    "invalid escape sequence '\\{'");
    return c == '{' || c == '}' ? p - 1 : p;
}

/* The end of the text at f->at: a brace, or the end of the string. */
static const char *skip_text(struct fstring *f)
{
    const char *p = f->at;

    while (p < f->end && *p != '{' && *p != '}') {
        p++;
        if (p[-1] == '\\' && !f->raw && p < f->end)
            p = skip_escape(f, p);
    }
    return p;
}

/* Adds the text at f->at. *ret_more: it ended at a doubled brace, one of which is included. */
static bool strings_311_read_text(struct fstring *f, struct joined *j, unsigned level,
                                  bool *ret_more)
{
    const char *start = f->at, *end = skip_text(f);
    struct str text;

    f->at = end;
    *ret_more = level == 0 && end + 1 < f->end && end[0] == end[1];
    if (*ret_more) {
        end++;
        f->at += 2;
    } else if (level == 0 && end < f->end && *end == '}') {
        return strings_311_fail(f, "f-string: single '}' is not allowed");
    }
    if (end == start)
        return true;
    return strings_decode(f->tree, f->token, (struct str){start, (size_t)(end - start)},
                          f->raw ? LITERAL_RAW : 0, f->where, &text) &&
           pieces_add(f->tree, &j->text, text);
}

/* Makes a Constant from the text so far. */
static void end_text(struct fstring *f, struct joined *j, const struct token *first,
                     const struct token *last)
{
    if (!j->text.first.n)
        return;
    struct node *n = new_node(f, N_CONSTANT, first, last);
    n->op = CONST_STR;
    n->constant.text = pieces_take(f->tree, &j->text);
    if (f->tree->text.p[first->start] == 'u')
        n->constant.kind = STR("u");
    strings_311_add(j, n);
}

/* Reads text and fields of the token's body from f->at on; a format ends at a '}'. */
static bool strings_311_read_body(struct fstring *f, struct joined *j, unsigned level)
{
    for (;;) {
        struct str debug = {NULL, 0};
        bool more;
        if (!strings_311_read_text(f, j, level, &more))
            return false;
        if (more)
            continue;
        if (f->at >= f->end || *f->at == '}')
            return level == 0 || f->at < f->end || strings_311_fail(f, "f-string: expecting '}'");
        struct node *n = strings_311_field(f, level, &debug);
        if (!n || !pieces_add(f->tree, &j->text, debug))
            return false;
        end_text(f, j, f->first, f->last);
        strings_311_add(j, n);
    }
}

static struct node *joined_str(struct fstring *f, struct joined *j, const struct token *first,
                               const struct token *last)
{
    end_text(f, j, first, last);
    struct node *n = new_node(f, N_JOINED_STR, first, last);
    n->joined.values = (struct node_list){arena_alloc(&f->tree->arena, j->n * sizeof *j->at), j->n};
    for (size_t i = 0; i < j->n; i++) {
        n->joined.values.at[i] = j->at[i];
        above(n, j->at[i]);
    }
    return n;
}

/* Reads the format of a field, up to its '}'. The format and its last text have the location of
 * their token. */
static struct node *format_spec(struct fstring *f, unsigned level)
{
    struct joined j = {.n = 0};
    bool good = strings_311_read_body(f, &j, level);
    struct node *n = good ? joined_str(f, &j, f->token, f->token) : NULL;

    joined_done(&j);
    return n;
}

/* ---- whole strings ---- */

static bool read_fstring(struct fstring *f, struct joined *j, struct str body, bool raw)
{
    f->at = body.p;
    f->end = body.p + body.n;
    f->raw = raw;
    f->line = f->lines_to = f->tree->text.p + f->token->start;
    f->lines = 0;
    return strings_311_read_body(f, j, 0);
}

static bool read_token(struct fstring *f, struct joined *j, bool bytes)
{
    const struct token *t = f->token;
    struct str text = {f->tree->text.p + t->start, t->end - t->start};
    unsigned flags = literal_open(text, &text);
    bool format = flags & LITERAL_FORMAT;

    if (!format && !strings_decode(f->tree, t, text, flags, f->where, &text))
        return false;
    if (bytes != (bool)(flags & LITERAL_BYTES))
        return strings_311_fail(f, "cannot mix bytes and nonbytes literals");
    return format ? read_fstring(f, j, text, flags & LITERAL_RAW)
                  : pieces_add(f->tree, &j->text, text);
}

struct node *strings_311(struct python_tree *tree, const struct token *first, size_t n, bool bytes)
{
    struct fstring f = {.tree = tree, .first = first, .last = first + n - 1, .where = first + n};
    struct joined j = {.n = 0};
    bool good = true;

    for (f.token = first; good && f.token <= f.last; f.token++)
        good = read_token(&f, &j, bytes);
    struct node *joined = good ? joined_str(&f, &j, first, f.last) : NULL;
    joined_done(&j);
    return joined;
}
