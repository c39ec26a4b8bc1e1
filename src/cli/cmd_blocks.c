/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/reply_input.h"
#include "cli/safe_text.h"
#include "text/blocks.h"
#include "text/codeact.h"
#include "text/encoded.h"
#include "text/final_answer.h"
#include "text/parts.h"

enum { NO_CODE = 1 };

enum profile {
    PROFILE_DEFAULT,
    PROFILE_CHAPTER,
    PROFILE_ADK,
    PROFILE_SMOLAGENTS,
    PROFILE_SMOLAGENTS_JSON,
    PROFILE_CODEACT,
};

static const char *const profiles[] = {
    "default", "chapter", "adk", "smolagents", "smolagents-json", "kodeagent", NULL,
};

struct blocks_settings {
    struct opt_list languages, delimiters;
    int profile;
    bool first, last, all, joined, parts, fix, json, help;
};

#define AT(member) offsetof(struct blocks_settings, member)

static const struct opt which_options[] = {
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
     .help = "the first block of the code"},
    {.name = "last",
     .kind = OPT_FLAG,
     .offset = AT(last),
     .group = "Which blocks",
     .excludes = "first,all,joined",
     .help = "the last block of the code; the default profile does this unasked"},
    {.name = "joined",
     .kind = OPT_FLAG,
     .offset = AT(joined),
     .group = "Which blocks",
     .excludes = "first,last,all",
     .help = "all blocks of the code, an empty line between"},
    {.name = "all",
     .kind = OPT_FLAG,
     .offset = AT(all),
     .group = "Which blocks",
     .excludes = "first,last,joined",
     .help = "every block, also what is no code to run, an empty line between"},
    {0},
};

static const struct opt how_options[] = {
    {.name = "profile",
     .kind = OPT_CHOICE,
     .offset = AT(profile),
     .group = "How to read",
     .choices = profiles,
     .help = "read as this system does"},
    {.name = "delimiters",
     .kind = OPT_LIST,
     .offset = AT(delimiters),
     .arg = "OPEN..CLOSE",
     .group = "How to read",
     .help = "code is what stands between these; may be repeated; \\n is a line end"},
    {.name = "fix-final-answer",
     .kind = OPT_FLAG,
     .offset = AT(fix),
     .group = "How to read",
     .help = "rename a variable final_answer that hides the function of that name (smolagents)"},
    {.name = "parts",
     .kind = OPT_FLAG,
     .offset = AT(parts),
     .group = "How to read",
     .help = "the input is a message with parts as JSON (Gemini, ADK); --json prints the code and "
             "the message cut behind it"},
    {0},
};

static const struct opt general[] = {
    {.name = "json",
     .letter = 'j',
     .kind = OPT_FLAG,
     .offset = AT(json),
     .group = "Output",
     .help = "print what there is about each block as JSON"},
    {.name = "help",
     .letter = 'h',
     .kind = OPT_FLAG,
     .offset = AT(help),
     .group = "General",
     .help = "explain this command"},
    {0},
};

static const struct opt *const tables[] = {which_options, how_options, general, NULL};

struct call {
    const struct blocks_settings *set;
    struct arena arena; /* of the pairs */
    struct block_pair *pairs;
    size_t pair_n;
    struct str *languages;
    size_t language_n;
    struct buf text;
};

/* ---- settings ---- */

static int read_pairs(struct call *call, struct err *err)
{
    const struct opt_list *list = &call->set->delimiters;
    bool smolagents = call->set->profile == PROFILE_SMOLAGENTS;

    call->pairs = xcalloc(list->n + 1, sizeof *call->pairs);
    for (size_t i = 0; i < list->n; i++) {
        struct str item = str_from(list->items[i]);
        if (smolagents && str_is(item, "markdown"))
            call->pairs[i] = blocks_markdown_pair;
        else if (block_pair_parse(&call->arena, item, &call->pairs[i], err) < 0)
            return err_wrap(err, "--delimiters");
    }
    call->pair_n = list->n;
    return 0;
}

