/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar's interpreter: tries the alternatives of rules in their order, token by token. It
 * remembers the results of the rules that are marked `memo`, so that it takes linear time.
 *
 * A frame is a rule being tried. Frames lie in one array. Each step handles the current item of the
 * newest frame: a token is compared at once, a rule becomes a frame. When that frame has ended, its
 * value is the answer, which the next step delivers to the frame below.
 *
 * A left-recursive rule begins with a remembered failure at its position. Then it is tried
 * repeatedly, each time with the last result remembered, until the result no longer becomes longer.
 *
 * The same results are remembered as in CPython, because that affects the messages: a result that
 * was remembered while wrong forms were off (`plain`) is used later, too.
 */
#include <string.h>

#include "base/mem.h"
#include "python/explain_grammar.h"

#include "grammar_tables.h"

enum { SLOTS = 4, MAX_LEVEL = 6000 };

struct frame {
    const struct peg_rule *rule;
    const struct peg_item *item, *end;
    uint32_t start;     /* where its alternative begins */
    uint32_t item_mark; /* where its current item begins */
    uint32_t values[SLOTS];
    uint32_t items;             /* the values of a loop, as a form */
    uint32_t grown, grown_mark; /* of a left-recursive rule: the longest result so far */
    uint32_t memo;              /* the memo that holds this frame */
    uint8_t way;
    bool cut, wrong, any;
};

/* ---- memory ---- */

static uint32_t memo_find(const struct reader *r, uint32_t at, unsigned rule)
{
    uint32_t i = r->memos[at];

    while (i && r->memo[i].rule != rule)
        i = r->memo[i].next;
    return i;
}

static uint32_t memo_new(struct reader *r, uint32_t at, unsigned rule, uint32_t end, uint32_t value)
{
    if (r->memo_count == r->memo_room)
        r->memo = reader_more(r, r->memo, &r->memo_room, sizeof *r->memo);
    if (at >= r->memo_end)
        r->memo_end = at + 1;
    r->memo[r->memo_count] =
        (struct memo){.end = end, .value = value, .next = r->memos[at], .rule = (uint16_t)rule};
    return r->memos[at] = r->memo_count++;
}

/* Forgets the results before a complete statement of the module: they are never needed again. */
static void explain_read_forget(struct reader *r, uint32_t from)
{
    if (r->memo_end > from)
        memset(&r->memos[from], 0, (r->memo_end - from) * sizeof *r->memos);
    r->memo_end = from;
    r->memo_count = r->cell_count = 1;
    r->form_count = VALUE_SOME + 1;
}

/* ---- tokens ---- */

static void look_further(struct reader *r, const struct token *t)
{
    unsigned depth = r->mark ? r->depth[r->mark - 1] : 0;

    if (t->kind == T_LPAR || t->kind == T_LSQB || t->kind == T_LBRACE)
        depth++;
    else if (depth && (t->kind == T_RPAR || t->kind == T_RSQB || t->kind == T_RBRACE))
        depth--;
    r->depth[r->mark] = (uint8_t)depth;
    r->fill = r->mark + 1;
}

/* The kind of the next token; -1, with an error, if there is none. */
static int explain_read_look(struct reader *r)
{
    if (r->mark >= r->fill) {
        if (r->mark >= r->tokens->n ||
            (r->tokens->at[r->mark].kind == T_END && r->tokens->open_count)) {
            explain_lexical(r);
            return -1;
        }
        look_further(r, &r->tokens->at[r->mark]);
    }
    return r->tokens->at[r->mark].kind;
}

static bool starts_with(const uint64_t first[2], int kind)
{
    return first[kind / 64] >> (kind % 64) & 1;
}

static bool is_word(const struct reader *r, const char *word)
{
    const struct token *t = &r->tokens->at[r->mark];

    return t->kind == T_NAME && str_is((struct str){t->name->text, t->name->n}, word);
}

/* True for a soft keyword. CPython up to 3.13 also accepts the beginning of one; `type` is one
 * since 3.12. */
