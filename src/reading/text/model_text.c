/* SPDX-License-Identifier: Apache-2.0 */
#include "text/model_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

enum { ADVICE_MAX = 4096 }; /* bytes that are read of an advice */

/* ---- long texts ---- */

static size_t next_character(struct str s, size_t at)
{
    while (at < s.n && (s.p[at] & 0xC0) == 0x80)
        at++;
    return at;
}

/* The line about the bytes that were not kept; {0} for none. *ret_lost is their number. */
static struct str lost_line(struct str text, uint64_t total, uint64_t *ret_lost)
{
    static const char begin[] = "\n...(truncated: ";
    AUTO_FREE char *end = xasprintf(" of %" PRIu64 " bytes left out)...\n", total);
    long at = total ? str_find(text, STR(begin)) : -1;
    struct str rest =
        at < 0 ? (struct str){0} : str_slice(text, (size_t)at + strlen(begin), text.n);
    long digits = at < 0 ? -1 : str_find(rest, str_from(end));
    uint64_t lost;

    if (digits <= 0 || digits > 18 || strspn(rest.p, "0123456789") != (size_t)digits ||
        (lost = strtoull(rest.p, NULL, 10)) > total)
        return (struct str){0};
    *ret_lost = lost;
    return str_slice(text, (size_t)at, (size_t)at + strlen(begin) + (size_t)digits + strlen(end));
}

void model_add_cut(struct buf *out, struct str text, size_t most, struct str note, uint64_t total)
{
    if (text.n <= most) {
        (void)buf_add_str(out, text);
        return;
    }
    size_t mark = 80 + note.n, room = most > mark ? most - mark : 0;
    size_t head = utf8_cut(text, room - room / 4), tail = next_character(text, text.n - room / 4);
    uint64_t lost = 0;
    struct str line = lost_line(text, total, &lost);
    size_t from = line.n ? (size_t)(line.p - text.p) : 0, to = from + line.n;
    bool hidden = line.n && from < tail && to > head;
    if (hidden) { /* the whole line, or nothing of it */
        head = from < head ? from : head;
        tail = to > tail ? to : tail;
    }
    (void)buf_add_str(out, str_slice(text, 0, head));
    (void)buf_addf(out, "\n[%" PRIu64 " bytes are left out here",
                   tail - head + (hidden ? lost - line.n : 0));
    (void)buf_addf(out, "%s%.*s]\n", note.n ? "; " : "", (int)note.n, note.p);
    (void)buf_add_str(out, str_slice(text, tail, text.n));
}

/* ---- tracebacks ---- */

/* True for a path of Python's own library, of an installed package, or of Node's modules. */
static bool is_library(struct str path)
{
    static const char *const places[] = {"/site-packages/", "/dist-packages/", "/node_modules/"};
    long at;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (str_find(path, str_from(places[i])) >= 0)
            return true;
    for (struct str rest = path; (at = str_find(rest, STR("/python"))) >= 0;) {
        bool lib = str_ends(str_slice(rest, 0, (size_t)at), "/lib") ||
                   str_ends(str_slice(rest, 0, (size_t)at), "/lib64");
        rest = str_slice(rest, (size_t)at + 7, rest.n);
        if (lib && rest.n && isdigit((unsigned char)rest.p[0]))
            return true;
    }
    return str_starts(path, "<frozen ");
}

/* The indentation of a line, with the marks of an exception group ("  | ") in it. */
static size_t indent_of(struct str line)
{
    size_t n = 0;

    while (n < line.n && (line.p[n] == ' ' || line.p[n] == '|'))
        n++;
    return n;
}

/* True for `  File "PATH", line N, in NAME` and `    at NAME (PATH:LINE:COLUMN)` of a library. */
static bool is_library_frame(struct str line)
{
    struct str text = str_slice(line, indent_of(line), line.n);
    long end = str_find(text, STR("\", line "));

    if (str_starts(text, "File \"") && end > 6)
        return is_library(str_slice(text, 6, (size_t)end));
    return text.n < line.n && str_starts(text, "at ") &&
           (is_library(text) || str_find(text, STR("(node:")) > 0 || str_starts(text, "at node:"));
}

/* True for a line that belongs to the frame above it: source, carets, the count of repetitions. */
static bool is_of_frame(struct str line, size_t indent)
{
    struct str text = str_slice(line, indent_of(line), line.n);

    return text.n && (indent_of(line) > indent || str_starts(text, "[Previous line repeated "));
}

void model_add_errors(struct buf *out, struct str text)
{
    struct str line;
    size_t left_out = 0, indent = 0;
    bool within = false;

    while (text.n && str_next(&text, '\n', &line)) {
        bool frame = is_library_frame(line);
        if (frame) {
            indent = indent_of(line);
            left_out++;
        }
        within = frame || (within && is_of_frame(line, indent));
        if (within)
            continue;
        if (left_out)
            (void)buf_addf(out, "  [%zu library frame%s]\n", left_out, left_out == 1 ? "" : "s");
        left_out = 0;
        (void)buf_add_str(out, line);
        if (text.p)
            (void)buf_addc(out, '\n');
    }
    if (left_out)
        (void)buf_addf(out, "  [%zu library frame%s]\n", left_out, left_out == 1 ? "" : "s");
}

/* ---- advice ---- */

static bool names_option(struct str s)
{
    for (size_t i = 0; i + 2 < s.n; i++)
        if (s.p[i] == '-' && s.p[i + 1] == '-' && islower((unsigned char)s.p[i + 2]) &&
            (i == 0 || !isalnum((unsigned char)s.p[i - 1])))
            return true;
    return false;
}

/* Takes the text up to the separator, which is left out, or all of it. */
static struct str take_until(struct str *rest, struct str separator)
{
    long at = str_find(*rest, separator);
    struct str part = at < 0 ? *rest : str_slice(*rest, 0, (size_t)at);

    *rest = at < 0 ? (struct str){0} : str_slice(*rest, (size_t)at + separator.n, rest->n);
    return part;
}

/* Takes a clause, which ends at "; " or ", or ". *ret_joint is what was between it and the clause
 * before. */
static struct str take_clause(struct str *rest, struct str *joint)
{
    struct str other = *rest, semicolon = take_until(&other, STR("; "));
    struct str beside = *rest, comma = take_until(&beside, STR(", or "));
    bool first = semicolon.n <= comma.n;

    *joint = first ? STR("; ") : STR(", or ");
    *rest = first ? other : beside;
    return first ? semicolon : comma;
}

static void add_clause(struct buf *out, size_t begin, struct str joint, struct str clause)
{
    bool first = out->n == begin;

    (void)buf_add_str(out, first ? (begin ? STR(" ") : STR("")) : joint);
    size_t at = out->n;
    (void)buf_add_str(out, clause);
    if (first && joint.n && out->n > at) /* a clause before it was left out */
        out->p[at] = (char)toupper((unsigned char)out->p[at]);
}

static void add_sentence(struct buf *out, struct str sentence)
{
    struct str joint = {0}, next;
    size_t begin = out->n;

    if (str_ends(sentence, "."))
        sentence.n--;
    while (sentence.n) {
        struct str clause = take_clause(&sentence, &next);
        if (clause.n && !names_option(clause))
            add_clause(out, begin, joint, clause);
        joint = next;
    }
    if (out->n > begin && !str_ends(buf_str(out), "?"))
        (void)buf_addc(out, '.');
}

void model_add_advice(struct buf *out, struct str advice)
{
    advice.n = utf8_cut(advice, ADVICE_MAX);
    while (advice.n)
        add_sentence(out, take_until(&advice, STR(". ")));
}
