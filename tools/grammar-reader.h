/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads grammar.peg, whose head describes the notation, into struct grammar. Groups, repetitions
 * and lists become rules of their own. For make-grammar.c alone.
 */
#ifndef TOOLS_GRAMMAR_READER_H
#define TOOLS_GRAMMAR_READER_H

#include <ctype.h>
#include <string.h>

#include "grammar-data.h"

/* Over blanks, comments and the ends of lines that the next one continues. */
static void skip(struct grammar *g)
{
    for (;; g->at++) {
        if (*g->at == '#')
            g->at += strcspn(g->at, "\n");
        if (*g->at == '\n') {
            if (g->at[1] != ' ')
                return;
            g->line++;
        } else if (*g->at != ' ') {
            return;
        }
    }
}

static bool looking_at(struct grammar *g, const char *text)
{
    skip(g);
    return strncmp(g->at, text, strlen(text)) == 0;
}

static bool take(struct grammar *g, const char *text)
{
    if (!looking_at(g, text))
        return false;
    g->at += strlen(text);
    return true;
}

static void copy(struct grammar *g, char *to, size_t room, const char *from, size_t n)
{
    if (n >= room)
        die(g, "too long: %.*s", (int)n, from);
    memcpy(to, from, n);
    to[n] = '\0';
}

/* A name made of letters, digits and _. */
static void take_name(struct grammar *g, char *to)
{
    skip(g);
    size_t n = 0;

    while (isalnum((unsigned char)g->at[n]) || g->at[n] == '_')
        n++;
    if (!n)
        die(g, "a name should stand at: %.20s", g->at);
    copy(g, to, WORD_SIZE, g->at, n);
    g->at += n;
}

static void take_quoted(struct grammar *g, char *to)
{
    char quote = *g->at;
    const char *end = strchr(g->at + 1, quote);

    if (!end)
        die(g, "no closing quote");
    copy(g, to, WORD_SIZE, g->at + 1, (size_t)(end - g->at - 1));
    g->at = end + 1;
}

static struct rule *new_rule(struct grammar *g)
{
    if (g->count == MAX_RULES)
        die(g, "too many rules");
    return g->rules[g->count++] = make(g, sizeof(struct rule));
}

static struct way *new_way(struct grammar *g, struct rule *r)
{
    struct way *w = make(g, sizeof *w);

    *w = (struct way){.until = 99, .args = {-1, -1}};
    if (r->count == 32)
        die(g, "too many alternatives");
    return r->ways[r->count++] = w;
}

static struct item *new_item(struct grammar *g, struct way *w)
{
    if (w->count == 64)
        die(g, "too many items");
    return w->items[w->count++] = make(g, sizeof(struct item));
}

static int token_by_text(struct grammar *g, const char *text)
{
    for (int i = 0; i < T_COUNT; i++)
        if (i > T_TSTRING_END && strcmp(tokens[i].text, text) == 0)
            return i;
    die(g, "there is no token %s", text);
}

static int word(struct grammar *g, const char *text)
{
    for (int i = 0; i < g->word_count; i++)
        if (strcmp(g->words[i], text) == 0)
            return i;
    if (g->word_count == MAX_WORDS)
        die(g, "too many soft keywords");
    copy(g, g->words[g->word_count], WORD_SIZE, text, strlen(text));
    return g->word_count++;
}

static int rule_index(const struct grammar *g, const struct rule *r)
{
    for (int i = 0; i < g->count; i++)
        if (g->rules[i] == r)
            return i;
    return -1;
}

static void read_choice(struct grammar *g, struct rule *r);

static void read_named(struct grammar *g, struct item *ret)
{
    take_name(g, ret->name);
    ret->kind = ITEM_RULE;
    if (strcmp(ret->name, "SOFT_KEYWORD") == 0)
        ret->kind = ITEM_SOFT;
    for (int i = 0; i < T_COUNT; i++)
        if (strcmp(tokens[i].kind, ret->name) == 0) {
            ret->kind = ITEM_TOKEN;
            ret->what = i;
        }
    ret->what = ret->kind == ITEM_RULE ? -1 : ret->what;
}

static void read_primary(struct grammar *g, struct item *ret)
{
    char text[WORD_SIZE];

    skip(g);
    if (*g->at == '\'') {
        take_quoted(g, text);
        *ret = (struct item){.kind = ITEM_TOKEN, .what = token_by_text(g, text)};
    } else if (*g->at == '"') {
        take_quoted(g, text);
        *ret = (struct item){.kind = ITEM_WORD, .what = word(g, text)};
    } else if (take(g, "(")) {
        struct rule *r = new_rule(g);
        *ret = (struct item){.kind = ITEM_RULE, .what = rule_index(g, r)};
        read_choice(g, r);
        if (!take(g, ")"))
            die(g, "no closing parenthesis");
    } else {
        *ret = (struct item){0};
        read_named(g, ret);
    }
}