static bool is_soft(const struct reader *r)
{
    const struct token *t = &r->tokens->at[r->mark];

    if (t->kind != T_NAME)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(peg_words); i++) {
        const char *word = peg_words[i];
        if (r->tree->target < 12 && strcmp(word, "type") == 0)
            continue;
        if (strncmp(word, t->name->text, t->name->n) == 0 &&
            (r->tree->target < 14 || word[t->name->n] == '\0'))
            return true;
    }
    return false;
}

/* The value of an item that is not a rule. */
static uint32_t match_token(struct reader *r, const struct peg_item *item)
{
    int kind = explain_read_look(r);
    bool is = kind == item->what;

    if (kind < 0)
        return 0;
    if (item->kind == ITEM_WORD && item->what < ARRAY_LEN(peg_words))
        is = is_word(r, peg_words[item->what]);
    else if (item->kind == ITEM_SOFT)
        is = is_soft(r);
    if (!is || (kind == T_NUMBER && !explain_number(r, r->mark)))
        return 0;
    return r->mark++ | VALUE_TOKEN;
}

/* ---- the value of an alternative ---- */

static uint32_t make_form(struct reader *r, const struct frame *f, const struct peg_way *w)
{
    uint32_t last = r->mark - 1;

    while (last > f->start && r->tokens->at[last].kind <= T_DEDENT)
        last--;
    uint32_t form = form_new(r, w->kind, f->start, last);
    for (int i = 0; i < 2 && w->args[i] >= 0; i++) {
        uint32_t value = f->values[w->args[i]];
        const struct form *list = value_form(r, value);
        if (list && list->kind == FORM_ITEMS) {
            for (uint32_t c = list->head; c; c = r->cell[c].next)
                form_add(r, form, r->cell[c].value);
        } else if (value) {
            form_add(r, form, value);
        }
    }
    return form;
}

static uint32_t explain_read_call(struct reader *r, const struct frame *f, const struct peg_way *w)
{
    struct match m = {.start = f->start};

    if (w->args[0] >= 0)
        m.a = f->values[w->args[0]];
    if (w->args[1] >= 0)
        m.b = f->values[w->args[1]];
    return w->call(r, &m);
}

static uint32_t result(struct reader *r, const struct frame *f, const struct peg_way *w)
{
    switch ((enum peg_result)w->result) {
    case RESULT_SOME:
        return VALUE_SOME;
    case RESULT_VALUE:
        return f->values[w->args[0]];
    case RESULT_NODE:
        return make_form(r, f, w);
    case RESULT_CALL:
        return explain_read_call(r, f, w);
    case RESULT_ERROR_RANGE:
        return explain_range(r, f->values[w->args[0]], f->values[w->args[1]], w->text, f->values);
    case RESULT_ERROR_FROM:
        return explain_from(r, f->values[w->args[0]], w->text, f->values);
    case RESULT_ERROR_AFTER:
        return explain_after(r, f->values[w->args[0]], w->text, f->values);
    case RESULT_ERROR_LAST:
        return explain_last(r, PYTHON_SYNTAX_ERROR, w->text, f->values);
    case RESULT_ERROR_NEXT:
        return explain_next(r, w->text, f->values);
    case RESULT_INDENT:
        return explain_last(r, PYTHON_INDENTATION_ERROR, w->text, f->values);
    }
    return 0;
}

/* ---- frames ---- */

static unsigned levels(const struct peg_rule *rule)
{
    return rule->flags & RULE_LEFT ? 2 : 1;
}

static void explain_read_answer(struct reader *r, uint32_t value)
{
    r->answer = value;
    r->answered = true;
}

/* Ends the newest frame with this value. */
static void explain_read_leave(struct reader *r, uint32_t value)
{
    struct frame *f = &r->frames[--r->frame_count];
    const struct peg_rule *rule = f->rule;

    r->level -= levels(rule);
    if (rule->flags & RULE_MEMO)
        memo_new(r, f->start, (unsigned)(rule - peg_rules), r->mark, value);
    if (rule->flags & RULE_PLAIN)
        r->wrong = f->wrong;
    explain_read_answer(r, value);
}

static bool applies(const struct reader *r, const struct peg_way *w, int kind)
{
    return starts_with(w->first, kind) && (r->wrong || !w->wrong) && w->since <= r->tree->target &&
           r->tree->target <= w->until;
}

static void explain_read_grow(struct reader *r, struct frame *f, uint32_t value);
static void end_loop(struct reader *r, struct frame *f);

