/* SPDX-License-Identifier: Apache-2.0
 *
 * The second reader's memory: forms, and the lists of values in them.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "python/explain_parts.h"

void *reader_more(struct reader *r, void *p, uint32_t *room, size_t size)
{
    *room = *room ? *room * 2 : 1024;
    if ((size_t)*room * size > r->tree->memory_limit && !r->failed)
        explain_at(r, PYTHON_MEMORY_ERROR, &(struct error_place){0}, "the program is too large",
                   NULL);
    return xrealloc_array(p, *room, size);
}

static uint32_t cell_new(struct reader *r, uint32_t value)
{
    if (r->cell_count == r->cell_room)
        r->cell = reader_more(r, r->cell, &r->cell_room, sizeof *r->cell);
    r->cell[r->cell_count] = (struct cell){.value = value};
    return r->cell_count++;
}

uint32_t form_new(struct reader *r, unsigned kind, uint32_t first, uint32_t last)
{
    if (r->form_count == r->form_room)
        r->form = reader_more(r, r->form, &r->form_room, sizeof *r->form);
    r->form[r->form_count] = (struct form){.kind = (uint8_t)kind, .first = first, .last = last};
    return r->form_count++;
}

const struct form *value_form(const struct reader *r, uint32_t value)
{
    return value <= VALUE_SOME || value & VALUE_TOKEN ? NULL : &r->form[value];
}

uint32_t value_last_item(const struct reader *r, uint32_t value)
{
    const struct form *f = value_form(r, value);

    return f && f->tail ? r->cell[f->tail].value : value;
}

/* Of a list of values: the first token of the first one, or the last token of the last one. */
uint32_t value_first(const struct reader *r, uint32_t value)
{
    const struct form *f = value_form(r, value);

    if (!f)
        return value & ~VALUE_TOKEN;
    return f->kind == FORM_ITEMS && f->head ? value_first(r, r->cell[f->head].value) : f->first;
}

uint32_t value_last(const struct reader *r, uint32_t value)
{
    const struct form *f = value_form(r, value);

    if (!f)
        return value & ~VALUE_TOKEN;
    return f->kind == FORM_ITEMS && f->tail ? value_last(r, r->cell[f->tail].value) : f->last;
}

void form_add(struct reader *r, uint32_t form, uint32_t child)
{
    uint32_t cell = cell_new(r, child);
    struct form *f = &r->form[form];

    if (f->tail)
        r->cell[f->tail].next = cell;
    else
        f->head = cell;
    f->tail = cell;
}

void reader_init(struct reader *r, struct python_tree *tree, const struct tokens *tokens,
                 bool field)
{
    *r = (struct reader){.tree = tree, .tokens = tokens, .field = field};
    r->depth = xcalloc(tokens->n + 1, sizeof *r->depth);
    r->memos = xcalloc(tokens->n + 1, sizeof *r->memos);
    r->form_room = r->memo_room = r->cell_room = 0;
    r->form = reader_more(r, NULL, &r->form_room, sizeof *r->form);
    r->memo = reader_more(r, NULL, &r->memo_room, sizeof *r->memo);
    r->cell = reader_more(r, NULL, &r->cell_room, sizeof *r->cell);
}

void reader_done(struct reader *r)
{
    free(r->depth);
    free(r->memos);
    free(r->memo);
    free(r->form);
    free(r->cell);
    free(r->frames);
}
