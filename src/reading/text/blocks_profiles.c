/* SPDX-License-Identifier: Apache-2.0
 *
 * The readers of other systems. There they are regular expressions; here each is written by hand so
 * that it takes linear time, and tests/unit/test_blocks_oracle.c compares them with the
 * expressions. Linear time is possible for one reason: if no closer follows the leftmost opener,
 * none follows a later opener.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "python/python.h"
#include "text/blocks.h"

static size_t find_from(struct str text, size_t from, struct str what)
{
    long found = from <= text.n ? str_find(str_slice(text, from, text.n), what) : -1;

    return found < 0 ? SIZE_MAX : from + (size_t)found;
}

static void set_code(struct code_block *block, struct str text, size_t from, size_t to)
{
    block->code = str_slice(text, from, to);
    block->code_start = from;
    block->code_end = to;
    block->closed = true;
}

static void strip_code(struct code_block *block, struct str text)
{
    block->code = blocks_strip(block->code);
    if (block->code.n)
        block->code_start = (size_t)(block->code.p - text.p);
    block->code_end = block->code_start + block->code.n;
}

/* ---- chapter: ```(?:python)?\n(.*?)``` ---- */

static size_t chapter_opener(struct str text, size_t at)
{
    struct str rest = str_slice(text, at, text.n);

    return str_starts(rest, "```python\n") ? 10 : str_starts(rest, "```\n") ? 4 : 0;
}

void blocks_read_chapter(struct str text, struct code_blocks *ret)
{
    size_t at = find_from(text, 0, STR("```")), opener = 0;

    *ret = (struct code_blocks){0};
    while (at != SIZE_MAX && !(opener = chapter_opener(text, at)))
        at = find_from(text, at + 1, STR("```"));
    size_t close = at == SIZE_MAX ? at : find_from(text, at + opener, STR("```"));
    if (close == SIZE_MAX) {
        set_code(blocks_add(ret, 0, text.n), text, 0, text.n);
    } else {
        set_code(blocks_add(ret, at, close + 3), text, at + opener, close);
        ret->at[0].info = str_slice(text, at + 3, at + opener - 1);
        ret->at[0].language = ret->at[0].info;
    }
    strip_code(&ret->at[0], text);
}

/* ---- adk: ```([a-zA-Z0-9_+-]*)\n([\s\S]*?)\n```, then the pairs ---- */

const struct block_pair blocks_adk_pairs[] = {
    {{"```tool_code\n", 13}, {"\n```", 4}}, {{"```python\n", 10}, {"\n```", 4}},
    {{"```go\n", 6}, {"\n```", 4}},         {{"```javascript\n", 14}, {"\n```", 4}},
    {{"```bash\n", 8}, {"\n```", 4}},
};

static bool contains(struct str text, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= text.n; i++)
        if (strncasecmp(text.p + i, word, n) == 0)
            return true;
    return false;
}

struct str blocks_pair_language(struct block_pair pair)
{
    static const char *const words[][2] = {
        {"python", "python"}, {"go", "go"},      {"javascript", "javascript"}, {"js", "javascript"},
        {"bash", "bash"},     {"shell", "bash"}, {"tool_code", "python"},
    };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (contains(pair.open, words[i][0]))
            return str_from(words[i][1]);
    return (struct str){"", 0};
}

static bool is_label(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '+' || c == '-';
}

static void read_markdown(struct str text, struct code_blocks *ret)
{
    size_t at = 0;

    while ((at = find_from(text, at, STR("```"))) != SIZE_MAX) {
        size_t end = at + 3;
        while (end < text.n && is_label(text.p[end]))
            end++;
        if (end == text.n || text.p[end] != '\n') {
            at++;
            continue;
        }
        size_t close = find_from(text, end + 1, STR("\n```"));
        if (close == SIZE_MAX)
            return;
        struct code_block *block = blocks_add(ret, at, close + 4);
        block->info = str_slice(text, at + 3, end);
        block->language = block->info;
        set_code(block, text, end + 1, close);
        at = close + 4;
    }
}

static void read_pair(struct str text, const struct block_pair *pair, struct code_blocks *ret)
{
    size_t at = 0;

    while ((at = find_from(text, at, pair->open)) != SIZE_MAX) {
        size_t from = at + pair->open.n, close = find_from(text, from, pair->close);
        if (close == SIZE_MAX)
            return;
        struct code_block *block = blocks_add(ret, at, close + pair->close.n);
        block->language = blocks_pair_language(*pair);
        block->tagged = true;
        set_code(block, text, from, close);
        at = close + pair->close.n;
    }
}

struct block_place {
    size_t start, end, index;
};

