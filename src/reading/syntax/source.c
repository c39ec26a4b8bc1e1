/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts a file's bytes to text for the lexer: UTF-8 whose lines end in \n. The bytes nearly
 * always have this form already, and are only copied.
 *
 * CPython decodes the text by the `coding:` comment in one of its first two lines. Offsets in its
 * decoding errors count from the beginning of the file.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "syntax/codec.h"
#include "syntax/lex.h"

/* The location of errors that concern the whole text, as in CPython. */
static const struct python_error whole = {.column = -1};

static int source_refuse(struct python_tree *tree, enum python_error_kind kind,
                         struct python_error place, const char *message)
{
    tree->error = place;
    tree->error.kind = kind;
    tree->error.message = message;
    return -1;
}

/* ---- the declaration of the encoding ---- */

/* Cuts the next line off *rest. Its end, \n, \r or both, is not included. */
static struct str source_take_line(struct str *rest)
{
    size_t n = 0;

    while (n < rest->n && rest->p[n] != '\n' && rest->p[n] != '\r')
        n++;
    struct str line = {rest->p, n};
    n += n < rest->n;
    n += n < rest->n && rest->p[n - 1] == '\r' && rest->p[n] == '\n';
    *rest = str_slice(*rest, n, rest->n);
    return line;
}

/* The offset of the line's comment; line.n if there is none; -1 if something else is before it. */
static long comment_start(struct str line)
{
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == '#')
            return (long)i;
        if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\f')
            return -1;
    }
    return (long)line.n;
}

static bool in_name(char c)
{
    return ascii_is_word(c) || c == '-' || c == '.';
}

/* The name after the first "coding:" or "coding=" that is followed by one; else empty. */
static struct str declared(struct str comment)
{
    for (long at; (at = str_find(comment, STR("coding"))) >= 0;) {
        comment = str_slice(comment, (size_t)at + 6, comment.n);
        if (!comment.n || (comment.p[0] != ':' && comment.p[0] != '='))
            continue;
        size_t from = 1;
        while (from < comment.n && (comment.p[from] == ' ' || comment.p[from] == '\t'))
            from++;
        size_t to = from;
        while (to < comment.n && in_name(comment.p[to]))
            to++;
        if (to > from)
            return str_slice(comment, from, to);
    }
    return (struct str){"", 0};
}

/* True if `lower` is the name, or the name followed by `-`: CPython takes "latin_1-unix" as
 * latin-1. */
static bool is_kind_of(const char *lower, const char *name)
{
    size_t n = strlen(name);

    return strncmp(lower, name, n) == 0 && (lower[n] == '\0' || lower[n] == '-');
}

static const char *normal(struct python_tree *tree, struct str name)
{
    static const char *const latin[] = {"latin-1", "iso-8859-1", "iso-latin-1"};
    char lower[13] = "";

    for (size_t i = 0; i < name.n && i < 12; i++) {
        char c = name.p[i];
        lower[i] = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    if (is_kind_of(lower, "utf-8"))
        return "utf-8";
    for (size_t i = 0; i < ARRAY_LEN(latin); i++)
        if (is_kind_of(lower, latin[i]))
            return "iso-8859-1";
    return arena_str(&tree->arena, name).p;
}

/* A declaration and its line (1 or 2); line 0: there is none. */
struct declaration {
    struct str name, text;
    uint32_t line;
};

static struct declaration find_declaration(struct str bytes)
{
    for (uint32_t line = 1; line <= 2; line++) {
        struct str text = source_take_line(&bytes);
        long comment = comment_start(text);
        if (comment < 0)
            break;
        struct str name = declared(str_slice(text, (size_t)comment, text.n));
        if (name.n)
            return (struct declaration){name, text, line};
    }
    return (struct declaration){.line = 0};
}

/* ---- text ---- */

/* Copies the text with every line end as \n. Returns the number of bytes written, which is at most
 * text.n. */
static size_t copy_lines(char *to, struct str text)
{
    char *at = to;

    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n')
            continue;
        *at++ = text.p[i] == '\r' ? '\n' : text.p[i];
    }
    return (size_t)(at - to);
}

static void set_text(struct python_tree *tree, struct str text)
{
    char *copy = arena_alloc(&tree->arena, text.n + 2);
    size_t n = text.n;
    /* CPython 3.11 does not count a final \r\n as a line end, and adds one. */
    bool one_more = tree->target < 12 && str_ends(text, "\r\n");

    if (n && memchr(text.p, '\r', n))
        n = copy_lines(copy, text);
    else if (n)
        memcpy(copy, text.p, n);
    if (!n || copy[n - 1] != '\n' || one_more)
        copy[n++] = '\n';
    copy[n] = '\0';
    tree->text = (struct str){copy, n};
}

