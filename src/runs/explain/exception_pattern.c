/* SPDX-License-Identifier: Apache-2.0
 *
 * Error messages by pattern: a language's row has the forms in which its tools report errors, such
 * as "{file}:{line}:{column}: error: {message}".
 *
 * A pattern is compared with the text at the beginning of each line. It does not go back: a field
 * ends at the first place where the text after the field occurs in the line ({message}: at the
 * last), so that the time is linear in the length of the line, whatever the program has printed.
 *
 *     {file}     a path without a newline; messages about the program itself may leave it out
 *     {line} {column}   numbers
 *     {type}     a name, such as ArgumentError, JSON::ParserError, java.lang.Error or E0308
 *     {message}  text
 *     {any}      text that is not used; {lines} skips up to SKIPPED_LINES whole lines
 *     <Name>     at the beginning: the type of errors of this form
 */
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "explain/exception_parts.h"

enum { LINE_MAX_READ = 2000, SKIPPED_LINES = 20, FRAMES_READ = 200 };

struct match {
    struct str type, message, file, function;
    int64_t line, column;
    struct str rest; /* the text after the matched line; .p NULL at the end */
};

/* ---- fields ---- */

static struct str pattern_line(struct str text)
{
    struct str line = {text.p, 0};

    (void)str_next(&text, '\n', &line);
    return str_slice(line, 0, line.n < LINE_MAX_READ ? line.n : LINE_MAX_READ);
}

static size_t type_length(struct str s)
{
    size_t n = 0;

    while (n < s.n) {
        char c = s.p[n];
        bool pair = c == ':' && n + 2 < s.n && s.p[n + 1] == ':' && ascii_is_word(s.p[n + 2]);
        if (pair)
            n += 2;
        else if (ascii_is_word(c) || c == '.' || c == '$' || c == '\\')
            n++;
        else
            break;
    }
    return n;
}

/* The literal text of the pattern up to its next field or line end. */
static struct str literal_of(const char *pattern)
{
    return (struct str){pattern, strcspn(pattern, "{\n")};
}

static long find_last(struct str s, struct str what)
{
    for (size_t at = s.n - what.n + 1; what.n <= s.n && at-- > 0;)
        if (memcmp(s.p + at, what.p, what.n) == 0)
            return (long)at;
    return -1;
}

/* The end of a field of free text: where the literal after it begins. -1: it does not occur. */
static long end_of(struct str line, const char *after, bool last)
{
    struct str literal = literal_of(after);

    if (!literal.n)
        return (long)line.n;
    return last ? find_last(line, literal) : str_find(line, literal);
}

static bool pattern_number(struct str *text, int64_t *ret)
{
    size_t n = 0;

    while (n < text->n && text->p[n] >= '0' && text->p[n] <= '9')
        n++;
    *ret = reading_number(str_slice(*text, 0, n));
    *text = str_slice(*text, n, text->n);
    return *ret > 0;
}

static bool take_text(struct str *text, const char *after, bool last, struct str *ret)
{
    struct str line = pattern_line(*text);
    long n = end_of(line, after, last);

    if (n < 0)
        return false;
    *ret = str_slice(line, 0, (size_t)n);
    *text = str_slice(*text, (size_t)n, text->n);
    return true;
}

/* Reads the field `name` from the beginning of *text; `after` is the pattern behind it. */
static bool take_field(struct str name, const char *after, struct str *text, struct match *m)
{
    struct str unused;

    if (str_is(name, "line"))
        return pattern_number(text, &m->line);
    if (str_is(name, "column"))
        return pattern_number(text, &m->column);
    if (str_is(name, "type")) {
        m->type = str_slice(*text, 0, type_length(pattern_line(*text)));
        *text = str_slice(*text, m->type.n, text->n);
        return m->type.n > 0;
    }
    if (str_is(name, "file"))
        return take_text(text, after, false, &m->file) && m->file.n > 0;
    if (str_is(name, "function"))
        return take_text(text, after, false, &m->function);
    if (str_is(name, "message"))
        return take_text(text, after, true, &m->message);
    return take_text(text, after, false, &unused);
}

/* ---- a pattern ---- */

static bool take_literal(const char **pattern, struct str *text)
{
    struct str literal = literal_of(*pattern);

    if (literal.n > text->n || memcmp(literal.p, text->p, literal.n) != 0)
        return false;
    *pattern += literal.n;
    *text = str_slice(*text, literal.n, text->n);
    return true;
}

/* Goes to the next line; false at the end of the text. */
static bool skip_line(struct str *text)
{
    struct str line;

    return str_next(text, '\n', &line) && text->p;
}

static bool matches(const char *pattern, struct str text, struct match *m);