/* Continues, from `way` on, with the next alternative that can start with the next token. */
static void try_ways(struct reader *r, struct frame *f, unsigned way)
{
    int kind = explain_read_look(r);

    if (kind < 0)
        return;
    while (way < f->rule->count && !applies(r, &peg_ways[f->rule->way + way], kind))
        way++;
    if (way < f->rule->count) {
        const struct peg_way *w = &peg_ways[f->rule->way + way];
        f->way = (uint8_t)way;
        f->item = &peg_items[w->item];
        f->end = f->item + w->count;
        f->item_mark = f->start;
        memset(f->values, 0, sizeof f->values);
    } else if (f->rule->flags & RULE_LEFT) {
        explain_read_grow(r, f, 0);
    } else if (f->rule->flags & RULE_LOOP) {
        end_loop(r, f);
    } else {
        explain_read_leave(r, 0);
    }
}

static void fail_way(struct reader *r, struct frame *f)
{
    r->mark = f->start;
    if (f->cut)
        explain_read_leave(r, 0);
    else
        try_ways(r, f, f->way + 1U);
}

/* True if no left-recursive alternative of the rule continues with this token. */
static bool rule_ends(const struct peg_rule *rule, int kind)
{
    return rule->seed && !starts_with(rule->after, kind);
}

/* Called when an alternative of a left-recursive rule has ended, or all have failed. */
static void explain_read_grow(struct reader *r, struct frame *f, uint32_t value)
{
    if (!value || r->mark <= f->grown_mark) {
        r->mark = f->grown_mark;
        explain_read_leave(r, f->grown);
        return;
    }
    f->grown_mark = r->memo[f->memo].end = r->mark;
    f->grown = r->memo[f->memo].value = value;
    int kind = explain_read_look(r);
    if (kind >= 0 && rule_ends(f->rule, kind)) {
        explain_read_leave(r, value);
    } else if (kind >= 0) {
        r->mark = f->start;
        try_ways(r, f, 0);
    }
}

static void end_loop(struct reader *r, struct frame *f)
{
    uint32_t value = VALUE_SOME;

    if (f->rule->flags & RULE_LEAST_ONE && !f->any) {
        explain_read_leave(r, 0);
        return;
    }
    if (f->rule->flags & RULE_KEEP)
        value = f->items ? f->items : form_new(r, FORM_ITEMS, f->start, f->start);
    explain_read_leave(r, value);
}

static void loop(struct reader *r, struct frame *f, uint32_t value)
{
    if (f->rule->flags & RULE_KEEP) {
        if (!f->items)
            f->items = form_new(r, FORM_ITEMS, f->start, f->start);
        form_add(r, f->items, value);
    }
    f->any = true;
    /* only the frames of `file`, `statements` and its loop are left */
    if (r->frame_count == 3 && !r->field)
        explain_read_forget(r, f->start);
    f->start = r->mark;
    try_ways(r, f, 0);
}

static void finish_way(struct reader *r, struct frame *f)
{
    uint32_t value = result(r, f, &peg_ways[f->rule->way + f->way]);

    if (r->failed)
        return;
    if (f->rule->flags & RULE_LEFT)
        explain_read_grow(r, f, value);
    else if (f->rule->flags & RULE_LOOP)
        loop(r, f, value);
    else
        explain_read_leave(r, value);
}

static struct frame *explain_read_push(struct reader *r, const struct peg_rule *rule)
{
    r->level += levels(rule);
    if (r->level > MAX_LEVEL) {
        explain_at(r, PYTHON_RECURSION_ERROR, &(struct error_place){0},
                   "nested too deeply for Python's parser", NULL);
        return NULL;
    }
    if (r->frame_count == r->frame_room)
        r->frames = mem_grow(r->frames, &r->frame_room, sizeof *r->frames);
    struct frame *f = &r->frames[r->frame_count++];
    *f = (struct frame){.rule = rule, .start = r->mark, .wrong = r->wrong};
    return f;
}

