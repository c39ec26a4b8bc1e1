/* SPDX-License-Identifier: Apache-2.0
 *
 * Replies that are still arriving, and replies that are meant to take long.
 */
#include <stdint.h>
#include <time.h>

#include "base/mem.h"
#include "tap.h"
#include "text/blocks.h"
#include "text/codeact.h"

#define F "```"

#ifdef __SANITIZE_ADDRESS__
enum { LARGE = 1 << 14 }; /* its memmem looks at the whole text first, which makes a square of it */
#else
enum { LARGE = 1 << 20 };
#endif

static uint64_t state = 88172645463325252;

static size_t random_below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % n;
}

static const char *const lines[] = {
    F,           F,
    F "py",      F "markdown",
    "````",      "~~~",
    "  " F,      "> " F,
    "> x",       "x = \"\"\"",
    "'''",       "\"\"\"",
    "<code>",    "</code>",
    "Code:",     "Thought: " F "py",
    "Output:",   "# it's",
    "x",         "",
    "- " F,      F "x" F,
    "a " F "py", "\t" F,
    "x" F,       "a <code>",
    "x\\",
};

static bool same(const struct code_block *a, const struct code_block *b)
{
    return a->start == b->start && a->end == b->end && a->code_start == b->code_start &&
           a->code_end == b->code_end && a->section == b->section && str_eq(a->code, b->code) &&
           str_eq(a->info, b->info) && str_eq(a->language, b->language) && b->closed;
}

/* Every closed block of a prefix of whole lines is in the whole as well, at the same number. */
static bool is_stable(struct str text)
{
    struct code_blocks whole, part;
    bool stable = true;

    blocks_read(text, &whole);
    for (size_t n = 0; n <= text.n && stable; n++) {
        if (n && text.p[n - 1] != '\n')
            continue;
        blocks_read(str_slice(text, 0, n), &part);
        for (size_t i = 0; i < part.n && stable; i++)
            stable = !part.at[i].closed || (i < whole.n && same(&part.at[i], &whole.at[i]));
        blocks_done(&part);
    }
    blocks_done(&whole);
    return stable;
}

static void test_arriving(void)
{
    int wrong = 0;

    for (int round = 0; round < 3000; round++) {
        AUTO_BUF struct buf text = {0};
        buf_init(&text, 1 << 16);
        for (size_t n = random_below(16); n > 0; n--)
            (void)buf_addf(&text, "%s\n", lines[random_below(ARRAY_LEN(lines))]);
        if (!is_stable(buf_str(&text)) && wrong++ < 3)
            printf("# %s\n", text.p);
    }
    OK(wrong == 0, "3000 replies: what is closed stays so when more arrives (%d not)", wrong);
}

/* Of this process: what others do meanwhile does not count. */
static int64_t processor_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int64_t time_of(const char *piece, size_t n)
{
    AUTO_BUF struct buf text = {0};
    struct code_blocks blocks;
    struct codeact_reply reply;
    struct code_block one;
    struct err err;

    buf_init(&text, n + 100);
    while (text.n < n)
        (void)buf_adds(&text, piece);
    int64_t begin = processor_ns();
    blocks_read(buf_str(&text), &blocks);
    blocks_keep_code(&blocks);
    blocks_done(&blocks);
    blocks_read_chapter(buf_str(&text), &blocks);
    blocks_done(&blocks);
    blocks_read_adk(buf_str(&text), blocks_adk_pairs, BLOCKS_ADK_PAIRS, &blocks);
    blocks_done(&blocks);
    (void)blocks_first_adk(buf_str(&text), blocks_adk_pairs, BLOCKS_ADK_PAIRS, &one);
    (void)codeact_read(buf_str(&text), &reply, &err);
    codeact_done(&reply);
    return processor_ns() - begin;
}

/* Sixteen times the text may take up to eighty times as long, on a busy machine; it would be 256
 * times with a square in it. */
static void test_hostile(void)
{
    static const char *const pieces[] = {
        "`",
        "~",
        "<code>",
        "<code>\n",
        F "python\n",
        F "\n",
        F "py\n\"\"\"\n" F "\n",
        ">",
        "- ",
        "1. ",
        "> " F "\n",
        "<code>\n" F "\n" F "\n",
        F "py\n'''\n" F "\n" F "\n" F "js\n",
        "Code:\n",
        "Code: " F,
        "Thought:",
        "Answer:",
        "{",
        " ",
        "\t",
        "\n",
        F "x `",
        "\n" F,
        F "a\n" F " b\n",
        "\xc2\xa0",
        F "markdown\n",
        "'''\n",
        "Code:" F "python",
    };

    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        int64_t small = time_of(pieces[i], LARGE / 16), large = time_of(pieces[i], LARGE);
        OK(large < 80 * small || large < 200 * 1000 * 1000,
           "%d bytes of piece %zu take %lld us, a sixteenth of them %lld us", LARGE, i,
           (long long)(large / 1000), (long long)(small / 1000));
    }
}

int main(void)
{
    RUN(test_arriving());
    RUN(test_hostile());
    return tap_done();
}