static void read_languages(struct call *call)
{
    const struct opt_list *list = &call->set->languages;
    struct str name;

    for (size_t i = 0; i < list->n; i++) {
        struct str rest = str_from(list->items[i]);
        while (str_next(&rest, ',', &name)) {
            name = str_trim(name);
            if (!name.n)
                continue;
            call->languages =
                xrealloc_array(call->languages, call->language_n + 1, sizeof *call->languages);
            call->languages[call->language_n++] = name;
        }
    }
}

/* The reply is one object, not text with blocks in it. */
static bool is_object(int profile)
{
    return profile == PROFILE_CODEACT || profile == PROFILE_SMOLAGENTS_JSON;
}

static int check(const struct call *call, struct err *err)
{
    const struct blocks_settings *set = call->set;

    if (set->profile == PROFILE_SMOLAGENTS && call->pair_n > 1)
        return err_set(err, ERR_USAGE, "the smolagents profile takes one pair of --delimiters");
    if (call->pair_n && (set->profile == PROFILE_CHAPTER || is_object(set->profile)))
        return err_set(err, ERR_USAGE, "--delimiters means nothing to the %s profile",
                       profiles[set->profile]);
    if (set->parts && set->profile != PROFILE_DEFAULT && set->profile != PROFILE_ADK)
        return err_set(err, ERR_USAGE, "--parts is read by the adk profile only");
    return 0;
}

/* ---- output ---- */

static int put_json(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2) | (isatty(STDOUT_FILENO) ? JSON_ENSURE_ASCII : 0));
    putchar('\n');
    json_decref(value);
    return 0;
}

static void put_code(const struct call *call, struct str code)
{
    AUTO_BUF struct buf fixed = {0};

    buf_init(&fixed, 4 * code.n);
    if (call->set->fix && final_answer_fix(code, &fixed))
        code = buf_str(&fixed);
    fwrite(code.p, 1, code.n, stdout);
    if (!str_ends(code, "\n"))
        putchar('\n');
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

static int put_blocks_json(const struct code_blocks *blocks)
{
    json_t *list = json_array();

    for (size_t i = 0; i < blocks->n; i++)
        json_array_append_new(list, block_json(&blocks->at[i]));
    put_json(list);
    return blocks->n ? 0 : NO_CODE;
}

static int complain(const char *what)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 1 << 20);
    safe_text_add(&line, str_from(what), true);
    fprintf(stderr, "glovebox blocks: %s\n", line.p);
    return NO_CODE;
}

/* ---- reading ---- */

/* The profile's own list. *ret_complaint is what to say when it is empty, or NULL. */
static void read_blocks(const struct call *call, struct code_blocks *ret, char **ret_complaint)
{
    struct str text = buf_str(&call->text);
    AUTO_BUF struct buf complaint = {0};

    buf_init(&complaint, text.n + 4096);
    switch ((enum profile)call->set->profile) {
    case PROFILE_CHAPTER:
        blocks_read_chapter(text, ret);
        break;
    case PROFILE_ADK:
        blocks_read_adk(text, call->pair_n ? call->pairs : blocks_adk_pairs,
                        call->pair_n ? call->pair_n : BLOCKS_ADK_PAIRS, ret);
        break;
    case PROFILE_SMOLAGENTS:
        blocks_read_smolagents(text, call->pair_n ? call->pairs : NULL, ret, &complaint);
        break;
    case PROFILE_DEFAULT:
    case PROFILE_SMOLAGENTS_JSON:
    case PROFILE_CODEACT:
        if (call->pair_n)
            blocks_read_pairs(text, call->pairs, call->pair_n, ret);
        else
            blocks_read(text, ret);
        break;
    }
    *ret_complaint = complaint.n ? buf_take(&complaint) : NULL;
}

static void leave_one(struct code_blocks *blocks, bool last)
{
    if (last && blocks->n)
        blocks->at[0] = blocks->at[blocks->n - 1];
    blocks->n = blocks->n ? 1 : 0;
}

