/* SPDX-License-Identifier: Apache-2.0
 *
 * The default reader goes from line to line. Outside a block it looks for labels and openers;
 * inside one, for the closer. In two cases a line that looks like a closer is not one:
 *
 *   - in ```markdown, a fence with a language opens an inner block, which the line closes;
 *   - in Python, a long string may show fences of its own.
 *
 * The second case can be a wrong guess: the model may have forgotten to end the string. The signs
 * are a closer and then an opener "inside" the string, or a string without an end. Then the block
 * is read again, and its first closer counts. If the end of the text was reached that way, nothing
 * after it is certain, and no further block is `closed`. Each part of the text is read again at
 * most once, so time stays linear.
 */
#include "text/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "languages/language.h"
#include "text/fence.h"

struct reader {
    struct str text;
    struct code_blocks *out;
    size_t at;
    enum block_section section;
    size_t plain;  /* for blocks that begin before this offset, strings hide no fences */
    bool unsure;   /* more text might still change the current block */
    size_t tag_at; /* the offset of the next </code>, if `tag_known` */
    bool tag_known;
};

#define OPEN_TAG  "<code>"
#define CLOSE_TAG "</code>"

struct code_block *blocks_add(struct code_blocks *blocks, size_t start, size_t end)
{
    if (blocks->n == blocks->room)
        blocks->at = mem_grow(blocks->at, &blocks->room, sizeof *blocks->at);
    struct code_block *block = &blocks->at[blocks->n++];
    *block = (struct code_block){
        .language = {"", 0}, .info = {"", 0}, .code = {"", 0}, .start = start, .end = end};
    return block;
}

void blocks_done(struct code_blocks *blocks)
{
    if (blocks->wrapper)
        blocks_done(blocks->wrapper);
    free(blocks->wrapper);
    arena_done(&blocks->arena);
    free(blocks->at);
    *blocks = (struct code_blocks){0};
}

/* ---- labels ---- */

static const struct {
    const char *name;
    enum block_section section;
} labels[] = {
    {"thought", SECTION_THOUGHT},       {"thoughts", SECTION_THOUGHT},
    {"thinking", SECTION_THOUGHT},      {"reasoning", SECTION_THOUGHT},
    {"plan", SECTION_THOUGHT},          {"code", SECTION_CODE},
    {"python code", SECTION_CODE},      {"final code", SECTION_CODE},
    {"output", SECTION_OUTPUT},         {"expected output", SECTION_OUTPUT},
    {"example output", SECTION_OUTPUT}, {"sample output", SECTION_OUTPUT},
    {"observation", SECTION_OUTPUT},    {"observations", SECTION_OUTPUT},
    {"execution logs", SECTION_OUTPUT}, {"answer", SECTION_NONE},
    {"final answer", SECTION_NONE},     {"explanation", SECTION_NONE},
    {"action", SECTION_NONE},           {"note", SECTION_NONE},
};

enum { LABEL_MAX = 24 };

static size_t skip_any(struct str s, size_t at, const char *of)
{
    while (at < s.n && s.p[at] && strchr(of, s.p[at]))
        at++;
    return at;
}

/* The length of a label (`Code:`, `**Code:**`, `### Code:`) with its marks, or 0. */
static size_t read_label(struct str content, enum block_section *ret)
{
    size_t from = skip_any(content, 0, "#*_ "), end = from;

    while (end < content.n && end - from < LABEL_MAX && content.p[end] != ':' &&
           content.p[end] != '*' && content.p[end] != '_')
        end++;
    struct str name = str_trim(str_slice(content, from, end));
    size_t colon = skip_any(content, end, "*_ ");
    if (colon >= content.n || content.p[colon] != ':')
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
        if (!str_is_nocase(name, labels[i].name))
            continue;
        *ret = labels[i].section;
        return skip_any(content, skip_any(content, colon + 1, "*_"), " \t");
    }
    return 0;
}

/* ---- a block ---- */

struct opening {
    struct fence fence;
    unsigned quotes;
    size_t indent;
    size_t start;     /* of the fence */
    struct line line; /* the line of the fence */
};

