/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether a cell in a shell language, JavaScript or R continues on the next line: quotes,
 * brackets and the keywords of blocks are counted. A wrong guess costs an empty line, or Ctrl-C.
 */
#include <string.h>

#include "base/ascii.h"
#include "languages/prompt.h"

struct scan {
    struct str text;
    size_t at;
    long depth, parens;
    bool open;         /* in a quote or comment that has not ended */
    bool command;      /* in a shell: the next word is the first of a command */
    struct str marker; /* of a here-document that begins after this line */
    bool tabs;         /* the here-document's lines may begin with tabs */
};

/* Moves to the position after the closing quote. */
static void skip_quote(struct scan *s, bool escapes)
{
    char quote = s->text.p[s->at++];

    while (s->at < s->text.n && s->text.p[s->at] != quote)
        s->at += 1 + (escapes && s->text.p[s->at] == '\\');
    s->open = s->at >= s->text.n;
    s->at += !s->open;
}

static void skip_line(struct scan *s)
{
    while (s->at < s->text.n && s->text.p[s->at] != '\n')
        s->at++;
}

static void skip_comment(struct scan *s)
{
    long end = str_find(str_slice(s->text, s->at, s->text.n), str_from("*/"));

    s->open = end < 0;
    s->at = end < 0 ? s->text.n : s->at + (size_t)end + 2;
}

static void count_bracket(struct scan *s)
{
    char c = s->text.p[s->at++];

    s->depth += c == '{' || c == '(' || c == '[';
    s->depth -= c == '}' || c == ')' || c == ']';
}

/* ---- a shell ---- */

static void take_shell_word(struct scan *s)
{
    static const char *const opens[] = {"if", "do", "case", "{", NULL};
    static const char *const closes[] = {"fi", "done", "esac", "}", NULL};
    static const char *const leads[] = {"if",    "do",    "then", "else", "elif",
                                        "while", "until", "{",    "!",    NULL};
    size_t from = s->at;

    while (s->at < s->text.n && !strchr(" \t\n;&|()<>'\"\\`", s->text.p[s->at]))
        s->at++;
    s->at += s->at == from;
    struct str word = str_slice(s->text, from, s->at);
    if (!s->command)
        return;
    s->depth += str_one_of(word, opens);
    s->depth -= str_one_of(word, closes);
    s->command = str_one_of(word, leads);
}

/* Reads << or <<-, and its word. */
static void take_marker(struct scan *s)
{
    s->at += 2;
    s->tabs = s->at < s->text.n && s->text.p[s->at] == '-';
    s->at += s->tabs;
    while (s->at < s->text.n && strchr(" \t'\"\\", s->text.p[s->at]))
        s->at++;
    size_t from = s->at;
    while (s->at < s->text.n && ascii_is_word(s->text.p[s->at]))
        s->at++;
    s->marker = str_slice(s->text, from, s->at);
    s->at += s->at < s->text.n && strchr("'\"", s->text.p[s->at]) != NULL;
}

/* Skips the lines of a here-document, from the newline before them. */
static void skip_document(struct scan *s)
{
    struct str rest = str_slice(s->text, s->at + 1, s->text.n), line;

    s->open = true;
    while (s->open && str_next_line(&rest, &line)) {
        while (s->tabs && str_starts(line, "\t"))
            line = str_slice(line, 1, line.n);
        s->open = !str_eq(line, s->marker);
    }
    s->at = s->open || !rest.p ? s->text.n : (size_t)(rest.p - s->text.p) - 1;
    s->marker = (struct str){0};
}

static bool is_marker(const struct scan *s)
{
    struct str rest = str_slice(s->text, s->at, s->text.n);

    return str_starts(rest, "<<") && !str_starts(rest, "<<<") && s->depth >= 0;
}

static void step_shell(struct scan *s)
{
    char c = s->text.p[s->at], before = s->at ? s->text.p[s->at - 1] : '\n';

    if (c == '\n' && s->marker.n) {
        skip_document(s);
        s->command = true;
    } else if (c == '\'' || c == '"' || c == '`') {
        skip_quote(s, c != '\'');
        s->command = false;
    } else if (c == '\\') {
        s->at += 2;
    } else if (c == '#' && strchr(" \t\n;", before)) {
        skip_line(s);
    } else if (is_marker(s)) {
        take_marker(s);
    } else if (c == '(' || c == ')') {
        int step = c == '(' ? 1 : s->parens > 0 ? -1 : 0; /* else it ends a pattern of `case` */
        s->parens += step;
        s->depth += step;
        s->command = true;
        s->at++;
    } else if (strchr("\n;&|", c)) {
        s->command = true;
        s->at++;
    } else if (strchr(" \t<>", c)) {
        s->at++;
    } else {
        take_shell_word(s);
    }
}

/* ---- JavaScript and R ---- */

static void step_script(struct scan *s, bool javascript)
{
    struct str rest = str_slice(s->text, s->at, s->text.n);
    char c = rest.p[0];

    if (c == '\'' || c == '"' || c == '`')
        skip_quote(s, c != '`' || javascript);
    else if (javascript ? str_starts(rest, "//") : c == '#')
        skip_line(s);
    else if (javascript && str_starts(rest, "/*"))
        skip_comment(s);
    else
        count_bracket(s);
}

/* ---- the end of a text ---- */

/* True if the text ends with an operator that needs an operand. */
static bool ends_with(struct str text, const char *const *ends)
{
    for (; *ends; ends++)
        if (str_ends(text, *ends))
            return true;
    return false;
}

static bool is_open(const struct scan *s, const char *const *operators)
{
    return s->depth > 0 || s->open || s->marker.n || ends_with(s->text, operators);
}

static bool is_ended(struct str text)
{
    return str_ends(text, "\n\n");
}

bool prompt_continues_shell(struct str text)
{
    static const char *const operators[] = {"&&", "|", "\\", NULL};
    struct scan s = {.text = text, .command = true};

    while (s.at < text.n)
        step_shell(&s);
    return !is_ended(text) && is_open(&s, operators);
}

static bool script_continues(struct str text, bool javascript, const char *const *operators)
{
    struct scan s = {.text = text};

    while (s.at < text.n)
        step_script(&s, javascript);
    return !is_ended(text) && is_open(&s, operators);
}

bool prompt_continues_javascript(struct str text)
{
    static const char *const operators[] = {"=", "=>", ",", "&&", "||", "?", ".", NULL};

    return script_continues(text, true, operators);
}

bool prompt_continues_r(struct str text)
{
    static const char *const operators[] = {"+", "-", "*", "/",   "<-", "=", "|",
                                            "&", ",", "~", "%>%", "|>", NULL};

    return script_continues(text, false, operators);
}
