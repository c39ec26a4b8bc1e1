/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes grammar_tables.h out of src/reading/python/grammar.peg: tools/make-grammar GRAMMAR. An item
 * of an alternative is a token or a rule. Each rule and each alternative gets the set of tokens it
 * can start with, so that most of them need not be tried.
 */
#include "grammar-reader.h"

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
    puts("/* Made by tools/make-grammar.c out of src/reading/python/grammar.peg. */");
    write_items(&g);
    write_ways(&g);
    write_rules(&g);
    write_names(&g);
    return 0;
}
