/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses which of a reply's blocks are the code.
 */
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "languages/language.h"
#include "text/blocks.h"

/* ---- white space, as Python's str.isspace() has it ---- */

static bool is_wide_space(unsigned c)
{
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
           c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

size_t blocks_space(struct str s)
{
    const unsigned char *p = (const unsigned char *)s.p;

    if (!s.n)
        return 0;
    if (p[0] < 0x80)
        return p[0] == ' ' || (p[0] >= '\t' && p[0] <= '\r') || (p[0] >= 0x1c && p[0] <= 0x1f);
    if (s.n >= 2 && p[0] == 0xc2)
        return is_wide_space(p[1]) ? 2 : 0;
    if (s.n >= 3 && p[0] >= 0xe1 && p[0] <= 0xe3 && p[1] >= 0x80 && p[1] < 0xc0 && p[2] >= 0x80 &&
        p[2] < 0xc0)
        return is_wide_space((p[0] & 15U) << 12 | (p[1] & 63U) << 6 | (p[2] & 63U)) ? 3 : 0;
    return 0;
}

static size_t space_before_end(struct str s)
{
    for (size_t n = 1; n <= 3 && n <= s.n; n++)
        if (blocks_space(str_slice(s, s.n - n, s.n)) == n)
            return n;
    return 0;
}

struct str blocks_strip(struct str s)
{
    size_t n;

    while ((n = blocks_space(s)))
        s = str_slice(s, n, s.n);
    while ((n = space_before_end(s)))
        s.n -= n;
    return s;
}

/* ---- languages ---- */

/* Best first. */
enum rank { RANK_PROGRAM, RANK_SHELL, RANK_NONE, RANK_OTHER, RANK_COUNT };

static const char *const programming[] = {
    "go",     "golang", "java",    "kotlin", "scala",  "c",          "cpp",         "c++",
    "csharp", "c#",     "fsharp",  "rust",   "rs",     "swift",      "objective-c", "ruby",
    "rb",     "php",    "perl",    "lua",    "julia",  "typescript", "ts",          "tsx",
    "jsx",    "dart",   "haskell", "ocaml",  "elixir", "erlang",     "clojure",     "sql",
    "matlab", "octave", "fortran", "zig",    "nim",    "groovy",     "ipython",     NULL,
};
static const char *const shells[] = {
    "bash", "sh", "zsh", "fish", "ksh", "powershell", "ps1", "pwsh", "cmd", "bat", NULL,
};

static bool is_word(char c)
{
    return ascii_is_word(c) || (c && strchr("+#-.", c));
}

static struct str first_word(struct str info)
{
    size_t at = 0, end;

    while (at < info.n && info.p[at] && strchr("{. ", info.p[at]))
        at++;
    info = str_slice(info, at, info.n);
    if (str_starts(info, "language-"))
        info = str_slice(info, sizeof "language-" - 1, info.n);
    for (end = 0; end < info.n && is_word(info.p[end]);)
        end++;
    return str_slice(info, 0, end);
}

/* The row of a language, also with a version: "python3.11" is python. */
static const struct language *known(struct str word)
{
    const struct language *found = language_find(NULL, word);

    while (!found && word.n && strchr("0123456789.", word.p[word.n - 1])) {
        word.n--;
        found = language_find(NULL, word);
    }
    return found;
}

struct str blocks_language(struct arena *arena, struct str info)
{
    struct str word = first_word(info);
    const struct language *language = known(word);

    if (language)
        return str_from(language->name);
    word = arena_str(arena, word);
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] >= 'A' && word.p[i] <= 'Z')
            ((char *)word.p)[i] |= 0x20;
    return word;
}

bool blocks_is_language(struct str word)
{
    return known(word) || str_one_of_nocase(word, programming) || str_one_of_nocase(word, shells);
}

static enum rank rank_of(const struct code_block *block)
{
    if (block->tagged)
        return RANK_PROGRAM;
    if (!block->language.n)
        return RANK_NONE;
    if (str_one_of_nocase(block->language, shells))
        return RANK_SHELL;
    if (language_find(NULL, block->language) || str_one_of_nocase(block->language, programming))
        return RANK_PROGRAM;
    return RANK_OTHER;
}

/* ---- leaving out blocks ---- */

typedef bool keep_fn(const void *ctx, const struct code_block *block);

static size_t blocks_choose_count(const struct code_blocks *blocks, keep_fn *keep, const void *ctx)
{
    size_t n = 0;

    for (size_t i = 0; i < blocks->n; i++)
        n += keep(ctx, &blocks->at[i]);
    return n;
}