static int by_place(const void *a, const void *b)
{
    const struct block_place *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Keeps the first of several blocks at one offset; the order stays the same. */
static void drop_doubles(struct code_blocks *blocks)
{
    AUTO_FREE struct block_place *places = xcalloc(blocks->n ? blocks->n : 1, sizeof *places);
    size_t n = 0;

    for (size_t i = 0; i < blocks->n; i++)
        places[i] = (struct block_place){blocks->at[i].start, blocks->at[i].end, i};
    qsort(places, blocks->n, sizeof *places, by_place);
    for (size_t i = 1; i < blocks->n; i++)
        if (places[i].start == places[i - 1].start && places[i].end == places[i - 1].end)
            blocks->at[places[i].index].closed = false;
    for (size_t i = 0; i < blocks->n; i++)
        if (blocks->at[i].closed)
            blocks->at[n++] = blocks->at[i];
    blocks->n = n;
}

void blocks_read_adk(struct str text, const struct block_pair *pairs, size_t n,
                     struct code_blocks *ret)
{
    *ret = (struct code_blocks){0};
    read_markdown(text, ret);
    for (size_t i = 0; i < n; i++)
        read_pair(text, &pairs[i], ret);
    drop_doubles(ret);
}

/* ---- adk: the first code between any opener and any closer ---- */

/* The offset of the last closer, or SIZE_MAX. */
static size_t last_closer(struct str text, const struct block_pair *pairs, size_t n)
{
    size_t last = SIZE_MAX;

    for (size_t i = 0; i < n; i++)
        for (size_t at = 0; (at = find_from(text, at, pairs[i].close)) != SIZE_MAX; at++)
            last = last == SIZE_MAX || at > last ? at : last;
    return last;
}

/* The leftmost opener that a closer follows; of several at one offset, the first in the list. */
static const struct block_pair *first_opener(struct str text, const struct block_pair *pairs,
                                             size_t n, size_t last, size_t *ret_at)
{
    const struct block_pair *best = NULL;

    for (size_t i = 0; i < n; i++) {
        size_t at = find_from(text, 0, pairs[i].open);
        if (at != SIZE_MAX && at + pairs[i].open.n <= last && (!best || at < *ret_at)) {
            best = &pairs[i];
            *ret_at = at;
        }
    }
    return best;
}

bool blocks_first_adk(struct str text, const struct block_pair *pairs, size_t n,
                      struct code_block *ret)
{
    size_t last = last_closer(text, pairs, n), at = 0, close = SIZE_MAX, end = 0;
    const struct block_pair *opener =
        last == SIZE_MAX ? NULL : first_opener(text, pairs, n, last, &at);

    if (!opener)
        return false;
    size_t from = at + opener->open.n;
    for (size_t i = 0; i < n; i++) {
        size_t found = find_from(text, from, pairs[i].close);
        if (found < close) {
            close = found;
            end = found + pairs[i].close.n;
        }
    }
    *ret = (struct code_block){.language = blocks_pair_language(*opener),
                               .info = {"", 0},
                               .start = at,
                               .end = end,
                               .tagged = true};
    set_code(ret, text, from, close);
    return ret->code.n > 0;
}

/* ---- smolagents: <code>(.*?)</code>, ```(?:python|py)(.*?)\n``` ---- */

const struct block_pair blocks_markdown_pair = {{"```(?:python|py)", 16}, {"\n```", 4}};

static const struct block_pair code_tags = {{"<code>", 6}, {"</code>", 7}};

/* Moves *at to the next opener and returns the opener's length. */
static size_t next_opener(struct str text, const struct block_pair *pair, size_t *at)
{
    if (!str_eq(pair->open, blocks_markdown_pair.open)) {
        *at = find_from(text, *at, pair->open);
        return pair->open.n;
    }
    *at = find_from(text, *at, STR("```py"));
    return *at != SIZE_MAX && str_starts(str_slice(text, *at, text.n), "```python") ? 9 : 5;
}

static void read_tags(struct str text, const struct block_pair *pair, struct code_blocks *ret)
{
    bool markdown = str_eq(pair->open, blocks_markdown_pair.open);

    for (size_t at = 0;;) {
        size_t opener = next_opener(text, pair, &at);
        size_t close = at == SIZE_MAX ? at : find_from(text, at + opener, pair->close);
        if (close == SIZE_MAX)
            return;
        struct code_block *block = blocks_add(ret, at, close + pair->close.n);
        block->info = markdown ? str_slice(text, at + 3, at + opener) : (struct str){"", 0};
        block->language = STR("python");
        block->tagged = true;
        set_code(block, text, at + opener, close);
        strip_code(block, text);
        at = close + pair->close.n;
    }
}

/* False for a single empty block; two empty blocks count as code, as in smolagents. */
static bool has_code(const struct code_blocks *blocks)
{
    return blocks->n > 1 || (blocks->n == 1 && blocks->at[0].code.n);
}

static bool is_python(struct str text)
{
    struct python_tree tree;
    bool good = python_parse(text, &(struct python_options){0}, &tree) == 0;

    python_tree_done(&tree);
    return good;
}

static void blocks_profiles_complain(struct str text, const struct block_pair *pair,
                                     struct buf *out)
{
    struct str open = pair->open, close = pair->close;
    bool final = str_find(text, STR("final")) >= 0 && str_find(text, STR("answer")) >= 0;
    const char *advice =
        final ? "It seems like you're trying to return the final answer, you can do it as follows:"
              : "Make sure to include code with the correct pattern, for instance:\n"
                "Thoughts: Your thoughts";
    const char *example =
        final ? "final_answer(\"YOUR FINAL ANSWER HERE\")" : "# Your python code here";

    (void)buf_adds(out, "Your code snippet is invalid, because the regex pattern ");
    (void)buf_add_str(out, open);
    (void)buf_adds(out, "(.*?)");
    (void)buf_add_str(out, close);
    (void)buf_adds(out, " was not found in it.\nHere is your code snippet:\n");
    (void)buf_add_str(out, text);
    (void)buf_addf(out, "\n%s\n", advice);
    (void)buf_add_str(out, open);
    (void)buf_addf(out, "\n%s\n", example);
    (void)buf_add_str(out, blocks_strip(close));
}

void blocks_read_smolagents(struct str text, const struct block_pair *pair, struct code_blocks *ret,
                            struct buf *complaint)
{
    pair = pair ? pair : &code_tags;
    *ret = (struct code_blocks){0};
    read_tags(text, pair, ret);
    if (has_code(ret))
        return;
    ret->n = 0;
    read_tags(text, &blocks_markdown_pair, ret);
    if (has_code(ret))
        return;
    ret->n = 0;
    if (is_python(text))
        set_code(blocks_add(ret, 0, text.n), text, 0, text.n);
    else
        blocks_profiles_complain(text, pair, complaint);
}