static void explain_read_enter(struct reader *r, const struct peg_rule *rule)
{
    struct frame *f = explain_read_push(r, rule);

    if (!f)
        return;
    if (rule->flags & RULE_LEFT) {
        f->grown_mark = r->mark;
        f->memo = memo_new(r, r->mark, (unsigned)(rule - peg_rules), r->mark, 0);
    }
    if (rule->flags & RULE_PLAIN)
        r->wrong = false;
    try_ways(r, f, rule->seed);
}

/* True for a name or the like before a token that ends every expression. All the rules for
 * expressions then give the same result. CPython, too, looks at both tokens and no further. */
static bool is_operand(struct reader *r, int kind)
{
    static const bool operands[T_COUNT] = {
        [T_NAME] = true, [T_NUMBER] = true, [T_NONE] = true,
        [T_TRUE] = true, [T_FALSE] = true,  [T_ELLIPSIS] = true,
    };
    static const bool ends[T_COUNT] = {
        [T_RPAR] = true,  [T_RSQB] = true, [T_RBRACE] = true, [T_COMMA] = true,
        [T_COLON] = true, [T_SEMI] = true, [T_EQUAL] = true,  [T_NEWLINE] = true,
    };

    if (!operands[kind] || (kind == T_NUMBER && !explain_number(r, r->mark)))
        return false;
    r->mark++;
    int next = explain_read_look(r);
    r->mark--;
    return next >= 0 && ends[next];
}

/* The newest frame has reached a rule: answers at once if the result is known. */
static void try_rule(struct reader *r, const struct peg_rule *rule)
{
    int kind = explain_read_look(r);

    if (kind < 0)
        return;
    if (!starts_with(rule->first, kind) && !rule->nullable) {
        explain_read_answer(r, 0);
        return;
    }
    if (rule->flags & RULE_OPERAND && is_operand(r, kind)) {
        explain_read_answer(r, r->mark++ | VALUE_TOKEN);
        return;
    }
    uint32_t memo = 0;
    if (rule->flags & (RULE_MEMO | RULE_LEFT))
        memo = memo_find(r, r->mark, (unsigned)(rule - peg_rules));
    if (memo) {
        r->mark = r->memo[memo].end;
        explain_read_answer(r, r->memo[memo].value);
    } else {
        if (!r->failed)
            explain_read_enter(r, rule);
    }
}

static void explain_read_refuse(struct reader *r, const struct peg_item *item)
{
    uint32_t at = r->mark | VALUE_TOKEN;
    AUTO_FREE char *text = xasprintf("expected '%s'", token_texts[item->what]);

    explain_range(r, at, at, text, NULL);
}

/* Gives the value of the current item to its frame. */
static void deliver(struct reader *r, struct frame *f, uint32_t value)
{
    const struct peg_item *item = f->item;
    bool ahead = item->mode == MODE_AHEAD || item->mode == MODE_NOT_AHEAD;

    r->answered = false;
    if (ahead || (item->mode == MODE_MAYBE && !value))
        r->mark = f->item_mark;
    if (item->mode != MODE_MAYBE && (value != 0) == (item->mode == MODE_NOT_AHEAD)) {
        if (item->mode == MODE_MUST)
            explain_read_refuse(r, item);
        else
            fail_way(r, f);
        return;
    }
    if (item->slot >= 0)
        f->values[item->slot] = value;
    f->item++;
    f->item_mark = r->mark;
}

static void explain_read_step(struct reader *r)
{
    struct frame *f = &r->frames[r->frame_count - 1];

    if (r->answered) {
        deliver(r, f, r->answer);
    } else if (f->item == f->end) {
        finish_way(r, f);
    } else if (f->item->kind == ITEM_RULE) {
        try_rule(r, &peg_rules[f->item->what]);
    } else if (f->item->kind == ITEM_CUT) {
        f->cut = true;
        f->item++;
    } else {
        uint32_t value = match_token(r, f->item);
        if (!r->failed)
            deliver(r, f, value);
    }
}

bool reader_run(struct reader *r, bool wrong)
{
    r->mark = 0;
    r->wrong = wrong;
    r->level = 0;
    r->frame_count = 0;
    r->answered = false;
    explain_read_forget(r, 0);
    explain_read_enter(r, &peg_rules[r->field ? PEG_field : PEG_file]);
    while (r->frame_count && !r->failed)
        explain_read_step(r);
    return !r->failed && r->answer;
}