/* {lines}: the rest of the pattern matches one of the next lines. */
static bool matches_later(const char *pattern, struct str text, struct match *m)
{
    for (int i = 0; i < SKIPPED_LINES; i++) {
        if (matches(pattern, text, m))
            return true;
        if (!skip_line(&text))
            return false;
    }
    return false;
}

/* True if the text begins with the pattern. */
static bool matches(const char *pattern, struct str text, struct match *m)
{
    while (*pattern) {
        if (*pattern == '\n') {
            if (!skip_line(&text))
                return false;
            pattern++;
            continue;
        }
        if (*pattern != '{') {
            if (!take_literal(&pattern, &text))
                return false;
            continue;
        }
        const char *close = strchr(pattern, '}');
        if (!close)
            return false;
        struct str name = {pattern + 1, (size_t)(close - pattern - 1)};
        pattern = close + 1;
        if (str_is(name, "lines"))
            return matches_later(pattern, text, m);
        if (!take_field(name, pattern, &text, m))
            return false;
    }
    m->rest = text;
    (void)skip_line(&m->rest);
    return true;
}

/* The first of the patterns that the text begins with. */
static bool matches_one(const char *const *patterns, struct str text, struct match *m)
{
    for (; patterns && *patterns; patterns++) {
        const char *pattern = *patterns, *close = *pattern == '<' ? strchr(pattern, '>') : NULL;
        *m = (struct match){0};
        if (close)
            m->type = (struct str){pattern + 1, (size_t)(close - pattern - 1)};
        if (matches(close ? close + 1 : pattern, text, m))
            return true;
    }
    return false;
}

/* ---- places ---- */

/* The path in the work folder; .p NULL for a file elsewhere. Compilers print the path that they
 * were given, or only its last part. */
static struct str in_work_folder(const struct exception_input *in, struct str file)
{
    AUTO_FREE char *program = xasprintf("/work/%s", in->program ? in->program : "");

    if (str_starts(file, in->work))
        return str_slice(file, strlen(in->work), file.n);
    /* What was compiled in another place has that place's path. */
    if (in->program && str_ends(file, program))
        return str_from(in->program);
    if (str_starts(file, "./"))
        return str_slice(file, 2, file.n);
    return file.n && file.p[0] != '/' && file.p[0] != '<' ? file : (struct str){0};
}

static struct str program_of(const struct exception_input *in)
{
    return in->program ? str_from(in->program) : STR("");
}

/* Adds the place of a match; false if it is not in a file of the user's. */
static bool add_place(const struct exception_input *in, const struct match *m,
                      struct reading_error *e)
{
    struct str file = m->file.p ? in_work_folder(in, m->file) : program_of(in);

    if (!file.p || !m->line || e->frame_count == READING_FRAMES)
        return false;
    e->frames[e->frame_count++] = (struct reading_frame){file, m->function, m->line};
    return true;
}

static void turn_round(struct reading_error *e)
{
    for (size_t i = 0, j = e->frame_count; i + 1 < j--; i++) {
        struct reading_frame f = e->frames[i];
        e->frames[i] = e->frames[j];
        e->frames[j] = f;
    }
}

/* Reads the frames below an error, the innermost first. Returns the text after them. */
static struct str read_frames(const struct exception_input *in, struct str text,
                              struct reading_error *e)
{
    struct match m;

    for (int i = 0; text.p && i < FRAMES_READ && matches_one(in->frames, text, &m); i++) {
        bool same = e->frame_count == 1 && m.line == e->frames[0].line && !e->column;
        if (!same)
            (void)add_place(in, &m, e);
        else
            e->frames[0].function = m.function;
        text = m.rest;
    }
    return text;
}

static struct str read_error(const struct exception_input *in, const struct match *m,
                             struct reading_error *e)
{
    *e = (struct reading_error){.type = m->type.n ? m->type : STR("Error"),
                                .message = str_trim(m->message)};
    if (add_place(in, m, e))
        e->column = m->column;
    struct str rest = read_frames(in, m->rest, e);
    turn_round(e);
    return rest;
}

bool exception_read_pattern(struct reading *ret)
{
    const struct exception_input *in = ret->in;
    struct str text = in->text, after = {0};
    struct match m;

    while (text.p && text.n) {
        if (!matches_one(in->errors, text, &m)) {
            (void)skip_line(&text);
            continue;
        }
        /* What follows directly on the frames of an error is its cause. */
        bool cause = in->frames && ret->error.frame_count && after.p == text.p;
        if (!cause) {
            ret->cause = (struct reading_error){0};
            ret->traceback = text;
        }
        text = after = read_error(in, &m, cause ? &ret->cause : &ret->error);
        if (in->first_error)
            break;
    }
    return ret->error.type.n > 0;
}