/* What google/adk runs: its own search, not the first of the list. */
static void leave_adk(const struct call *call, struct code_blocks *blocks)
{
    blocks->n = 0;
    struct code_block found;
    if (blocks_first_adk(buf_str(&call->text), call->pair_n ? call->pairs : blocks_adk_pairs,
                         call->pair_n ? call->pair_n : BLOCKS_ADK_PAIRS, &found))
        *blocks_add(blocks, 0, 0) = found;
}

static void choose(const struct call *call, struct code_blocks *blocks)
{
    const struct blocks_settings *set = call->set;
    bool any = set->first || set->last || set->all || set->joined;
    bool own = set->profile == PROFILE_DEFAULT;

    if (set->profile == PROFILE_ADK && !any && !set->json && !call->language_n)
        leave_adk(call, blocks);
    if (set->profile == PROFILE_ADK)
        blocks_keep_named(blocks, call->languages, call->language_n);
    else
        blocks_keep_languages(blocks, call->languages, call->language_n);
    if (own && !set->all && !(set->json && !any))
        blocks_keep_code(blocks);
    if (set->first || (!any && set->profile == PROFILE_ADK && !set->json))
        leave_one(blocks, false);
    else if (set->last || (!any && own && !set->json))
        leave_one(blocks, true);
}

static int say_none(const struct call *call, const char *complaint)
{
    if (complaint) {
        AUTO_FREE char *text = xasprintf("Error in code parsing:\n%s\nMake sure to provide correct "
                                         "code blobs.",
                                         complaint);
        return complain(text);
    }
    return complain(call->language_n ? "there is no code block in that language in the reply"
                                     : "there is no code block in the reply");
}

static int print_blocks(const struct call *call)
{
    struct code_blocks blocks;
    AUTO_FREE char *complaint = NULL;
    AUTO_BUF struct buf code = {0};
    int status = 0;

    read_blocks(call, &blocks, &complaint);
    choose(call, &blocks);
    buf_init(&code, 8 * call->text.n + 64);
    (void)blocks_join(&blocks, &code);
    if (!blocks.n)
        status = say_none(call, complaint);
    if (call->set->json)
        (void)put_blocks_json(&blocks);
    else if (blocks.n)
        put_code(call, buf_str(&code));
    blocks_done(&blocks);
    return status;
}

/* ---- the other shapes of a reply ---- */

static void set_or_null(json_t *object, const char *key, struct str s)
{
    if (s.p)
        encoded_set_text(object, key, s);
    else
        json_object_set_new(object, key, json_null());
}

/* smolagents takes the code from between its tags here too, if there are any. */
static void put_object_code(const struct call *call, struct str code)
{
    struct code_blocks blocks;
    AUTO_BUF struct buf complaint = {0}, joined = {0};

    if (call->set->profile == PROFILE_CODEACT) {
        put_code(call, code);
        return;
    }
    buf_init(&complaint, code.n + 4096);
    buf_init(&joined, 8 * code.n + 64);
    blocks_read_smolagents(code, NULL, &blocks, &complaint);
    (void)blocks_join(&blocks, &joined);
    put_code(call, blocks.n ? buf_str(&joined) : code);
    blocks_done(&blocks);
}

static int print_codeact(const struct call *call)
{
    struct codeact_reply reply;
    struct err err;
    int status = 0;

    if (codeact_read(buf_str(&call->text), &reply, &err) < 0) {
        status = complain(err.msg);
    } else if (call->set->json) {
        json_t *object = json_object();
        set_or_null(object, "thought", reply.thought);
        set_or_null(object, "code", reply.code);
        set_or_null(object, "final_answer", reply.final_answer);
        json_object_set_new(object, "task_successful", json_boolean(reply.task_successful));
        put_json(object);
    } else if (reply.code.p) {
        put_object_code(call, reply.code);
    } else {
        status = complain("the reply is a final answer, not code; --json shows it");
    }
    codeact_done(&reply);
    return status;
}