/* Like utf8_valid_prefix(), but checks eight bytes of ASCII at a time. */
static size_t valid_prefix(struct str s)
{
    size_t i = 0;

    while (i < s.n) {
        uint64_t word;
        if (s.n - i >= sizeof word) {
            memcpy(&word, s.p + i, sizeof word);
            if (!(word & 0x8080808080808080)) {
                i += sizeof word;
                continue;
            }
        }
        struct str rest = str_slice(s, i, s.n);
        size_t n = utf8_cut(rest, rest.n < 32 ? rest.n : 32);
        if (!n) /* not even one whole character */
            return i;
        size_t valid = utf8_valid_prefix(str_slice(rest, 0, n));
        i += valid;
        if (valid < n)
            return i;
    }
    return i;
}

/* For a text without a declaration, or declared as UTF-8: it is not decoded, so it must be valid.
 */
static int check_utf8(struct python_tree *tree)
{
    size_t at = valid_prefix(tree->text);
    struct python_error place = {.line = 1};

    if (at == tree->text.n)
        return 0;
    struct str before = str_slice(tree->text, 0, at);
    for (size_t i = 0; i < at; i++)
        place.line += before.p[i] == '\n';
    const char *line = memrchr(before.p, '\n', at);
    size_t start = line ? (size_t)(line + 1 - before.p) : 0;
    place.end_line = place.line;
    place.column = place.end_column = (int32_t)utf8_count(str_slice(before, start, at)) + 1;
    return source_refuse(
        tree, PYTHON_UNICODE_ERROR, place,
        arena_printf(&tree->arena,
                     "Non-UTF-8 code starting with '\\x%02x' on line %u, but no encoding "
                     "declared; see https://peps.python.org/pep-0263/ for details",
                     (unsigned char)tree->text.p[at], place.line));
}

/* ---- other encodings ---- */

static int wrong_mark(struct python_tree *tree, const struct declaration *d)
{
    struct python_error place = whole;

    if (tree->target >= 14)
        place = (struct python_error){
            .line = d->line,
            .end_line = d->line,
            .end_column = (int32_t)d->text.n + (d->line == 2), /* in line 2, with its line end */
        };
    return source_refuse(
        tree, PYTHON_SYNTAX_ERROR, place,
        arena_printf(&tree->arena, "encoding problem: %s with BOM", tree->encoding));
}

static int cannot_decode(struct python_tree *tree, enum codec_kind kind)
{
    const char *message;

    if (kind == CODEC_UNKNOWN)
        message = arena_printf(&tree->arena, "unknown encoding: %s", tree->encoding);
    else if (kind == CODEC_NO_TEXT)
        message = arena_printf(&tree->arena,
                               "'%s' is not a text encoding; use codecs.decode() to handle "
                               "arbitrary codecs",
                               tree->encoding);
    else
        message = arena_printf(&tree->arena,
                               "encoding problem: %s cannot be read here; save the file as UTF-8 "
                               "and take its coding line out",
                               tree->encoding);
    return source_refuse(tree, PYTHON_SYNTAX_ERROR, whole, message);
}

/* Decodes tree->text, which holds the bytes with each line ended by \n. */
static int source_decode(struct python_tree *tree)
{
    struct codec codec = codec_find(str_from(tree->encoding));
    AUTO_BUF struct buf text = {0};
    const char *message = "too large";

    if (codec.kind != CODEC_UTF8 && codec.kind != CODEC_ASCII && codec.kind != CODEC_TABLE)
        return cannot_decode(tree, codec.kind);
    buf_init(&text, tree->text.n * 3 + 1);
    if (codec_decode(&codec, tree->text, &tree->arena, &text, &message) < 0)
        return source_refuse(tree, PYTHON_UNICODE_ERROR, whole, message);
    set_text(tree, buf_str(&text));
    return 0;
}

/* ---- all of it ---- */

static int no_nul(struct python_tree *tree)
{
    return source_refuse(tree, tree->target < 12 ? PYTHON_VALUE_ERROR : PYTHON_SYNTAX_ERROR,
                         (struct python_error){0}, "source code string cannot contain null bytes");
}

int source_read(struct python_tree *tree, struct str bytes)
{
    size_t limit = tree->memory_limit ? tree->memory_limit : PYTHON_MEMORY;
    bool mark = str_starts(bytes, "\xEF\xBB\xBF");

    if (bytes.n && memchr(bytes.p, '\0', bytes.n)) {
        bool utf16 = str_starts(bytes, "\xFF\xFE") || str_starts(bytes, "\xFE\xFF");
        tree->text = bytes;
        return utf16 ? check_utf8(tree) : no_nul(tree);
    }
    if (bytes.n > INT32_MAX / 4 || bytes.n > limit / 8)
        return source_refuse(tree, PYTHON_MEMORY_ERROR, (struct python_error){0},
                             "the text is too large");
    if (mark)
        bytes = str_slice(bytes, 3, bytes.n);
    struct declaration d = find_declaration(bytes);
    tree->encoding = d.line ? normal(tree, d.name) : "utf-8";
    bool utf8 = strcmp(tree->encoding, "utf-8") == 0;
    if (mark && !utf8)
        return wrong_mark(tree, &d);
    set_text(tree, bytes);
    return utf8 ? check_utf8(tree) : source_decode(tree);
}
