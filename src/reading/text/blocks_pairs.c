/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks between delimiters that the caller names. Each search continues where the last one
 * stopped, so time is linear for each pair.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/blocks.h"

/* The next occurrence of one pair's opener. */
struct opener {
    struct block_pair pair;
    size_t at;
    bool none;   /* there are no more openers */
    bool unshut; /* there are no more closers */
};

static void seek(struct opener *o, struct str text, size_t from)
{
    if (o->none || (o->at >= from && o->at != SIZE_MAX))
        return;
    long found = str_find(str_slice(text, from, text.n), o->pair.open);
    o->none = found < 0;
    o->at = found < 0 ? SIZE_MAX : from + (size_t)found;
}

static struct opener *leftmost(struct opener *openers, size_t n, struct str text, size_t from)
{
    struct opener *best = NULL;

    for (size_t i = 0; i < n; i++) {
        seek(&openers[i], text, from);
        if (!openers[i].none && (!best || openers[i].at < best->at))
            best = &openers[i];
    }
    return best;
}

static size_t add_between(struct str text, struct opener *o, struct code_blocks *ret)
{
    size_t from = o->at + o->pair.open.n;
    long found = o->unshut ? -1 : str_find(str_slice(text, from, text.n), o->pair.close);
    size_t to = found < 0 ? text.n : from + (size_t)found;
    size_t end = found < 0 ? to : to + o->pair.close.n;

    o->unshut = found < 0;
    struct code_block *block = blocks_add(ret, o->at, end);
    block->code = str_slice(text, from, to);
    block->code_start = from;
    block->code_end = to;
    block->language = blocks_pair_language(o->pair);
    block->tagged = true;
    block->closed = found >= 0;
    return end;
}

/* An opener without a closer makes the last block, which is not `closed`. */
void blocks_read_pairs(struct str text, const struct block_pair *pairs, size_t n,
                       struct code_blocks *ret)
{
    AUTO_FREE struct opener *openers = xcalloc(n ? n : 1, sizeof *openers);
    struct opener *next;

    *ret = (struct code_blocks){0};
    for (size_t i = 0; i < n; i++)
        openers[i] = (struct opener){.pair = pairs[i], .at = SIZE_MAX};
    for (size_t at = 0; (next = leftmost(openers, n, text, at));)
        at = add_between(text, next, ret);
}

/* ---- how they are written ---- */

static struct str unescape(struct arena *arena, struct str s)
{
    static const char letters[] = "ntrs\\", means[] = "\n\t\r \\";
    char *out = arena_alloc(arena, s.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++) {
        const char *letter =
            s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] ? strchr(letters, s.p[i + 1]) : NULL;
        out[n++] = letter ? means[letter - letters] : s.p[i];
        i += letter != NULL;
    }
    out[n] = '\0';
    return (struct str){out, n};
}

int block_pair_parse(struct arena *arena, struct str text, struct block_pair *ret, struct err *err)
{
    bool dots = str_find(text, STR("..")) >= 0;
    struct str sep = dots ? STR("..") : STR(" ");
    long at = str_find(text, sep);

    if (at <= 0 || (size_t)at + sep.n >= text.n)
        return err_set(
            err, ERR_USAGE,
            "'%.*s' is not a pair of delimiters; write it as OPEN..CLOSE or 'OPEN CLOSE'",
            (int)(text.n < 60 ? text.n : 60), text.p);
    ret->open = unescape(arena, str_slice(text, 0, (size_t)at));
    ret->close = unescape(arena, str_slice(text, (size_t)at + sep.n, text.n));
    return 0;
}
