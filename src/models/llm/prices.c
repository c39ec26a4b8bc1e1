/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/prices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct price {
    struct str name;
    double input, output, cached;
};

static bool next_word(struct str *rest, struct str *ret)
{
    size_t n = 0;

    *rest = str_trim(*rest);
    while (n < rest->n && rest->p[n] != ' ' && rest->p[n] != '\t')
        n++;
    *ret = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return n > 0;
}

static bool read_dollars(struct str word, double *ret)
{
    char text[32], *end = text;

    if (word.n == 0 || word.n >= sizeof text || strspn(word.p, "0123456789.") < word.n)
        return false;
    memcpy(text, word.p, word.n);
    text[word.n] = '\0';
    *ret = strtod(text, &end);
    return *end == '\0';
}

/* Returns 1 for a price, 0 for an empty line, -1 for anything else. */
static int prices_read_line(struct str line, struct price *ret)
{
    struct str words[5];
    size_t n = 0;
    long comment = str_find(line, STR("#"));

    if (comment >= 0)
        line = str_slice(line, 0, (size_t)comment);
    while (n < 5 && next_word(&line, &words[n]))
        n++;
    if (n == 0)
        return 0;
    ret->name = words[0];
    if (n < 3 || n > 4 || !read_dollars(words[1], &ret->input) ||
        !read_dollars(words[2], &ret->output))
        return -1;
    ret->cached = ret->input;
    return n == 3 || read_dollars(words[3], &ret->cached) ? 1 : -1;
}

int llm_prices_check(struct str prices, const char *name, struct err *err)
{
    struct price price;
    struct str line;

    for (int number = 1; str_next_line(&prices, &line); number++)
        if (prices_read_line(line, &price) < 0)
            return err_set(err, ERR_USAGE,
                           "%s:%d: expected NAME INPUT OUTPUT [CACHED], in dollars for a million "
                           "tokens",
                           name, number);
    return 0;
}

/* Returns how exactly the row's name matches: its length, plus one if it has no star. */
static size_t match(struct str name, const char *wanted)
{
    bool star = str_ends(name, "*");
    struct str begin = str_slice(name, 0, name.n - star);
    size_t n = strlen(wanted);

    if (begin.n > n || memcmp(begin.p, wanted, begin.n) != 0 || (!star && begin.n != n))
        return 0;
    return begin.n + 1 + !star;
}

static bool prices_find(struct str prices, const char *name, struct price *ret)
{
    struct price price;
    struct str line;
    size_t best = 0;

    while (str_next_line(&prices, &line)) {
        size_t m = prices_read_line(line, &price) == 1 ? match(price.name, name) : 0;
        if (m > best) {
            best = m;
            *ret = price;
        }
    }
    return best > 0;
}

void llm_prices_apply(struct str prices, const char *provider, const char *model,
                      struct llm_usage *usage)
{
    struct price price;
    char name[256];

    snprintf(name, sizeof name, "%s/%s", provider, model);
    if (!usage->tokens_known ||
        (!prices_find(prices, name, &price) && !prices_find(prices, model, &price)))
        return;
    double cached = (double)usage->cached_tokens;
    double fresh = (double)usage->prompt_tokens - cached;
    usage->cost_known = true;
    usage->cost = (fresh * price.input + cached * price.cached +
                   (double)usage->completion_tokens * price.output) /
                  1e6;
}
