/* SPDX-License-Identifier: Apache-2.0
 *
 * A model's reply, or the JSON of a message or a result, through every reader. Blocks lie in the
 * text and in order, what is closed in a prefix stays so, and output goes there and back.
 */
#include <assert.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>

#include "languages/detect.h"
#include "text/blocks.h"
#include "text/codeact.h"
#include "text/final_answer.h"
#include "text/format.h"
#include "text/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const struct code_blocks *blocks, struct str text, bool ordered)
{
    AUTO_BUF struct buf joined = {0};

    for (size_t i = 0; i < blocks->n; i++) {
        const struct code_block *b = &blocks->at[i];
        assert(b->start <= b->code_start && b->code_start <= b->code_end);
        assert(b->code_end <= b->end && b->end <= text.n);
        assert(!ordered || i == 0 || blocks->at[i - 1].end <= b->start);
    }
    buf_init(&joined, 16 * text.n + 1024);
    assert(blocks_join(blocks, &joined) == 0);
}

static void read_default(struct str text)
{
    static const struct str names[] = {{"python", 6}, {"sh", 2}};
    struct code_blocks blocks;

    blocks_read(text, &blocks);
    check(&blocks, text, true);
    blocks_keep_code(&blocks);
    blocks_keep_languages(&blocks, names, 2);
    check(&blocks, text, true);
    blocks_done(&blocks);
}

/* Cut behind the line end that is next to the middle. */
static void read_prefix(struct str text)
{
    struct code_blocks whole, part;
    size_t cut = text.n / 2;

    while (cut > 0 && text.p[cut - 1] != '\n')
        cut--;
    blocks_read(text, &whole);
    blocks_read(str_slice(text, 0, cut), &part);
    for (size_t i = 0; i < part.n; i++) {
        const struct code_block *b = &part.at[i], *same = &whole.at[i];
        if (!b->closed)
            continue;
        assert(i < whole.n && same->closed && same->start == b->start && same->end == b->end);
        assert(str_eq(same->code, b->code) && str_eq(same->info, b->info));
    }
    blocks_done(&whole);
    blocks_done(&part);
}

static void read_others(struct str text)
{
    struct code_blocks blocks;
    struct code_block first;
    struct codeact_reply reply;
    struct err err;
    AUTO_BUF struct buf complaint = {0};

    blocks_read_pairs(text, blocks_adk_pairs, BLOCKS_ADK_PAIRS, &blocks);
    check(&blocks, text, true);
    blocks_done(&blocks);
    blocks_read_chapter(text, &blocks);
    assert(blocks.n == 1);
    check(&blocks, text, true);
    blocks_done(&blocks);
    blocks_read_adk(text, blocks_adk_pairs, BLOCKS_ADK_PAIRS, &blocks);
    check(&blocks, text, false);
    blocks_done(&blocks);
    if (blocks_first_adk(text, blocks_adk_pairs, BLOCKS_ADK_PAIRS, &first))
        assert(first.code.n && first.end <= text.n);
    buf_init(&complaint, text.n + 4096);
    blocks_read_smolagents(text, NULL, &blocks, &complaint);
    assert((blocks.n == 0) == (complaint.n > 0) && !complaint.overflow);
    check(&blocks, text, true);
    blocks_done(&blocks);
    if (codeact_read(text, &reply, &err) == 0)
        assert((reply.code.p != NULL) != (reply.final_answer.p != NULL) && reply.thought.p);
    codeact_done(&reply);
}

static void read_code(struct str text)
{
    AUTO_BUF struct buf fixed = {0};
    struct python_text tree = {0};

    buf_init(&fixed, 4 * text.n + 64);
    bool changed = final_answer_fix(text, &fixed);
    assert(!fixed.overflow && (changed || str_eq(buf_str(&fixed), text)));
    assert(detect_language(text, &tree)[0]);
    python_text_done(&tree);
}

static void take(void *ctx, struct str output)
{
    struct str *want = ctx;

    assert(output.n >= want->n);
    *want = (struct str){NULL, output.n};
}

static void there_and_back(struct str text)
{
    json_t *run =
        json_pack("{s:b, s:o}", "success", 1, "stdout", json_stringn_nocheck(text.p, text.n));
    AUTO_BUF struct buf shown = {0};

    for (int profile = FORMAT_MARKDOWN; profile <= FORMAT_ADK && text.n; profile++) {
        struct str want = text;
        buf_init(&shown, 16 * text.n + 4096);
        assert(format_result(run, (enum format_profile)profile, &shown) == 0);
        format_extract(buf_str(&shown), (enum format_profile)profile, take, &want);
        assert(!want.p && want.n <= text.n + 1);
        buf_done(&shown);
    }
    json_decref(run);
}

static void read_json(struct str text)
{
    json_t *document = json_loadb(text.p, text.n, JSON_ALLOW_NUL, NULL);
    struct err err;
    AUTO_BUF struct buf shown = {0};

    if (!document)
        return;
    buf_init(&shown, 1 << 20);
    if (format_check(document, &err) == 0) {
        for (int profile = 0; profile < FORMAT_COUNT; profile++)
            (void)format_result(document, (enum format_profile)profile, &shown);
        format_adk_part(document, &shown);
        format_solution(document, STR("p"), STR("c"), &shown);
    }
    json_decref(parts_extract_code(document, blocks_adk_pairs, BLOCKS_ADK_PAIRS));
    parts_to_text(document, &blocks_adk_pairs[0], &format_adk_pair);
    json_decref(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str text = {n ? (const char *)data : "", n};

    read_default(text);
    read_prefix(text);
    read_others(text);
    read_code(text);
    there_and_back(text);
    read_json(text);
    return 0;
}