/* The state of reading inside a block. */
struct inside {
    bool markdown, python;
    unsigned depth; /* of inner blocks, in Markdown */
    struct long_string string;
    bool shown;        /* inside a string: a fence was opened and not closed */
    bool may_end;      /* `doubt` is set */
    struct line doubt; /* the first line that would be the closer if no string were open */
    size_t doubt_n;    /* the size of the code before that line */
};

enum verdict { GOES_ON, CLOSES, MISREAD };

static bool has_long_strings(struct str language)
{
    const struct language *row = language_find(NULL, language);

    return row && row->traits->long_strings;
}

static struct inside inside_of(const struct reader *r, const struct opening *open,
                               struct str language)
{
    static const char *const markdowns[] = {"markdown", "md", "mdx", "rmd", "qmd", NULL};

    return (struct inside){
        .markdown = str_one_of_nocase(language, markdowns),
        .python =
            has_long_strings(language) && open->fence.n == FENCE_MIN && open->start >= r->plain,
    };
}

/* Handles a fence inside a string, which may really be the block's closer. */
static enum verdict judge_in_string(struct inside *in, bool bare, const struct line *line,
                                    size_t code_n)
{
    if (!bare && in->shown && in->may_end)
        return MISREAD;
    if (bare && !in->may_end) {
        in->may_end = true;
        in->doubt = *line;
        in->doubt_n = code_n;
    }
    in->shown = !in->shown;
    return GOES_ON;
}

static enum verdict decide(struct inside *in, const struct opening *open, struct str content,
                           const struct line *line, size_t code_n)
{
    bool bare = fence_closes(content, &open->fence);
    struct fence inner;

    if (!bare && !(fence_opens(content, &inner) && inner.mark == open->fence.mark &&
                   inner.n >= open->fence.n))
        return GOES_ON;
    if (in->python && in->string.lasting)
        return judge_in_string(in, bare, line, code_n);
    if (!bare) {
        in->depth += in->markdown;
        return GOES_ON;
    }
    if (in->depth == 0)
        return CLOSES;
    in->depth--;
    return GOES_ON;
}

static void blocks_add_line(struct buf *code, struct str text, const struct line *line,
                            const struct opening *open, struct inside *in)
{
    size_t spaces, begin = code->n;
    struct str rest = line_undent(text, line, open->quotes, open->indent, &spaces);

    while (spaces--)
        (void)buf_addc(code, ' ');
    (void)buf_add_str(code, rest);
    /* In a text with CRLF, the CR belongs to the line end; in other texts, to the code. */
    if (line->crlf && !open->line.crlf)
        (void)buf_addc(code, '\r');
    if (in->python)
        long_string_line(&in->string, str_slice(buf_str(code), begin, code->n));
    if (!in->string.lasting)
        in->shown = in->may_end = false;
    (void)buf_addc(code, '\n');
}

static struct code_block *add_block(struct reader *r, size_t start, size_t end, bool closed)
{
    struct code_block *block = blocks_add(r->out, start, end);

    block->closed = closed && !r->unsure;
    block->section = r->section;
    if (r->section == SECTION_OUTPUT)
        r->section = SECTION_NONE;
    return block;
}

static void blocks_finish(struct reader *r, const struct opening *open, struct str code,
                          size_t code_end, size_t end, bool closed)
{
    struct code_block *block = add_block(r, open->start, end, closed);
    struct arena *arena = &r->out->arena;

    block->info = open->fence.info;
    block->language = blocks_language(arena, block->info);
    block->code = arena_str(arena, str_slice(code, 0, code.n ? code.n - 1 : 0));
    block->code_start = open->line.next;
    block->code_end = code_end < open->line.next ? open->line.next : code_end;
}

/* The end of the code whose closer is on this line. */
static size_t end_before(struct str text, const struct line *closer)
{
    size_t at = closer->start;

    if (at > 0 && text.p[at - 1] == '\n')
        at--;
    return at > 0 && text.p[at - 1] == '\r' ? at - 1 : at;
}

static void close_at(struct reader *r, const struct opening *open, struct str code,
                     const struct line *closer)
{
    blocks_finish(r, open, code, end_before(r->text, closer), closer->end, true);
    r->at = closer->next;
}

/* Handles print(1)```, where the line end before the closer is missing; Python code cannot end that
 * way. Returns how much of the line is code, or 0 if it has no closer. */