static int print_parts(const struct call *call, struct err *err)
{
    json_error_t where;
    json_t *content = json_loadb(call->text.p, call->text.n, JSON_ALLOW_NUL, &where);

    if (!json_is_array(json_object_get(content, "parts"))) {
        err_set(err, ERR_USAGE, "%s", content ? "the message has no list of parts" : where.text);
        json_decref(content);
        return -1;
    }
    json_t *code = parts_extract_code(content, call->pair_n ? call->pairs : blocks_adk_pairs,
                                      call->pair_n ? call->pair_n : BLOCKS_ADK_PAIRS);
    int status = code ? 0 : complain("there is no code in the message");
    if (call->set->json)
        put_json(json_pack("{s:O?, s:O}", "code", code, "content", content));
    else if (code)
        put_code(call, (struct str){json_string_value(code), json_string_length(code)});
    json_decref(code);
    json_decref(content);
    return status;
}

/* ---- the command ---- */

static int run(struct call *call, const struct opt_args *args, struct err *err)
{
    read_languages(call);
    if (read_pairs(call, err) < 0 || check(call, err) < 0 ||
        reply_input_read(args, "a model's reply", &call->text, err) < 0)
        return -1;
    if (call->set->parts)
        return print_parts(call, err);
    if (is_object(call->set->profile))
        return print_codeact(call);
    return print_blocks(call);
}

static int blocks_main(int argc, char **argv)
{
    struct blocks_settings settings = {0};
    struct call call = {.set = &settings};
    struct opt_set set;
    struct opt_args args = {0};
    struct err err;

    opt_init(&set, tables, &settings);
    buf_init(&call.text, REPLY_INPUT_MAX);
    int status = opt_parse(&set, argc, argv, &args, &err);
    if (status == 0 && settings.help)
        help_print_command(stdout, &command_blocks);
    else if (status == 0)
        status = run(&call, &args, &err);
    if (status < 0)
        status = cli_fail("blocks", &err);
    buf_done(&call.text);
    arena_done(&call.arena);
    mem_free_ptr(&call.pairs);
    mem_free_ptr(&call.languages);
    opt_args_done(&args);
    opt_done(&set);
    return status;
}

const struct command command_blocks = {
    .name = "blocks",
    .summary = "take the code out of a model's reply",
    .usage = "glovebox blocks [OPTION]... [FILE | -]",
    .description =
        "Reads a reply in Markdown and prints the code in it. Fences may be of any length, of "
        "backticks or tildes, indented, in lists and quotes, on one line, nested and unclosed; "
        "<code> tags count too.\n\n"
        "The code is, of all blocks: those of the section Code: where the reply has them (blocks "
        "under Thought: are then none of it), else all but those that show output; among these "
        "the ones between tags or in a programming language, else in a shell's, else without a "
        "language, else the rest. Of these the last is printed unless you say otherwise.\n\n"
        "The exit status is 0, or 1 when there is no code. --json prints, for every block, "
        "language, info, code, start, end, code_start, code_end (bytes of the input) and closed, "
        "which is false where the end of the block is not certain. Closed blocks stay what they "
        "are when more of the reply arrives.\n\n"
        "The profiles give exactly what other systems find:\n\n"
        "* chapter | the first ```python or ``` block, stripped, or the whole text\n"
        "* adk | the first code between its delimiters; with --all or --json all Markdown blocks, "
        "then those of each pair\n"
        "* smolagents | all blocks between <code> tags, else all ```python blocks, joined; else "
        "the whole text if it is Python. --delimiters markdown is its other pair\n"
        "* smolagents-json | {thought, code} as JSON, its structured output\n"
        "* kodeagent | {thought, code} or {thought, final_answer, task_successful} as JSON, or as "
        "text with Thought:, Code:, Answer: and Successful:. Both code and an answer are refused; "
        "--json prints the fields\n",
    .examples = "  glovebox blocks reply.md\n"
                "  glovebox blocks --lang python --joined reply.md | glovebox run -\n"
                "  glovebox blocks --json reply.md\n"
                "  glovebox blocks --delimiters '<run>..</run>' -",
    .tables = tables,
    .run = blocks_main,
};
