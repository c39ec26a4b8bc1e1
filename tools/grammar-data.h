/* SPDX-License-Identifier: Apache-2.0
 *
 * A grammar as data: rules, their alternatives ("ways"), and the items of those. For
 * make-grammar.c and grammar-reader.h alone; what is wrong ends the program.
 */
#ifndef TOOLS_GRAMMAR_DATA_H
#define TOOLS_GRAMMAR_DATA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
#define TOKEN(kind, text) T_##kind,
#include "syntax/tokens.def"
#undef TOKEN
    T_COUNT,
};

static const struct {
    const char *kind, *text;
} tokens[] = {
#define TOKEN(kind, text) {#kind, text},
#include "syntax/tokens.def"
#undef TOKEN
};

enum { MAX_RULES = 600, MAX_WAYS = 1600, MAX_ITEMS = 6000, MAX_WORDS = 16, MAX_LETTERS = 4 };
enum { WORD_SIZE = 64, TEXT_SIZE = 160 };

enum item_kind { ITEM_TOKEN, ITEM_WORD, ITEM_SOFT, ITEM_RULE, ITEM_CUT };
enum item_mode { MODE_ONE, MODE_MAYBE, MODE_AHEAD, MODE_NOT_AHEAD, MODE_MUST };

static const char *const kind_names[] = {"TOKEN", "WORD", "SOFT", "RULE", "CUT"};
static const char *const mode_names[] = {"ONE", "MAYBE", "AHEAD", "NOT_AHEAD", "MUST"};

struct item {
    enum item_kind kind;
    enum item_mode mode;
    int what;
    char letter;          /* 0: none */
    char name[WORD_SIZE]; /* of a rule, until it is known which */
};

struct tokens_set {
    uint64_t at[2];
};

struct way {
    struct item *items[64];
    int count;
    int since, until;
    char result[WORD_SIZE]; /* as C: RESULT_... */
    char what[WORD_SIZE];   /* node kind or function */
    int args[2];            /* slots; -1: none */
    char text[TEXT_SIZE];
    char letters[MAX_LETTERS + 1];
    struct tokens_set first;
};

struct rule {
    char name[WORD_SIZE]; /* empty: made of a part of another */
    bool memo, left, plain, operand, loop, least_one, keep;
    struct way *ways[32];
    int count;
    struct tokens_set first, after;
    int seed; /* of a left-recursive rule: the first alternative that does not begin with it */
    bool nullable;
};

struct grammar {
    const char *at;
    int line;
    struct rule *rules[MAX_RULES];
    int count;
    char words[MAX_WORDS][WORD_SIZE];
    int word_count;
};

__attribute__((noreturn, format(printf, 2, 3))) static void die(const struct grammar *g,
                                                                const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fprintf(stderr, "make-grammar: line %d: ", g->line);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

static void *make(const struct grammar *g, size_t size)
{
    void *p = calloc(1, size);

    if (!p)
        die(g, "out of memory");
    return p;
}

#endif
