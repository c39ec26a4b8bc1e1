/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes grammar_tables.h out of src/python/grammar.peg, whose head describes the notation. Groups,
 * repetitions and lists become rules of their own, so that an item of an alternative is a token or
 * a rule. Each rule and each alternative gets the set of tokens it can start with, so that most of
 * them need not be tried.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
#define TOKEN(kind, text) T_##kind,
#include "python/tokens.def"
#undef TOKEN
    T_COUNT,
};

static const struct {
    const char *kind, *text;
} tokens[] = {
#define TOKEN(kind, text) {#kind, text},
#include "python/tokens.def"
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

/* ---- reading ---- */

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

/* ---- what follows from it ---- */

static void find_rules(struct grammar *g)
{
    for (int i = 0; i < g->count; i++)
        for (int j = 0; j < g->rules[i]->count; j++)
            for (int k = 0; k < g->rules[i]->ways[j]->count; k++) {
                struct item *it = g->rules[i]->ways[j]->items[k];
                for (int n = 0; it->what < 0 && n < g->count; n++)
                    if (strcmp(g->rules[n]->name, it->name) == 0)
                        it->what = n;
                if (it->what < 0)
                    die(g, "there is no rule %s", it->name);
            }
}

/* As CPython's generator has it: only an alternative that is nothing else. Others read their wrong
 * forms in the first reading too. */
static bool is_wrong(const struct grammar *g, const struct way *w)
{
    return w->count == 1 && w->items[0]->kind == ITEM_RULE &&
           strncmp(g->rules[w->items[0]->what]->name, "wrong_", 6) == 0;
}

static struct tokens_set item_first(const struct grammar *g, const struct item *it)
{
    struct tokens_set set = {{0, 0}};
    int token = it->kind == ITEM_TOKEN ? it->what : T_NAME;

    if (it->mode == MODE_MUST)
        return (struct tokens_set){{~UINT64_C(0), ~UINT64_C(0)}};
    if (it->kind == ITEM_RULE)
        return g->rules[it->what]->first;
    set.at[token / 64] |= UINT64_C(1) << (token % 64);
    return set;
}

/* The tokens that an alternative can start with; all of them when it can match nothing. A way that
 * looks ahead first can start only with what it looks for. */
static struct tokens_set way_first(const struct grammar *g, const struct way *w, bool *ret_nullable)
{
    struct tokens_set set = {{0, 0}}, mask = {{~UINT64_C(0), ~UINT64_C(0)}};
    bool nullable = true;

    for (int i = 0; i < w->count && nullable; i++) {
        const struct item *it = w->items[i];
        if (it->kind == ITEM_CUT || it->mode == MODE_NOT_AHEAD)
            continue;
        struct tokens_set one = item_first(g, it);
        for (int j = 0; j < 2; j++) {
            if (it->mode == MODE_AHEAD)
                mask.at[j] &= one.at[j];
            else
                set.at[j] |= one.at[j];
        }
        if (it->mode == MODE_AHEAD || it->mode == MODE_MAYBE ||
            (it->kind == ITEM_RULE && g->rules[it->what]->nullable))
            continue;
        nullable = false;
    }
    for (int j = 0; j < 2; j++)
        set.at[j] = nullable ? ~UINT64_C(0) : set.at[j] & mask.at[j];
    *ret_nullable = nullable;
    return set;
}

static bool update(const struct grammar *g, struct rule *r)
{
    struct tokens_set before = r->first;
    bool was = r->nullable;

    r->nullable = r->loop && !r->least_one;
    for (int i = 0; i < r->count; i++) {
        bool nullable;
        r->ways[i]->first = way_first(g, r->ways[i], &nullable);
        r->nullable |= nullable;
        for (int j = 0; j < 2; j++)
            r->first.at[j] |= r->ways[i]->first.at[j];
    }
    return was != r->nullable || memcmp(&before, &r->first, sizeof before) != 0;
}

static void find_first(struct grammar *g)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (int i = 0; i < g->count; i++)
            changed |= update(g, g->rules[i]);
    }
}

static bool begins_with(const struct grammar *g, const struct way *w, const struct rule *r)
{
    return w->items[0]->kind == ITEM_RULE && g->rules[w->items[0]->what] == r;
}