static void blocks_choose_leave(struct code_blocks *blocks, keep_fn *keep, const void *ctx)
{
    size_t n = 0;

    for (size_t i = 0; i < blocks->n; i++)
        if (keep(ctx, &blocks->at[i]))
            blocks->at[n++] = blocks->at[i];
    blocks->n = n;
}

struct wanted {
    const struct str *names;
    size_t n;
};

static bool same_word(struct str a, struct str b)
{
    return a.n == b.n && (!a.n || strncasecmp(a.p, b.p, a.n) == 0);
}

static bool same_language(struct str a, struct str b)
{
    const struct language *known_a = known(a);

    return known_a ? known_a == known(b) : same_word(a, b);
}

static bool is_wanted(const struct wanted *wanted, struct str language)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (same_language(wanted->names[i], language))
            return true;
    return false;
}

static bool says_wanted(const void *ctx, const struct code_block *block)
{
    return block->language.n && is_wanted(ctx, block->language);
}

static bool looks_wanted(const void *ctx, const struct code_block *block)
{
    return !block->language.n &&
           is_wanted(ctx, str_from(language_detect(NULL, NULL, block->code)->name));
}

void blocks_keep_languages(struct code_blocks *blocks, const struct str *languages, size_t n)
{
    struct wanted wanted = {languages, n};

    if (n)
        blocks_choose_leave(
            blocks, blocks_choose_count(blocks, says_wanted, &wanted) ? says_wanted : looks_wanted,
            &wanted);
}

static bool blocks_choose_is_named(const void *ctx, const struct code_block *block)
{
    const struct wanted *wanted = ctx;

    for (size_t i = 0; i < wanted->n; i++)
        if (same_word(wanted->names[i], block->language))
            return true;
    return false;
}

void blocks_keep_named(struct code_blocks *blocks, const struct str *names, size_t n)
{
    struct wanted wanted = {names, n};

    if (n)
        blocks_choose_leave(blocks, blocks_choose_is_named, &wanted);
}

static bool in_code_section(const void *ctx, const struct code_block *block)
{
    (void)ctx;
    return block->section == SECTION_CODE;
}

static bool is_no_output(const void *ctx, const struct code_block *block)
{
    const struct code_blocks *blocks = ctx;
    bool draft = blocks->code_section && block->section == SECTION_THOUGHT;

    return block->section != SECTION_OUTPUT && !draft;
}

static bool has_rank(const void *ctx, const struct code_block *block)
{
    return rank_of(block) == *(const enum rank *)ctx;
}

static void keep_best(struct code_blocks *blocks)
{
    blocks_choose_leave(
        blocks, blocks_choose_count(blocks, in_code_section, NULL) ? in_code_section : is_no_output,
        blocks);
    for (enum rank rank = RANK_PROGRAM; rank < RANK_COUNT; rank++) {
        if (!blocks_choose_count(blocks, has_rank, &rank))
            continue;
        blocks_choose_leave(blocks, has_rank, &rank);
        return;
    }
}

static bool is_markdown(const struct code_block *block)
{
    return str_is(block->language, "markdown") || str_is(block->language, "md");
}

/* If one Markdown block wraps the whole reply, replaces it by the blocks inside it. */
static void unwrap(struct code_blocks *blocks)
{
    const struct code_block *outer = blocks->n == 1 ? blocks->at : NULL;
    struct code_blocks inner;

    if (!outer || !is_markdown(outer) || outer->code.n != outer->code_end - outer->code_start)
        return;
    size_t by = outer->code_start;
    blocks_read(outer->code, &inner);
    if (!inner.n) {
        blocks_done(&inner);
        return;
    }
    for (struct code_block *b = inner.at; b < inner.at + inner.n; b++) {
        b->start += by;
        b->end += by;
        b->code_start += by;
        b->code_end += by;
    }
    inner.wrapper = xcalloc(1, sizeof *inner.wrapper);
    *inner.wrapper = *blocks;
    *blocks = inner;
    keep_best(blocks);
}

void blocks_keep_code(struct code_blocks *blocks)
{
    keep_best(blocks);
    unwrap(blocks);
}

int blocks_join(const struct code_blocks *blocks, struct buf *out)
{
    for (size_t i = 0; i < blocks->n; i++)
        if ((i && buf_adds(out, "\n\n") < 0) || buf_add_str(out, blocks->at[i].code) < 0)
            return -1;
    return 0;
}
