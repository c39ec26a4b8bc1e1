/* SPDX-License-Identifier: Apache-2.0
 *
 * The profiles beside the regular expressions they stand for: CPython's `re` reads the same texts,
 * made at random of the pieces that matter, and has to find the same.
 */
#include <stdint.h>

#include "base/mem.h"
#include "python_oracle.h"
#include "text/blocks.h"
#include "text/codeact.h"

enum { TEXTS = 4000, PIECES = 14 };

static const char *const pieces[] = {
    "```",
    "```",
    "```python",
    "```py",
    "```tool_code\n",
    "```js-x+1_\n",
    "````",
    "\n",
    "\n",
    "\n```",
    "\r\n",
    " ",
    "\t",
    "\xc2\xa0",
    "\xe3\x80\x80",
    "`",
    "python",
    "py",
    "x = 1",
    "final",
    " answer",
    "<code>",
    "</code>",
    "<code>\n",
    "Thought:",
    "Thought: a",
    "\nCode:",
    "code: ",
    "Code:\n```python\n",
    "\nAnswer: 42",
    "\nAction:",
    "Successful: true",
    "\nSuccessful:  False",
    "h\xc3\xa9",
};

static uint64_t state = 0x9e3779b97f4a7c15;

static size_t random_below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % n;
}

/* Each text, then a NUL. */
static void make_texts(struct buf *out)
{
    for (int i = 0; i < TEXTS; i++) {
        for (size_t n = random_below(PIECES); n > 0; n--)
            (void)buf_adds(out, pieces[random_below(ARRAY_LEN(pieces))]);
        (void)buf_addc(out, '\0');
    }
}

static const char script[] =
    "import ast, re, sys\n"
    "FENCE = '`' * 3\n"
    "PAIRS = [(FENCE + w + '\\n', '\\n' + FENCE) for w in\n"
    "         ('tool_code', 'python', 'go', 'javascript', 'bash')]\n"
    "def chapter(t):\n"
    "    m = re.search(FENCE + r'(?:python)?\\n(.*?)' + FENCE, t, re.S)\n"
    "    return [(m.group(1) if m else t).strip()]\n"
    "def adk(t):\n"
    "    b, seen, out = t.encode(), set(), []\n"
    "    word = {'tool_code': 'python'}\n"
    "    for m in re.finditer((FENCE + r'([a-zA-Z0-9_+-]*)\\n([\\s\\S]*?)\\n' + FENCE).encode(), "
    "b):\n"
    "        out.append((m.start(), m.end(), m.group(1).decode(), m.group(2).decode()))\n"
    "    for o, c in PAIRS:\n"
    "        lang = o[3:-1]\n"
    "        for m in re.finditer((re.escape(o) + r'([\\s\\S]*?)' + re.escape(c)).encode(), b):\n"
    "            out.append((m.start(), m.end(), word.get(lang, lang), m.group(1).decode()))\n"
    "    for block in out:\n"
    "        if block[:2] not in seen:\n"
    "            seen.add(block[:2])\n"
    "            yield '%d %d %s %s' % block\n"
    "def first(t):\n"
    "    lead, trail = ('|'.join(p[i] for p in PAIRS) for i in (0, 1))\n"
    "    m = "
    "re.compile((rf'(?P<prefix>.*?)({lead})(?P<code>.*?)({trail})(?P<suffix>.*?)$').encode(),\n"
    "                   re.S).search(t.encode())\n"
    "    return [m.group('code').decode()] if m and m.group('code') else []\n"
    "def tags(t, o, c):\n"
    "    found = re.findall(o + '(.*?)' + c, t, re.S)\n"
    "    return '\\n\\n'.join(x.strip() for x in found) if found else None\n"
    "def smolagents(t, o, c):\n"
    "    found = tags(t, o, c) or tags(t, FENCE + '(?:python|py)', '\\n' + FENCE)\n"
    "    if found:\n"
    "        return [found]\n"
    "    try:\n"
    "        ast.parse(t)\n"
    "        return [t]\n"
    "    except SyntaxError:\n"
    "        return ['!']\n"
    "I, S = re.I, re.S\n"
    "def codeact(t):\n"
    "    m = re.search(r'Thought:\\s*(.+?)(?=\\n(?:Action|Answer|Code):|$)', t, S | I)\n"
    "    if not m:\n"
    "        return ['no thought']\n"
    "    thought = m.group(1).strip()\n"
    "    m = re.search(r'Code:\\s*' + FENCE + r'(?:python)?\\s*(.+?)\\s*' + FENCE, t, S | I)\n"
    "    code = m.group(1).strip() if m else None\n"
    "    if not code:\n"
    "        m = re.search(r'Code:\\s*(.+?)(?=\\n(?:Thought|Answer):|$)', t, S | I)\n"
    "        code = m.group(1).strip().strip('`').strip() if m else None\n"
    "    a, b = m.span(1) if code else (0, 0)\n"
    "    m = re.search(r'Answer:\\s*(.+?)(?=\\nSuccessful:|$)', t[:a], S | I) if code else None\n"
    "    if code and (m or re.search('Answer:', t[:a] + t[b:], I)):\n"
    "        return ['both or odd']\n"
    "    m = re.search(r'Answer:\\s*(.+?)(?=\\nSuccessful:|$)', t, S | I)\n"
    "    answer = m.group(1).strip() if m and not code else None\n"
    "    if not code and not answer:\n"
    "        return ['neither']\n"
    "    m = re.search(r'Successful:\\s*(true|false)', t, I)\n"
    "    good = m.group(1).lower() == 'true' if m and answer else False\n"
    "    return ['%s|%s|%s|%d' % (thought, code or None, answer, good)]\n"
    "READERS = [chapter, adk, first, lambda t: smolagents(t, '<code>', '</code>'),\n"
    "           lambda t: smolagents(t, FENCE + '(?:python|py)', '\\n' + FENCE), codeact]\n"
    "for t in sys.stdin.buffer.read().decode().split('\\0')[:-1]:\n"
    "    for i, read in enumerate(READERS):\n"
    "        for found in read(t):\n"
    "            sys.stdout.buffer.write(b'%d %s\\0' % (i, found.encode()))\n";

