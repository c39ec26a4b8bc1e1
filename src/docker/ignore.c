/* SPDX-License-Identifier: Apache-2.0
 *
 * A pattern is matched by following all of its possible places at once, one character of the path
 * after the other. So the time is at most the product of both lengths, whatever the pattern.
 */
#include "docker/ignore.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- one pattern ---- */

/* The length of the piece of the pattern at `at`: "**", "[...]", "\x" or one character; 0 for a
 * piece without an end. */
static size_t piece_length(struct str pattern, size_t at)
{
    char c = pattern.p[at];
    size_t end = at + 1;

    if (c == '*')
        return end < pattern.n && pattern.p[end] == '*' ? 2 : 1;
    if (c == '\\')
        return end < pattern.n ? 2 : 0;
    if (c != '[')
        return 1;
    end += end < pattern.n && pattern.p[end] == '^';
    for (bool first = true; end < pattern.n && (first || pattern.p[end] != ']'); first = false)
        end += pattern.p[end] == '\\' ? 2 : 1;
    return end < pattern.n ? end + 1 - at : 0;
}

static unsigned char next_of_class(struct str class, size_t *at)
{
    *at += class.p[*at] == '\\' && *at + 1 < class.n;
    return (unsigned char)class.p[(*at)++];
}

/* `class` is what stands between the brackets. */
static bool is_in_class(struct str class, unsigned char c)
{
    bool not = class.n && class.p[0] == '^', found = false;

    for (size_t at = not ; at < class.n;) {
        unsigned char low = next_of_class(class, &at), high = low;
        if (at + 1 < class.n && class.p[at] == '-') {
            at++;
            high = next_of_class(class, &at);
        }
        found |= low <= c && c <= high;
    }
    return found != not ;
}

static bool piece_takes(struct str piece, char c)
{
    switch (piece.p[0]) {
    case '*':
        return piece.n == 2 || c != '/';
    case '?':
        return c != '/';
    case '[':
        return c != '/' && is_in_class(str_slice(piece, 1, piece.n - 1), (unsigned char)c);
    case '\\':
        return piece.p[1] == c;
    default:
        return piece.p[0] == c;
    }
}

/* Places behind stars that may match nothing. The "**" of a "**" with a slash stands for whole
 * folders. */
static void pass_stars(struct str pattern, bool *places, bool at_name)
{
    for (size_t i = 0; i < pattern.n; i += piece_length(pattern, i)) {
        size_t n = piece_length(pattern, i);
        if (!places[i] || pattern.p[i] != '*')
            continue;
        places[i + n] = true;
        if (n == 2 && at_name && i + n < pattern.n && pattern.p[i + n] == '/')
            places[i + n + 1] = true;
    }
}

/* Takes one more character: the places behind it. False when no place is left. */
static bool take(struct str pattern, bool *places, char c)
{
    bool next[IGNORE_LINE_MAX + 1] = {false}, any = false;

    for (size_t i = 0, n; i < pattern.n; i += n) {
        n = piece_length(pattern, i);
        if (!places[i] || !piece_takes((struct str){pattern.p + i, n}, c))
            continue;
        next[pattern.p[i] == '*' ? i : i + n] = true;
        any = true;
    }
    memcpy(places, next, pattern.n + 1);
    return any;
}

/* The path, or a folder above it. */
static bool matches(struct str pattern, struct str path)
{
    bool places[IGNORE_LINE_MAX + 1] = {true};

    for (size_t k = 0; k < path.n; k++) {
        pass_stars(pattern, places, k == 0 || path.p[k - 1] == '/');
        if (k && path.p[k] == '/' && places[pattern.n])
            return true;
        if (!take(pattern, places, path.p[k]))
            return false;
    }
    pass_stars(pattern, places, false);
    return places[pattern.n];
}

bool ignore_matches(const struct ignore *ignore, struct str path)
{
    bool out = false;

    for (size_t i = 0; i < ignore->count; i++)
        if (ignore->rules[i].takes_in == out)
            out ^= matches(ignore->rules[i].pattern, path);
    return out;
}

/* ---- the file ---- */

/* Without "./" and "/" in front, and without a slash at the end. */
static struct str cleaned(struct str s)
{
    for (;;) {
        if (s.n && s.p[0] == '/')
            s = str_slice(s, 1, s.n);
        else if (s.n > 1 && s.p[0] == '.' && s.p[1] == '/')
            s = str_slice(s, 2, s.n);
        else
            break;
    }
    while (s.n && s.p[s.n - 1] == '/')
        s.n--;
    return s;
}

static bool is_complete(struct str pattern)
{
    size_t n = 0;

    for (size_t at = 0; at < pattern.n; at += n)
        if ((n = piece_length(pattern, at)) == 0)
            return false;
    return pattern.n <= IGNORE_LINE_MAX;
}

static int add_line(struct ignore *ignore, struct str line, struct err *err)
{
    line = str_trim(line);
    if (!line.n || line.p[0] == '#')
        return 0;
    bool takes_in = line.p[0] == '!';
    struct str pattern = cleaned(str_trim(str_slice(line, takes_in, line.n)));
    if (!is_complete(pattern))
        return err_set(err, ERR_USAGE, "'%.*s' is not a pattern",
                       (int)(line.n < 100 ? line.n : 100), line.p);
    if (!pattern.n)
        return 0;
    ignore->rules = xrealloc_array(ignore->rules, ignore->count + 1, sizeof *ignore->rules);
    ignore->rules[ignore->count++] = (struct ignore_rule){pattern, takes_in};
    ignore->takes_in |= takes_in;
    return 0;
}

int ignore_read(struct ignore *ignore, struct str text, struct err *err)
{
    *ignore = (struct ignore){.text = xstrndup(text.p, text.n)};
    struct str rest = {ignore->text, text.n}, line;

    while (str_next_line(&rest, &line))
        if (add_line(ignore, line, err) < 0)
            return -1;
    return 0;
}

void ignore_done(struct ignore *ignore)
{
    free(ignore->text);
    free(ignore->rules);
    *ignore = (struct ignore){0};
}