/* What an item means becomes a rule that repeats it. */
static struct rule *repeat(struct grammar *g, struct item *it, bool least_one)
{
    struct rule *r = new_rule(g);
    struct way *w = new_way(g, r);
    struct item *inner = new_item(g, w);

    *inner = *it;
    inner->letter = 'a';
    w->letters[0] = 'a';
    copy(g, w->result, WORD_SIZE, "RESULT_VALUE", 12);
    w->args[0] = 0;
    r->loop = true;
    r->least_one = least_one;
    *it = (struct item){.kind = ITEM_RULE, .what = rule_index(g, r)};
    return r;
}

/* x % y: x, then any number of (y x). */
static struct rule *listed(struct grammar *g, struct item *it)
{
    struct item between, rest = *it;
    struct rule *r = new_rule(g);
    struct way *w = new_way(g, r);

    read_primary(g, &between);
    struct rule *more = repeat(g, &rest, false);
    struct way *inner = more->ways[0];
    *new_item(g, inner) = *inner->items[0];
    *inner->items[0] = between;
    *new_item(g, w) = *it;
    *new_item(g, w) = rest;
    w->items[0]->letter = w->letters[0] = 'a';
    w->items[1]->letter = w->letters[1] = 'b';
    *it = (struct item){.kind = ITEM_RULE, .what = rule_index(g, r)};
    return r;
}

/* Lists that nobody asks for are not kept. */
static void keep(struct grammar *g, struct rule *r)
{
    struct way *w = r->ways[0];

    r->keep = true;
    if (r->loop)
        return;
    copy(g, w->result, WORD_SIZE, "RESULT_NODE", 11);
    copy(g, w->what, WORD_SIZE, "FORM_ITEMS", 10);
    w->args[0] = 0;
    w->args[1] = 1;
    g->rules[w->items[1]->what]->keep = true;
}

static void read_repetition(struct grammar *g, struct item *it)
{
    struct rule *r = NULL;

    if (*g->at == '?') {
        g->at++;
        it->mode = MODE_MAYBE;
    } else if (*g->at == '*' || *g->at == '+') {
        r = repeat(g, it, *g->at++ == '+');
    } else if (take(g, "% ")) {
        r = listed(g, it);
    }
    if (r && it->letter == 0 && !r->loop)
        copy(g, r->ways[0]->result, WORD_SIZE, "RESULT_SOME", 11);
}

static enum item_mode read_mode(struct grammar *g)
{
    if (take(g, "&"))
        return MODE_AHEAD;
    if (take(g, "!"))
        return MODE_NOT_AHEAD;
    return take(g, "must ") ? MODE_MUST : MODE_ONE;
}

static void name_item(struct grammar *g, struct way *w, struct item *it, char letter)
{
    size_t n = strlen(w->letters);

    if (n == MAX_LETTERS)
        die(g, "too many letters");
    it->letter = w->letters[n] = letter;
}

static void read_item(struct grammar *g, struct way *w)
{
    char letter = 0;

    skip(g);
    if (islower((unsigned char)*g->at) && g->at[1] == ':') {
        letter = *g->at;
        g->at += 2;
    }
    struct item *it = new_item(g, w);
    if (take(g, "~")) {
        it->kind = ITEM_CUT;
        return;
    }
    enum item_mode mode = read_mode(g);
    read_primary(g, it);
    int before = g->count;
    read_repetition(g, it);
    if (mode != MODE_ONE)
        it->mode = mode;
    if (letter && g->count > before)
        keep(g, g->rules[it->what]);
    if (letter)
        name_item(g, w, it, letter);
}

static int slot(struct grammar *g, const struct way *w, char letter)
{
    const char *p = letter ? strchr(w->letters, letter) : NULL;

    if (!p)
        die(g, "there is no letter %c", letter);
    return (int)(p - w->letters);
}

static void set_result(struct grammar *g, struct way *w, const char *result)
{
    copy(g, w->result, WORD_SIZE, result, strlen(result));
}

/* $kind(a) becomes $k0. */
static void read_text(struct grammar *g, struct way *w)
{
    size_t n = 0;

    if (!take(g, "\""))
        die(g, "a text should stand here");
    for (; *g->at != '"'; g->at++) {
        if (n + 4 >= TEXT_SIZE || *g->at == '\n')
            die(g, "the text is too long");
        w->text[n++] = *g->at;
        if (*g->at == '\\') {
            w->text[n++] = *++g->at;
        } else if (*g->at == '$') {
            w->text[n++] = g->at[1];
            g->at += strcspn(g->at, "(") + 1;
            w->text[n++] = (char)('0' + slot(g, w, *g->at));
            g->at++;
        }
    }
    g->at++;
}

