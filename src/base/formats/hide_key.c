/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/hide_key.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/json_get.h"

enum { KEY_PIECE = 8 };

/* A hash table of all parts of a key that have `size` bytes. 0 marks a free slot: a key has no NUL.
 * With it, each byte of a text is looked at once, however long the key is. */
struct pieces {
    uint64_t *table;
    size_t room, size; /* room: a power of two */
};

static uint64_t piece_at(const char *p, size_t size)
{
    uint64_t piece = 0;

    memcpy(&piece, p, size);
    return piece;
}

/* The slot of the part, or the free slot where it belongs. */
static uint64_t *find_piece(const struct pieces *pieces, uint64_t piece)
{
    size_t at = (size_t)(piece * 0x9e3779b97f4a7c15ULL >> 40) & (pieces->room - 1);

    while (pieces->table[at] && pieces->table[at] != piece)
        at = (at + 1) & (pieces->room - 1);
    return &pieces->table[at];
}

static struct pieces make_pieces(struct str key)
{
    struct pieces pieces = {.room = 64, .size = key.n < KEY_PIECE ? key.n : KEY_PIECE};

    while (pieces.room < 4 * key.n)
        pieces.room *= 2;
    pieces.table = xcalloc(pieces.room, sizeof *pieces.table);
    for (size_t i = 0; i + pieces.size <= key.n; i++) {
        uint64_t piece = piece_at(key.p + i, pieces.size);
        *find_piece(&pieces, piece) = piece;
    }
    return pieces;
}

static void pieces_done(struct pieces *pieces)
{
    explicit_bzero(pieces->table, pieces->room * sizeof *pieces->table);
    free(pieces->table);
}

void hide_key(struct buf *b, struct str text, const char *key)
{
    size_t hidden = 0; /* the end of the part that is being hidden */

    if (!key || !*key) {
        (void)buf_add_str(b, text);
        return;
    }
    struct pieces pieces = make_pieces(str_from(key));
    for (size_t i = 0; i < text.n; i++) {
        bool found =
            i + pieces.size <= text.n && *find_piece(&pieces, piece_at(text.p + i, pieces.size));
        if (found && i >= hidden)
            (void)buf_adds(b, "[key]");
        else if (i >= hidden)
            (void)buf_addc(b, text.p[i]);
        if (found)
            hidden = i + pieces.size;
    }
    pieces_done(&pieces);
}

bool hide_key_is_secret(const char *key)
{
    return key && strlen(key) >= KEY_PIECE;
}

char *hide_key_text(struct str text, const char *key)
{
    AUTO_BUF struct buf hidden = {0};

    if (!hide_key_is_secret(key) || str_find(text, str_from(key)) < 0)
        return NULL;
    buf_init(&hidden, text.n);
    hide_key(&hidden, text, key);
    return buf_take(&hidden);
}

static json_t *hide_key_copy_text(const json_t *text, const char *key)
{
    AUTO_FREE char *hidden = hide_key_text(json_str(text), key);

    return hidden ? json_string(hidden) : json_copy((json_t *)(uintptr_t)text);
}

/* Recursion is bounded: the parser has limited the depth. */
static json_t *copy_value(const json_t *value, const char *key)
{
    json_t *copy = json_is_object(value)  ? json_object()
                   : json_is_array(value) ? json_array()
                                          : hide_key_copy_text(value, key);
    json_t *member;
    const char *name;
    size_t i;

    json_array_foreach(value, i, member) json_array_append_new(copy, copy_value(member, key));
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        AUTO_FREE char *hidden = hide_key_text(str_from(name), key);
        json_object_set_new(copy, hidden ? hidden : name, copy_value(member, key));
    }
    return copy;
}

json_t *hide_key_json(json_t *value, const char *key)
{
    if (!value || !hide_key_is_secret(key))
        return value;
    json_t *copy = copy_value(value, key);
    json_decref(value);
    return copy;
}

size_t hide_key_free_part(struct str text, const char *key)
{
    size_t n = strlen(key) - 1;

    for (n = n < text.n ? n : text.n; n > 0; n--)
        if (memcmp(text.p + text.n - n, key, n) == 0)
            break;
    return text.n - n;
}
