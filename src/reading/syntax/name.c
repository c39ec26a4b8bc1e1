/* SPDX-License-Identifier: Apache-2.0 */
#include "syntax/name.h"

#include "syntax/unicode.h"

enum { FIRST_SLOTS = 128, MOST_FIRST_SLOTS = 4096, BYTES_A_SLOT = 32 };

uint64_t name_hash_middle(const struct names *names, uint64_t hash, const char *p, size_t n)
{
    for (size_t at = 8; at + 8 < n; at += 8)
        hash = name_mix(hash ^ name_load(p + at), names->key[1]);
    return hash;
}

static struct name_slot *new_slots(struct python_tree *tree, uint32_t count)
{
    tree->names->mask = count - 1;
    return arena_zalloc(&tree->arena, count * sizeof(struct name_slot));
}

static struct name_slot *free_slot(struct names *names, uint32_t hash)
{
    for (uint32_t i = hash;; i++)
        if (!names->slots[i & names->mask].name)
            return &names->slots[i & names->mask];
}

static void name_grow(struct python_tree *tree)
{
    struct names *names = tree->names;
    struct name_slot *old = names->slots;
    uint32_t n = names->mask + 1;

    names->slots = new_slots(tree, n * 2);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].name)
            *free_slot(names, old[i].name->hash) = old[i];
}

struct name_slot *names_add(struct python_tree *tree, const char *p, struct name_slot slot)
{
    struct names *names = tree->names;
    struct name *name = arena_alloc(&tree->arena, sizeof *name + slot.n + 1);

    if (++names->count > names->mask / 2)
        name_grow(tree);
    *name = (struct name){.next = names->newest, .hash = name_hash(names, p, &slot), .n = slot.n};
    memcpy(name->text, p, slot.n);
    name->text[slot.n] = '\0';
    names->newest = slot.name = name;
    struct name_slot *free_one = free_slot(names, name->hash);
    *free_one = slot;
    return free_one;
}

static void add_keyword(struct python_tree *tree, enum token_kind kind)
{
    struct str text = str_from(token_texts[kind]);
    struct name_slot slot = {.n = (uint32_t)text.n, .kind = (uint8_t)kind};

    slot.head = name_load_few(text.p, text.n, text.p + text.n);
    slot.tail = text.n > 8 ? name_load(text.p + text.n - 8) : 0;
    (void)names_add(tree, text.p, slot);
}

void names_start(struct python_tree *tree, size_t n)
{
    uint32_t slots = FIRST_SLOTS;

    if (tree->names)
        return;
    while (slots < MOST_FIRST_SLOTS && slots < n / BYTES_A_SLOT)
        slots *= 2;
    tree->names = arena_zalloc(&tree->arena, sizeof *tree->names);
    /* Constants without a pattern, mixed with two addresses that cannot be predicted. */
    tree->names->key[0] = 0x9E3779B97F4A7C15 ^ name_mix((uintptr_t)tree, 0xD6E8FEB86659FD93);
    tree->names->key[1] = 0xA0761D6478BD642F ^ name_mix((uintptr_t)tree->names, 0xE7037ED1A0B428DB);
    tree->names->slots = new_slots(tree, slots);
    for (unsigned kind = T_FIRST_KEYWORD; kind < T_COUNT; kind++)
        add_keyword(tree, (enum token_kind)kind);
}

struct name *name_get_plain(struct python_tree *tree, struct str text)
{
    names_start(tree, 0);
    return names_find(tree, text.p, text.n, text.p + text.n)->name;
}

static bool is_ascii(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80)
            return false;
    return true;
}

struct name *name_get(struct python_tree *tree, struct str spelling)
{
    AUTO_BUF struct buf normal = {0};

    if (is_ascii(spelling))
        return name_get_plain(tree, spelling);
    /* NFKC makes at most 18 characters, and 11 times the bytes, from one character (U+FDFA). */
    buf_init(&normal, spelling.n * 18 + 16);
    (void)unicode_normalize(spelling, &normal);
    return name_get_plain(tree, buf_str(&normal));
}
