/* SPDX-License-Identifier: Apache-2.0
 *
 * The greedy algorithm of Myers: finds a shortest way from one list of lines to the other, in steps
 * that each remove or add one line. Time and memory grow with the square of the number of steps, so
 * that number has a ceiling, and so has the number of lines.
 */
#include "text/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { CONTEXT = 3, STEPS_MAX = 2000, LINES_MAX = 200000 };

struct side {
    struct str *lines; /* each with its line end */
    size_t n;
    bool *changed; /* true for a line that is on this side only */
};

static void diff_split(struct str text, struct side *ret)
{
    size_t room = 64;

    *ret = (struct side){.lines = xcalloc(room, sizeof *ret->lines)};
    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) + 1 : text.n;
        if (ret->n == room)
            ret->lines = xrealloc_array(ret->lines, room *= 2, sizeof *ret->lines);
        ret->lines[ret->n++] = str_slice(text, 0, n);
        text = str_slice(text, n, text.n);
    }
    ret->changed = xcalloc(ret->n + 1, sizeof *ret->changed);
}

static void side_done(struct side *side)
{
    free(side->lines);
    free(side->changed);
}

/* ---- which lines changed ---- */

/* The lines between the common beginning and the common end of both sides. */
struct middle {
    struct side *a, *b;
    size_t from, a_end, b_end;
};

static struct middle find_middle(struct side *a, struct side *b)
{
    struct middle m = {a, b, 0, a->n, b->n};

    while (m.from < a->n && m.from < b->n && str_eq(a->lines[m.from], b->lines[m.from]))
        m.from++;
    while (m.a_end > m.from && m.b_end > m.from &&
           str_eq(a->lines[m.a_end - 1], b->lines[m.b_end - 1])) {
        m.a_end--;
        m.b_end--;
    }
    return m;
}

static void replace_all(const struct middle *m)
{
    for (size_t i = m->from; i < m->a_end; i++)
        m->a->changed[i] = true;
    for (size_t i = m->from; i < m->b_end; i++)
        m->b->changed[i] = true;
}

/* A diagonal k holds all pairs (line of a, line of b) whose difference is k. `reach` has, for each
 * diagonal, the furthest line of a that the steps so far reach. */
struct search {
    const struct middle *m;
    long n, n_other; /* the number of the middle's lines on each side */
    int *reach;      /* diagonal k is at index STEPS_MAX + 1 + k */
    int *trail[STEPS_MAX + 1];
};

static bool diff_same(const struct search *s, long x, long y)
{
    size_t from = s->m->from;

    return str_eq(s->m->a->lines[from + (size_t)x], s->m->b->lines[from + (size_t)y]);
}

static bool comes_down(const int *reach, long k, long steps)
{
    return k == -steps || (k != steps && reach[k - 1] < reach[k + 1]);
}

/* Goes one step further on every diagonal. True when one of them reaches the end. */
static bool advance(struct search *s, long steps)
{
    int *reach = s->reach + STEPS_MAX + 1;

    for (long k = -steps; k <= steps; k += 2) {
        long x = comes_down(reach, k, steps) ? reach[k + 1] : reach[k - 1] + 1, y = x - k;
        while (x < s->n && y < s->n_other && x >= 0 && y >= 0 && diff_same(s, x, y)) {
            x++;
            y++;
        }
        reach[k] = (int)x;
        if (x >= s->n && y >= s->n_other)
            return true;
    }
    return false;
}

/* Saves `reach` as it was before this step: diagonals -steps - 1 to steps + 1. */
static void keep_trail(struct search *s, long steps)
{
    size_t n = 2 * (size_t)steps + 3;

    s->trail[steps] = xrealloc_array(NULL, n, sizeof(int));
    memcpy(s->trail[steps], s->reach + STEPS_MAX - steps, n * sizeof(int));
}

/* Follows the trail from the end back to the beginning, and marks the changed lines. */
static void mark(const struct search *s, long steps)
{
    long x = s->n, y = s->n_other;

    for (; steps > 0; steps--) {
        const int *before = s->trail[steps] + steps + 1;
        long k = x - y;
        bool down = comes_down(before, k, steps);
        x = before[down ? k + 1 : k - 1];
        y = x - (down ? k + 1 : k - 1);
        if (down)
            s->m->b->changed[s->m->from + (size_t)y] = true;
        else
            s->m->a->changed[s->m->from + (size_t)x] = true;
    }
}

