/* SPDX-License-Identifier: Apache-2.0 */
#include "text/reply.h"

#include <stdlib.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "text/codeact.h"
#include "text/final_answer.h"

/* In the order of enum reply_profile. */
static const char *const profiles[] = {
    "default", "chapter", "adk", "smolagents", "smolagents-json", "kodeagent", NULL,
};

#define AT(member) offsetof(struct reply_options, member)

const struct opt reply_which_options[] = {
    {.name = "lang",
     .letter = 'l',
     .kind = OPT_LIST,
     .offset = AT(languages),
     .arg = "NAME,...",
     .group = "Which blocks",
     .help = "only blocks in these languages"},
    {.name = "first",
     .kind = OPT_FLAG,
     .offset = AT(first),
     .group = "Which blocks",
     .excludes = "last,all,joined",
     .help = "the first block of code"},
    {.name = "last",
     .kind = OPT_FLAG,
     .offset = AT(last),
     .group = "Which blocks",
     .excludes = "first,all,joined",
     .help = "the last block of code; this is what the default profile prints"},
    {.name = "joined",
     .kind = OPT_FLAG,
     .offset = AT(joined),
     .group = "Which blocks",
     .excludes = "first,last,all",
     .help = "all blocks of code, with an empty line between"},
    {.name = "all",
     .kind = OPT_FLAG,
     .offset = AT(all),
     .group = "Which blocks",
     .excludes = "first,last,joined",
     .help = "every block, also those that are not code, with an empty line between"},
    {0},
};

const struct opt reply_how_options[] = {
    {.name = "profile",
     .kind = OPT_CHOICE,
     .offset = AT(profile),
     .group = "How to read",
     .choices = profiles,
     .help = "read the reply as this system does"},
    {.name = "delimiters",
     .kind = OPT_LIST,
     .offset = AT(delimiters),
     .arg = "OPEN..CLOSE",
     .group = "How to read",
     .help = "read the text between these two as code; may be repeated; \\n is a line end"},
    {.name = "fix-final-answer",
     .kind = OPT_FLAG,
     .offset = AT(fix),
     .group = "How to read",
     .help = "rename a variable final_answer that hides the function of that name (smolagents)"},
    {0},
};

/* ---- options ---- */

static int read_pairs(struct reply_reader *r, struct err *err)
{
    const struct opt_list *list = &r->options->delimiters;
    bool smolagents = r->options->profile == REPLY_SMOLAGENTS;

    r->pairs = xcalloc(list->n + 1, sizeof *r->pairs);
    for (size_t i = 0; i < list->n; i++) {
        struct str item = str_from(list->items[i]);
        if (smolagents && str_is(item, "markdown"))
            r->pairs[i] = blocks_markdown_pair;
        else if (block_pair_parse(&r->arena, item, &r->pairs[i], err) < 0)
            return err_wrap(err, "--delimiters");
    }
    r->pair_n = list->n;
    return 0;
}

static void read_languages(struct reply_reader *r)
{
    const struct opt_list *list = &r->options->languages;
    struct str name;

    for (size_t i = 0; i < list->n; i++) {
        struct str rest = str_from(list->items[i]);
        while (str_next(&rest, ',', &name)) {
            name = str_trim(name);
            if (!name.n)
                continue;
            r->languages = xrealloc_array(r->languages, r->language_n + 1, sizeof *r->languages);
            r->languages[r->language_n++] = name;
        }
    }
}

/* True if the reply is one object, not text with blocks. */
static bool is_object(const struct reply_reader *r)
{
    return r->options->profile == REPLY_KODEAGENT || r->options->profile == REPLY_SMOLAGENTS_JSON;
}

int reply_open(struct reply_reader *r, const struct reply_options *options, struct err *err)
{
    *r = (struct reply_reader){.options = options};
    read_languages(r);
    if (read_pairs(r, err) < 0)
        return -1;
    if (options->profile == REPLY_SMOLAGENTS && r->pair_n > 1)
        return err_set(err, ERR_USAGE, "the smolagents profile takes one pair of --delimiters");
    if (r->pair_n && (options->profile == REPLY_CHAPTER || is_object(r)))
        return err_set(err, ERR_USAGE, "--delimiters does not apply to the %s profile",
                       profiles[options->profile]);
    return 0;
}

void reply_done(struct reply_reader *r)
{
    arena_done(&r->arena);
    free(r->pairs);
    free(r->languages);
    *r = (struct reply_reader){0};
}

/* ---- blocks ---- */

static const struct block_pair *adk_pairs(const struct reply_reader *r, size_t *ret_n)
{
    *ret_n = r->pair_n ? r->pair_n : BLOCKS_ADK_PAIRS;
    return r->pair_n ? r->pairs : blocks_adk_pairs;
}