/* What can stand behind a left-recursive rule where it is its own beginning. */
static void find_after(const struct grammar *g, struct rule *r)
{
    while (r->seed < r->count && begins_with(g, r->ways[r->seed], r)) {
        const struct item *second = r->ways[r->seed++]->items[1];
        struct tokens_set one = item_first(g, second);
        for (int j = 0; j < 2; j++)
            r->after.at[j] |= one.at[j];
    }
    for (int i = r->seed; i < r->count; i++)
        if (begins_with(g, r->ways[i], r))
            die(g, "%s: what begins with it must come first", r->name);
}

/* ---- writing ---- */

static void write_items(const struct grammar *g)
{
    puts("static const struct peg_item peg_items[] = {");
    for (int i = 0; i < g->count; i++)
        for (int j = 0; j < g->rules[i]->count; j++) {
            const struct way *w = g->rules[i]->ways[j];
            for (int k = 0; k < w->count; k++) {
                const struct item *it = w->items[k];
                const char *p = it->letter ? strchr(w->letters, it->letter) : NULL;
                printf("    {ITEM_%s, MODE_%s, %d, %d},\n", kind_names[it->kind],
                       mode_names[it->mode], p ? (int)(p - w->letters) : -1, it->what);
            }
        }
    puts("};\n");
}

static void write_set(const struct tokens_set *set)
{
    printf("{UINT64_C(0x%llx), UINT64_C(0x%llx)}", (unsigned long long)set->at[0],
           (unsigned long long)set->at[1]);
}

static void write_way(const struct grammar *g, const struct way *w, int first_item)
{
    printf("    {%d, %d, %d, %d, %d, %s, {%d, %d}, ", first_item, w->count, w->since, w->until,
           is_wrong(g, w), w->result, w->args[0], w->args[1]);
    printf("%s, ", strcmp(w->result, "RESULT_NODE") == 0 ? w->what : "0");
    if (strcmp(w->result, "RESULT_CALL") == 0)
        printf("explain_%s, ", w->what);
    else
        printf("NULL, ");
    if (w->text[0])
        printf("\"%s\", ", w->text);
    else
        printf("NULL, ");
    write_set(&w->first);
    puts("},");
}

static void write_ways(const struct grammar *g)
{
    int item = 0;

    puts("static const struct peg_way peg_ways[] = {");
    for (int i = 0; i < g->count; i++)
        for (int j = 0; j < g->rules[i]->count; j++) {
            write_way(g, g->rules[i]->ways[j], item);
            item += g->rules[i]->ways[j]->count;
        }
    puts("};\n");
}

static void write_rules(const struct grammar *g)
{
    int way = 0;

    puts("static const struct peg_rule peg_rules[] = {");
    for (int i = 0; i < g->count; i++) {
        const struct rule *r = g->rules[i];
        printf("    {%d, %d, 0%s%s%s%s%s%s%s, %d, ", way, r->count, r->memo ? " | RULE_MEMO" : "",
               r->left ? " | RULE_LEFT" : "", r->plain ? " | RULE_PLAIN" : "",
               r->operand ? " | RULE_OPERAND" : "", r->loop ? " | RULE_LOOP" : "",
               r->least_one ? " | RULE_LEAST_ONE" : "", r->keep ? " | RULE_KEEP" : "", r->seed);
        write_set(&r->first);
        printf(", ");
        write_set(&r->after);
        printf(", %d},\n", r->nullable);
        way += r->count;
    }
    puts("};\n");
}

static void write_names(const struct grammar *g)
{
    puts("static const char *const peg_words[] = {");
    for (int i = 0; i < g->word_count; i++)
        printf("    \"%s\",\n", g->words[i]);
    puts("};\n\nenum {");
    for (int i = 0; i < g->count; i++)
        if (g->rules[i]->name[0])
            printf("    PEG_%s = %d,\n", g->rules[i]->name, i);
    puts("};");
}

static char *read_file(struct grammar *g, const char *path)
{
    static char text[1 << 18];
    FILE *f = fopen(path, "r");

    if (!f)
        die(g, "cannot open %s", path);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    static struct grammar g = {.line = 1};

    if (argc != 2)
        die(&g, "usage: make-grammar FILE");
    g.at = read_file(&g, argv[1]);
    read_grammar(&g);
    find_rules(&g);
    find_first(&g);
    for (int i = 0; i < g.count; i++)
        find_after(&g, g.rules[i]);
    puts("/* Made by tools/make-grammar.c out of src/python/grammar.peg. */");
    write_items(&g);
    write_ways(&g);
    write_rules(&g);
    write_names(&g);
    return 0;
}