static size_t glued_closer(const struct inside *in, const struct opening *open, struct str content)
{
    struct long_string string = in->string;
    size_t end = content.n, n;

    if (!in->python || string.lasting || open->fence.mark != '`')
        return 0;
    while (end > 0 && strchr(" \t", content.p[end - 1]) && content.p[end - 1])
        end--;
    for (n = end; n > 0 && content.p[n - 1] == '`';)
        n--;
    if (end - n < open->fence.n || long_string_line(&string, str_slice(content, 0, n)))
        return 0;
    return string.quote ? 0 : n;
}

static void close_glued(struct reader *r, const struct opening *open, struct inside *in,
                        struct buf *code, const struct line *line, size_t code_end)
{
    struct line cut = {line->start, code_end, line->next, false};

    blocks_add_line(code, r->text, &cut, open, in);
    blocks_finish(r, open, buf_str(code), code_end, line->end, true);
    r->at = line->next;
}

/* Ends a block without a closer: the text or the quote ended first. */
static void end_open(struct reader *r, const struct opening *open, const struct inside *in,
                     struct str code, size_t end)
{
    if (in->may_end) {
        r->plain = SIZE_MAX;
        r->unsure = true;
        close_at(r, open, str_slice(code, 0, in->doubt_n), &in->doubt);
        return;
    }
    size_t code_end = end > open->line.next && r->text.p[end - 1] == '\n' ? end - 1 : end;
    blocks_finish(r, open, code, code_end, end, false);
    r->at = end;
}

static void blocks_read_body(struct reader *r, const struct opening *open)
{
    struct str language = blocks_language(&r->out->arena, open->fence.info);
    struct inside in = inside_of(r, open, language);
    AUTO_BUF struct buf code = {0};
    struct line line = open->line;
    struct line_lead lead;

    buf_init(&code, 4 * r->text.n + 64);
    size_t end = line.next;
    while (line_read(r->text, line.next, &line) &&
           line_lead_in(r->text, &line, open->quotes, &lead)) {
        struct str content = str_slice(r->text, lead.at, line.end);
        enum verdict verdict =
            lead.indent < open->indent + 4 ? decide(&in, open, content, &line, code.n) : GOES_ON;
        if (verdict == CLOSES) {
            close_at(r, open, buf_str(&code), &line);
            return;
        }
        if (verdict == MISREAD) {
            r->plain = line.next;
            close_at(r, open, str_slice(buf_str(&code), 0, in.doubt_n), &in.doubt);
            return;
        }
        size_t glued = glued_closer(&in, open, content);
        if (glued) {
            close_glued(r, open, &in, &code, &line, lead.at + glued);
            return;
        }
        blocks_add_line(&code, r->text, &line, open, &in);
        end = line.next;
    }
    end_open(r, open, &in, buf_str(&code), end);
}

/* ---- outside ---- */

/* Handles ```python print(1)```: if the first word is the name of a language, it is not code. */
static void add_on_line(struct reader *r, size_t start, const struct line *line, struct str code)
{
    struct code_block *block = add_block(r, start, line->end, true);
    struct str word = code;

    for (word.n = 0; word.n < code.n && code.p[word.n] != ' ';)
        word.n++;
    if (word.n < code.n && blocks_is_language(word)) {
        block->info = word;
        block->language = blocks_language(&r->out->arena, word);
        code = str_slice(code, word.n, code.n);
    }
    block->code = str_trim(code);
    block->code_start = (size_t)(block->code.p - r->text.p);
    block->code_end = block->code_start + block->code.n;
    r->at = line->next;
}

/* True if the first line of `rest` that is not empty opens a fence. */
static bool opens_fence(struct str rest)
{
    struct line line;
    struct line_lead lead;
    struct fence fence;

    for (size_t at = 0; line_read(rest, at, &line); at = line.next) {
        line_lead(rest, &line, &lead);
        if (lead.at < line.end)
            return fence_opens(str_slice(rest, lead.at, line.end), &fence);
    }
    return false;
}

/* The offset of the first </code> from `at` on, or the end of the text. The last answer is kept, so
 * that many openers do not search the same text again. */
static size_t next_tag(struct reader *r, size_t at)
{
    if (r->tag_at < at || !r->tag_known) {
        long found = str_find(str_slice(r->text, at, r->text.n), STR(CLOSE_TAG));
        r->tag_at = found < 0 ? r->text.n : at + (size_t)found;
        r->tag_known = true;
    }
    return r->tag_at;
}

