/* SPDX-License-Identifier: Apache-2.0 */
#include "base/suggestion.h"

#include <string.h>

enum { LONGEST = 48 };

static char fold(char c)
{
    if (c == '_')
        return '-';
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* The word without the unit at its end: "timeout" of "timeout_sec" and "timeoutSec". */
static struct str without_unit(struct str word)
{
    static const char *const units[] = {
        "s",      "sec",     "secs",         "second", "seconds", "ms",  "msec",
        "millis", "minutes", "milliseconds", "b",      "bytes",   "kb",  "kib",
        "mb",     "mib",     "gb",           "gib",    "m",       "min", "mins",
    };

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i]), at = word.n - n;
        if (word.n < n + 3 || !str_ends_nocase(word, units[i]))
            continue;
        if (fold(word.p[at - 1]) == '-')
            return (struct str){word.p, at - 1};
        if (word.p[at] != fold(word.p[at]) && word.p[at - 1] == fold(word.p[at - 1]))
            return (struct str){word.p, at};
    }
    return word;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance, by rows: row[0] is the current row, row[1] and row[2] are the
 * two before it. */
static unsigned distance(struct str a, struct str b)
{
    unsigned rows[3][LONGEST + 1];
    unsigned *row[3] = {rows[0], rows[1], rows[2]};

    for (unsigned j = 0; j <= b.n; j++)
        row[0][j] = j;
    for (unsigned i = 1; i <= a.n; i++) {
        unsigned *oldest = row[2];
        row[2] = row[1];
        row[1] = row[0];
        row[0] = oldest;
        row[0][0] = i;
        for (unsigned j = 1; j <= b.n; j++) {
            char x = fold(a.p[i - 1]), y = fold(b.p[j - 1]);
            unsigned d = least(row[1][j], row[0][j - 1]) + 1;
            d = least(d, row[1][j - 1] + (x != y));
            if (i > 1 && j > 1 && x == fold(b.p[j - 2]) && y == fold(a.p[i - 2]))
                d = least(d, row[2][j - 2] + 1);
            row[0][j] = d;
        }
    }
    return row[0][b.n];
}

static bool begins(struct str word, struct str name)
{
    if (word.n < 2 || word.n > name.n)
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (fold(word.p[i]) != fold(name.p[i]))
            return false;
    return true;
}

void suggestion_try(struct suggestion *n, const char *candidate)
{
    struct str name = str_from(candidate);

    if (!n->word.n || n->word.n > LONGEST || name.n > LONGEST)
        return;
    unsigned cost = distance(n->word, name);
    /* Two wrong letters out of five make a different word: "list" is not "test". */
    unsigned enough = n->word.n < 6 ? 1 : n->word.n < 9 ? 2 : 3;
    if (cost > 1 && begins(n->word, name))
        cost = 1;
    struct str word = without_unit(n->word);
    if (cost > 1 && word.n < n->word.n)
        cost = least(cost, 1 + distance(word, without_unit(name)));
    /* A candidate that differs in as many letters as the word has is a different word. */
    if (cost > enough || cost >= n->word.n || (n->best && cost >= n->cost))
        return;
    n->best = candidate;
    n->cost = cost;
}