static void read_place(struct grammar *g, struct way *w)
{
    bool after = take(g, "after ");

    skip(g);
    if (take(g, "next")) {
        set_result(g, w, "RESULT_ERROR_NEXT");
    } else if (*g->at == '"') {
        set_result(g, w, "RESULT_ERROR_LAST");
    } else {
        w->args[0] = w->args[1] = slot(g, w, *g->at++);
        set_result(g, w, after ? "RESULT_ERROR_AFTER" : "RESULT_ERROR_RANGE");
        if (take(g, "..")) {
            if (islower((unsigned char)*g->at))
                w->args[1] = slot(g, w, *g->at++);
            else
                set_result(g, w, "RESULT_ERROR_FROM");
        }
    }
    read_text(g, w);
}

static void read_args(struct grammar *g, struct way *w)
{
    for (int i = 0; i < 2; i++) {
        skip(g);
        if (!islower((unsigned char)*g->at) || isalnum((unsigned char)g->at[1]))
            return;
        w->args[i] = slot(g, w, *g->at++);
    }
}

static void read_result(struct grammar *g, struct way *w)
{
    if (take(g, "error ")) {
        read_place(g, w);
    } else if (take(g, "indent ")) {
        set_result(g, w, "RESULT_INDENT");
        read_place(g, w);
        set_result(g, w, "RESULT_INDENT");
    } else if (take(g, "@")) {
        set_result(g, w, "RESULT_CALL");
        take_name(g, w->what);
        read_args(g, w);
    } else {
        skip(g);
        if (islower((unsigned char)*g->at)) {
            set_result(g, w, "RESULT_VALUE");
            w->args[0] = slot(g, w, *g->at++);
            return;
        }
        char kind[WORD_SIZE];
        take_name(g, kind);
        bool list = strcmp(kind, "ITEMS") == 0;
        snprintf(w->what, WORD_SIZE, "%s_%.40s", list ? "FORM" : "N", kind);
        set_result(g, w, "RESULT_NODE");
        read_args(g, w);
    }
}

/* Without `=>`: the value of the only item that has one. */
static void default_result(struct grammar *g, struct way *w)
{
    struct item *only = NULL;
    int n = 0;

    for (int i = 0; i < w->count; i++)
        if (w->items[i]->kind != ITEM_CUT && w->items[i]->mode != MODE_AHEAD &&
            w->items[i]->mode != MODE_NOT_AHEAD) {
            only = w->items[i];
            n++;
        }
    set_result(g, w, "RESULT_SOME");
    if (n != 1 || only->mode == MODE_MAYBE)
        return;
    if (!only->letter)
        name_item(g, w, only, 'a');
    set_result(g, w, "RESULT_VALUE");
    w->args[0] = slot(g, w, only->letter);
}

static int take_number(struct grammar *g)
{
    int n = 0;

    while (isdigit((unsigned char)*g->at))
        n = n * 10 + *g->at++ - '0';
    return n;
}

/* @12+ @-13 @12-13 */
static void read_versions(struct grammar *g, struct way *w)
{
    w->since = take_number(g);
    if (*g->at == '-') {
        g->at++;
        w->until = take_number(g);
    } else if (*g->at++ != '+') {
        die(g, "versions are @12+ @-13 or @12-13");
    }
}

static bool at_end(struct grammar *g)
{
    skip(g);
    return !*g->at || *g->at == '\n' || *g->at == ')' || *g->at == '/' || looking_at(g, "=>");
}

static void read_way(struct grammar *g, struct rule *r)
{
    struct way *w = new_way(g, r);

    if (take(g, "@"))
        read_versions(g, w);
    while (!at_end(g))
        read_item(g, w);
    if (take(g, "=>"))
        read_result(g, w);
    else
        default_result(g, w);
}

static void read_choice(struct grammar *g, struct rule *r)
{
    take(g, "/");
    do {
        read_way(g, r);
    } while (take(g, "/"));
}

static void read_rule(struct grammar *g)
{
    struct rule *r = new_rule(g);

    take_name(g, r->name);
    while (!take(g, "<-")) {
        if (take(g, "memo"))
            r->memo = true;
        else if (take(g, "left"))
            r->left = true;
        else if (take(g, "plain"))
            r->plain = true;
        else if (take(g, "operand"))
            r->operand = true;
        else
            die(g, "what is %.20s", g->at);
    }
    read_choice(g, r);
}

static void read_grammar(struct grammar *g)
{
    for (;;) {
        skip(g);
        if (*g->at == '\n') {
            g->at++;
            g->line++;
        } else if (*g->at) {
            read_rule(g);
        } else {
            return;
        }
    }
}

#endif