static void put(struct buf *out, int reader, struct str found)
{
    (void)buf_addf(out, "%d ", reader);
    (void)buf_add_str(out, found);
    (void)buf_addc(out, '\0');
}

static void put_chapter(struct buf *out, struct str text)
{
    struct code_blocks blocks;

    blocks_read_chapter(text, &blocks);
    put(out, 0, blocks.at[0].code);
    blocks_done(&blocks);
}

static void put_adk(struct buf *out, struct str text)
{
    struct code_blocks blocks;
    struct code_block one;

    blocks_read_adk(text, blocks_adk_pairs, BLOCKS_ADK_PAIRS, &blocks);
    for (size_t i = 0; i < blocks.n; i++) {
        const struct code_block *b = &blocks.at[i];
        (void)buf_addf(out, "1 %zu %zu %.*s ", b->start, b->end, (int)b->language.n, b->language.p);
        (void)buf_add_str(out, b->code);
        (void)buf_addc(out, '\0');
    }
    blocks_done(&blocks);
    if (blocks_first_adk(text, blocks_adk_pairs, BLOCKS_ADK_PAIRS, &one))
        put(out, 2, one.code);
}

static void put_smolagents(struct buf *out, int reader, struct str text,
                           const struct block_pair *pair)
{
    struct code_blocks blocks;
    AUTO_BUF struct buf code = {0}, complaint = {0};

    buf_init(&code, 1 << 20);
    buf_init(&complaint, 1 << 20);
    blocks_read_smolagents(text, pair, &blocks, &complaint);
    (void)blocks_join(&blocks, &code);
    put(out, reader, complaint.n ? STR("!") : buf_str(&code));
    blocks_done(&blocks);
}

/* The oracle leaves out what ours reads otherwise on purpose: see codeact.c. */
static void put_codeact(struct buf *out, struct str text, struct str expected)
{
    struct codeact_reply reply;
    struct err err = {0};
    int result = codeact_read(text, &reply, &err);

    if (str_is(expected, "5 both or odd"))
        put(out, 5, STR("both or odd"));
    else if (result < 0)
        put(out, 5,
            str_find(str_from(err.msg), STR("'Thought:'")) >= 0 ? STR("no thought")
                                                                : STR("neither"));
    else
        (void)buf_addf(out, "5 %.*s|%.*s|%.*s|%d%c", (int)reply.thought.n, reply.thought.p,
                       reply.code.p ? (int)reply.code.n : 4, reply.code.p ? reply.code.p : "None",
                       reply.final_answer.p ? (int)reply.final_answer.n : 4,
                       reply.final_answer.p ? reply.final_answer.p : "None", reply.task_successful,
                       '\0');
    codeact_done(&reply);
}

/* The oracle's answers for one text: they end with that of the last reader. */
static struct str cut_answers(struct str *rest, struct str *ret_last)
{
    struct str all = {rest->p, 0}, one;

    while (str_next(rest, '\0', &one)) {
        all.n += one.n + 1;
        *ret_last = one;
        if (str_starts(one, "5 "))
            break;
    }
    return all;
}

static void show(const char *what, struct str s)
{
    printf("# %s: ", what);
    for (size_t i = 0; i < s.n; i++)
        printf(s.p[i] >= ' ' && s.p[i] <= '~' ? "%c" : "\\x%02x", (unsigned char)s.p[i]);
    putchar('\n');
}

static void compare(struct str texts, struct str answers)
{
    struct str text, last = {"", 0};
    int wrong = 0, n = 0;

    for (; n < TEXTS && str_next(&texts, '\0', &text); n++) {
        AUTO_BUF struct buf got = {0};
        buf_init(&got, 1 << 20);
        struct str want = cut_answers(&answers, &last);
        put_chapter(&got, text);
        put_adk(&got, text);
        put_smolagents(&got, 3, text, NULL);
        put_smolagents(&got, 4, text, &blocks_markdown_pair);
        put_codeact(&got, text, last);
        if (str_eq(buf_str(&got), want) || ++wrong > 5)
            continue;
        show("text", text);
        show("got ", buf_str(&got));
        show("want", want);
    }
    OK(n == TEXTS && wrong == 0, "%d texts, %d read otherwise than by the expressions", n, wrong);
}

int main(void)
{
    AUTO_BUF struct buf texts = {0}, answers = {0};

    buf_init(&texts, 16 << 20);
    buf_init(&answers, 64 << 20);
    make_texts(&texts);
    if (oracle_ask(script, buf_str(&texts), &answers))
        compare(buf_str(&texts), buf_str(&answers));
    else
        SKIP("no python3");
    return tap_done();
}