static void diff_compare(const struct middle *m)
{
    struct search s = {
        .m = m, .n = (long)(m->a_end - m->from), .n_other = (long)(m->b_end - m->from)};
    bool found = false;
    long steps = 0;

    if (s.n + s.n_other > LINES_MAX) {
        replace_all(m);
        return;
    }
    s.reach = xcalloc(2 * STEPS_MAX + 3, sizeof *s.reach);
    for (; steps <= STEPS_MAX && !found; steps++) {
        keep_trail(&s, steps);
        found = advance(&s, steps);
    }
    if (found)
        mark(&s, steps - 1);
    else
        replace_all(m);
    for (long i = 0; i < steps; i++)
        free(s.trail[i]);
    free(s.reach);
}

/* ---- output ---- */

struct hunk {
    size_t a, b;         /* its first lines */
    size_t a_end, b_end; /* the exclusive ends */
};

static bool diff_add_line(struct buf *out, char mark, struct str line)
{
    bool whole = line.p[line.n - 1] == '\n';
    static const char no_end[] = "\n\\ No newline at end of file\n";

    if (out->limit - out->n < line.n + sizeof no_end + 1)
        return false;
    (void)buf_addc(out, mark);
    (void)buf_add_str(out, line);
    return buf_adds(out, whole ? "" : no_end) == 0;
}

/* Prints a range, counted from 1: its first line, or the line before it if it is empty. */
static void add_range(struct buf *out, size_t from, size_t end)
{
    (void)buf_addf(out, "%zu", end > from ? from + 1 : from);
    if (end - from != 1)
        (void)buf_addf(out, ",%zu", end - from);
}

static bool add_hunk(struct buf *out, const struct side *a, const struct side *b, struct hunk h)
{
    bool room = true;

    (void)buf_adds(out, "@@ -");
    add_range(out, h.a, h.a_end);
    (void)buf_adds(out, " +");
    add_range(out, h.b, h.b_end);
    (void)buf_adds(out, " @@\n");
    while (room && (h.a < h.a_end || h.b < h.b_end)) {
        if (h.a < h.a_end && a->changed[h.a])
            room = diff_add_line(out, '-', a->lines[h.a++]);
        else if (h.b < h.b_end && b->changed[h.b])
            room = diff_add_line(out, '+', b->lines[h.b++]);
        else {
            room = diff_add_line(out, ' ', a->lines[h.a++]);
            h.b++;
        }
    }
    return room;
}

/* Finds the next hunk that begins at or after these lines; all lines before them are handled. False
 * if there is none. */
static bool next_hunk(const struct side *a, const struct side *b, struct hunk *h)
{
    size_t i = h->a_end, j = h->b_end, quiet = 0;

    while (i < a->n && !a->changed[i] && !b->changed[j]) {
        i++;
        j++;
    }
    if (i >= a->n && j >= b->n)
        return false;
    size_t back = i - h->a_end < CONTEXT ? i - h->a_end : CONTEXT;
    h->a = i - back;
    h->b = j - back;
    while ((i < a->n || j < b->n) && quiet <= 2 * CONTEXT) {
        bool dropped = i < a->n && a->changed[i], added = j < b->n && b->changed[j];
        quiet = dropped || added ? 0 : quiet + 1;
        i += dropped || !added;
        j += !dropped;
    }
    size_t surplus = quiet > CONTEXT ? quiet - CONTEXT : 0;
    h->a_end = i - surplus;
    h->b_end = j - surplus;
    return true;
}

static void add_all(const struct side *a, const struct side *b, struct buf *out)
{
    struct hunk h = {0};

    while (next_hunk(a, b, &h))
        if (!add_hunk(out, a, b, h))
            return;
}

void diff_add(const struct diff_side *before, const struct diff_side *after, struct buf *out)
{
    struct side a, b;

    if (str_eq(before->text, after->text))
        return;
    diff_split(before->text, &a);
    diff_split(after->text, &b);
    struct middle middle = find_middle(&a, &b);
    diff_compare(&middle);
    (void)buf_addf(out, "--- %s\n+++ %s\n", before->name, after->name);
    add_all(&a, &b, out);
    side_done(&a);
    side_done(&b);
}