static bool is_empty(struct str text, size_t from, size_t to)
{
    return str_trim(str_slice(text, from, to)).n == 0;
}

/* The text between the tags, without the line ends next to them. */
static struct str tag_body(struct str text, size_t from, size_t to, const struct line *line)
{
    if (line->next <= to && is_empty(text, from, line->end))
        from = line->next;
    struct str body = str_slice(text, from, to);
    size_t n = body.n;
    while (n > 0 && strchr(" \t", body.p[n - 1]) && body.p[n - 1])
        n--;
    if (n > 0 && body.p[n - 1] == '\n')
        body.n = n - (n > 1 && body.p[n - 2] == '\r' ? 2 : 1);
    return body;
}

/* Reads <code> at the beginning of a line, up to the next </code>. A tag whose line continues with
 * prose is prose itself; a tag around a fence is ignored, since the fence is read. */
static bool read_tag(struct reader *r, size_t start, const struct line *line)
{
    if (!str_starts(str_slice(r->text, start, line->end), OPEN_TAG))
        return false;
    size_t from = start + sizeof OPEN_TAG - 1, to = next_tag(r, from);
    bool closed = to < r->text.n;
    size_t end = closed ? to + sizeof CLOSE_TAG - 1 : to;
    if (end <= line->end ? !is_empty(r->text, end, line->end)
                         : opens_fence(str_slice(r->text, from, r->text.n)))
        return false;
    struct code_block *block = add_block(r, start, end, closed);
    block->code = tag_body(r->text, from, to, line);
    block->code_start = (size_t)(block->code.p - r->text.p);
    block->code_end = block->code_start + block->code.n;
    block->tagged = true;
    r->at = end < line->end ? line->next : end;
    return true;
}

/* Reads <code> at the end of a line of prose. */
static bool read_late_tag(struct reader *r, const struct line *line)
{
    struct str prose = str_trim(str_slice(r->text, line->start, line->end));

    return str_ends(prose, OPEN_TAG) &&
           read_tag(r, (size_t)(prose.p - r->text.p) + prose.n - (sizeof OPEN_TAG - 1), line);
}

static void open_block(struct reader *r, const struct line *line, const struct line_lead *lead,
                       size_t start, struct fence fence)
{
    struct opening open = {.fence = fence,
                           .quotes = lead->quotes,
                           .indent = lead->indent,
                           .start = start,
                           .line = *line};

    blocks_read_body(r, &open);
}

/* Enters the section that the line's label names, if any; returns the label's length. `Code: it is
 * short` is prose. */
static size_t enter_section(struct reader *r, struct str content)
{
    enum block_section section = r->section;
    size_t label = read_label(content, &section);
    bool prose = label < content.n && content.p[label] && !strchr("`~<", content.p[label]);

    if (!label || (section == SECTION_CODE && prose))
        return 0;
    r->section = section;
    r->out->code_section |= section == SECTION_CODE;
    return label;
}

static void blocks_read_line(struct reader *r, const struct line *line)
{
    struct line_lead lead;
    struct fence fence;
    struct str code;
    long late;

    line_lead(r->text, line, &lead);
    struct str content = str_slice(r->text, lead.at, line->end);
    size_t label = enter_section(r, content), start = lead.at + label;
    content = str_slice(content, label, content.n);
    if (fence_on_line(content, &fence, &code)) {
        add_on_line(r, start, line, code);
    } else if (fence_opens(content, &fence)) {
        open_block(r, line, &lead, start, fence);
    } else if (read_tag(r, start, line)) {
        return;
    } else if ((late = fence_at_end(content)) > 0 &&
               fence_opens(str_slice(content, (size_t)late, content.n), &fence)) {
        open_block(r, line, &lead, start + (size_t)late, fence);
    } else if (!read_late_tag(r, line)) {
        r->at = line->next;
    }
}

void blocks_read(struct str text, struct code_blocks *ret)
{
    struct reader r = {.text = text, .out = ret};
    struct line line;

    *ret = (struct code_blocks){0};
    while (line_read(text, r.at, &line))
        blocks_read_line(&r, &line);
}