/* Reads the blocks as the profile does. */
static void read_blocks(const struct reply_reader *r, struct str text, struct code_blocks *ret,
                        struct buf *complaint)
{
    size_t pair_n;
    const struct block_pair *pairs = adk_pairs(r, &pair_n);

    switch ((enum reply_profile)r->options->profile) {
    case REPLY_CHAPTER:
        blocks_read_chapter(text, ret);
        break;
    case REPLY_ADK:
        blocks_read_adk(text, pairs, pair_n, ret);
        break;
    case REPLY_SMOLAGENTS:
        blocks_read_smolagents(text, r->pair_n ? r->pairs : NULL, ret, complaint);
        break;
    case REPLY_DEFAULT:
    case REPLY_SMOLAGENTS_JSON:
    case REPLY_KODEAGENT:
        if (r->pair_n)
            blocks_read_pairs(text, r->pairs, r->pair_n, ret);
        else
            blocks_read(text, ret);
        break;
    }
}

static void leave_one(struct code_blocks *blocks, bool last)
{
    if (last && blocks->n)
        blocks->at[0] = blocks->at[blocks->n - 1];
    blocks->n = blocks->n ? 1 : 0;
}

/* Keeps the block that google/adk runs, which it finds by a separate search: it is not the first of
 * the list. */
static void leave_adk(const struct reply_reader *r, struct str text, struct code_blocks *blocks)
{
    size_t pair_n;
    const struct block_pair *pairs = adk_pairs(r, &pair_n);
    struct code_block found;

    blocks->n = 0;
    if (blocks_first_adk(text, pairs, pair_n, &found))
        *blocks_add(blocks, 0, 0) = found;
}

/* Chooses blocks by the options. For a list without such options, all blocks stay. */
static void reply_choose(const struct reply_reader *r, struct str text, bool list,
                         struct code_blocks *blocks)
{
    const struct reply_options *o = r->options;
    bool any = o->first || o->last || o->all || o->joined;
    bool own = o->profile == REPLY_DEFAULT, adk = o->profile == REPLY_ADK;

    if (adk && !any && !list && !r->language_n)
        leave_adk(r, text, blocks);
    if (adk)
        blocks_keep_named(blocks, r->languages, r->language_n);
    else
        blocks_keep_languages(blocks, r->languages, r->language_n);
    if (own && !o->all && !(list && !any))
        blocks_keep_code(blocks);
    if (o->first || (!any && adk && !list))
        leave_one(blocks, false);
    else if (o->last || (!any && own && !list))
        leave_one(blocks, true);
}

/* Writes smolagents' own sentence with the error: its models know it. */
static void complain_smolagents(struct buf *complaint, const char *wrong)
{
    (void)buf_addf(complaint,
                   "Error in code parsing:\n%s\nMake sure to provide correct code blobs.", wrong);
}

static void complain_none(const struct reply_reader *r, struct buf *complaint)
{
    if (complaint->n) {
        AUTO_FREE char *wrong = buf_take(complaint);
        complain_smolagents(complaint, wrong);
        return;
    }
    if (r->language_n == 1)
        (void)buf_addf(complaint, "there is no %.*s code block in the reply",
                       (int)str_slice(r->languages[0], 0, 60).n, r->languages[0].p);
    else
        (void)buf_adds(complaint, r->language_n
                                      ? "there is no code block in these languages in the reply"
                                      : "there is no code block in the reply");
}

static void read_chosen(const struct reply_reader *r, struct str text, bool list,
                        struct code_blocks *ret, struct buf *complaint)
{
    buf_clear(complaint);
    read_blocks(r, text, ret, complaint);
    reply_choose(r, text, list, ret);
    if (!ret->n)
        complain_none(r, complaint);
    else
        buf_clear(complaint);
}

static void add_code(const struct reply_reader *r, struct str code, struct buf *out)
{
    if (r->options->fix)
        (void)final_answer_fix(code, out);
    else
        (void)buf_add_str(out, code);
}

/* ---- replies that are one object ---- */

/* Appends the code between smolagents' tags if there are any, otherwise all of it. */
static void add_structured(const struct reply_reader *r, struct str code, struct buf *out)
{
    struct code_blocks blocks;
    AUTO_BUF struct buf complaint = {0}, joined = {0};

    buf_init(&complaint, code.n + 4096);
    buf_init(&joined, 8 * code.n + 64);
    blocks_read_smolagents(code, NULL, &blocks, &complaint);
    (void)blocks_join(&blocks, &joined);
    add_code(r, blocks.n ? buf_str(&joined) : code, out);
    blocks_done(&blocks);
}

/* Parses {"thought", "code"}, smolagents' structured output. NULL with a complaint if the text is
 * something else. */
