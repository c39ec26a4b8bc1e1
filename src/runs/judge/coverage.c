/* SPDX-License-Identifier: Apache-2.0
 *
 * Which lines of a candidate ran. Its process reports them, and could report anything: line numbers
 * that do not exist are ignored, and no verdict depends on the lines.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "judge/parts.h"

/* Marks the lines in an array. */
static void mark(struct coverage *c, const struct value *list, uint8_t what)
{
    for (size_t i = 0; list && list->type == VALUE_LIST && i < list->n; i++) {
        const struct value *v = &list->items[i];
        if (v->type == VALUE_INT && !v->limbs && v->integer > 0 && (size_t)v->integer <= c->n)
            c->lines[v->integer - 1] |= what;
    }
}

static struct line_set lines_with(const struct coverage *c, uint8_t mask, uint8_t want)
{
    struct line_set set = {.at = xcalloc(c->n + 1, sizeof *set.at)};

    for (size_t i = 0; i < c->n; i++)
        if ((c->lines[i] & mask) == want)
            set.at[set.n++] = (uint32_t)i + 1;
    return set;
}

static struct line_set coverage_read_lines(const struct value *list, size_t n)
{
    struct coverage one = {.lines = xcalloc(n + 1, 1), .n = n};

    mark(&one, list, LINE_RAN);
    struct line_set set = lines_with(&one, LINE_RAN, LINE_RAN);
    free(one.lines);
    return set;
}

void coverage_take(struct judge *j, struct str payload, struct case_result *r)
{
    const struct value_limits limits = {.nodes = PAYLOAD_NODES};
    struct coverage *c = &j->ret->coverage;
    struct arena arena = {0};
    struct value reported;
    struct err err;

    if (!c->lines) {
        c->n = str_count_lines(j->q->run.program.code);
        c->lines = xcalloc(c->n + 1, 1);
    }
    if (payload.n && value_read_json(payload, &limits, &arena, &reported, &err) == 0 &&
        reported.type == VALUE_OBJECT) {
        free(r->lines.at);
        r->lines = coverage_read_lines(value_get(&reported, "lines"), c->n);
        mark(c, value_get(&reported, "lines"), LINE_RAN);
        mark(c, value_get(&reported, "loaded"), LINE_RAN);
        mark(c, value_get(&reported, "code"), LINE_CODE);
    }
    arena_done(&arena);
}

struct line_set coverage_never(const struct coverage *c, size_t *ret_code)
{
    *ret_code = 0;
    for (size_t i = 0; i < c->n; i++)
        *ret_code += (c->lines[i] & LINE_CODE) != 0;
    return lines_with(c, LINE_CODE | LINE_RAN, LINE_CODE);
}