static json_t *structured(struct str text, struct buf *complaint)
{
    json_t *object = codeact_object(text);
    const json_t *code = json_object_get(object, "code");

    if (json_is_string(code))
        return object;
    complain_smolagents(complaint, !object ? "the reply is not a JSON object with the keys "
                                             "\"thought\" and \"code\""
                                   : code  ? "the value of \"code\" is not a string"
                                           : "the key \"code\" is missing");
    json_decref(object);
    return NULL;
}

static bool structured_code(const struct reply_reader *r, struct str text, struct buf *out,
                            size_t *end, struct buf *complaint)
{
    json_t *object = structured(text, complaint);

    if (!object)
        return false;
    const json_t *value = json_object_get(object, "code");
    add_structured(r, (struct str){json_string_value(value), json_string_length(value)}, out);
    *end = codeact_object_end(text);
    json_decref(object);
    return true;
}

static void set_member(json_t *ret, const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    json_object_set_new(ret, key, json_is_string(value) ? json_incref(value) : json_null());
}

static json_t *structured_json(struct str text, struct buf *complaint)
{
    json_t *object = structured(text, complaint);
    json_t *ret = object ? json_object() : NULL;

    if (ret) {
        set_member(ret, object, "thought");
        set_member(ret, object, "code");
    }
    json_decref(object);
    return ret;
}

static bool object_code(const struct reply_reader *r, struct str text, struct buf *out, size_t *end,
                        struct buf *complaint)
{
    struct codeact_reply reply;
    struct err err;
    bool found = false;

    if (codeact_read(text, &reply, &err) < 0) {
        (void)buf_adds(complaint, err.msg);
    } else if (!reply.code.p) {
        (void)buf_adds(complaint, "the reply is a final answer, not code");
    } else {
        add_code(r, reply.code, out);
        *end = reply.code_end;
        found = true;
    }
    codeact_done(&reply);
    return found;
}

static void set_or_null(json_t *object, const char *key, struct str s)
{
    if (s.p)
        encoded_set_text(object, key, s);
    else
        json_object_set_new(object, key, json_null());
}

static json_t *object_json(struct str text, struct buf *complaint)
{
    struct codeact_reply reply;
    struct err err;
    json_t *object = NULL;

    if (codeact_read(text, &reply, &err) < 0) {
        (void)buf_adds(complaint, err.msg);
    } else {
        object = json_object();
        set_or_null(object, "thought", reply.thought);
        set_or_null(object, "code", reply.code);
        set_or_null(object, "final_answer", reply.final_answer);
        json_object_set_new(object, "task_successful", json_boolean(reply.task_successful));
    }
    codeact_done(&reply);
    return object;
}

/* ---- code and list ---- */

bool reply_code(const struct reply_reader *r, struct str text, struct buf *out, size_t *ret_end,
                struct buf *complaint)
{
    struct code_blocks blocks;
    AUTO_BUF struct buf joined = {0};
    size_t unwanted, *end = ret_end ? ret_end : &unwanted;

    if (r->options->profile == REPLY_SMOLAGENTS_JSON)
        return structured_code(r, text, out, end, complaint);
    if (is_object(r))
        return object_code(r, text, out, end, complaint);
    read_chosen(r, text, false, &blocks, complaint);
    bool found = blocks.n > 0;
    buf_init(&joined, 8 * text.n + 64);
    (void)blocks_join(&blocks, &joined);
    if (found) {
        add_code(r, buf_str(&joined), out);
        *end = blocks.at[blocks.n - 1].end;
    }
    blocks_done(&blocks);
    return found;
}

static void set_size(json_t *object, const char *key, size_t n)
{
    json_object_set_new(object, key, json_integer((json_int_t)n));
}

static json_t *block_json(const struct code_block *block)
{
    json_t *object = json_object();

    encoded_set_text(object, "language", block->language);
    encoded_set_text(object, "info", block->info);
    encoded_set_text(object, "code", block->code);
    set_size(object, "start", block->start);
    set_size(object, "end", block->end);
    set_size(object, "code_start", block->code_start);
    set_size(object, "code_end", block->code_end);
    json_object_set_new(object, "closed", json_boolean(block->closed));
    return object;
}

json_t *reply_json(const struct reply_reader *r, struct str text, struct buf *complaint)
{
    struct code_blocks blocks;

    if (r->options->profile == REPLY_SMOLAGENTS_JSON)
        return structured_json(text, complaint);
    if (is_object(r))
        return object_json(text, complaint);
    json_t *list = json_array();
    read_chosen(r, text, true, &blocks, complaint);
    for (size_t i = 0; i < blocks.n; i++)
        json_array_append_new(list, block_json(&blocks.at[i]));
    blocks_done(&blocks);
    return list;
}
