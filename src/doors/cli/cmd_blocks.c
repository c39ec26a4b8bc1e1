/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "console/commands.h"
#include "console/options.h"
#include "console/reply_input.h"
#include "report/print_json.h"
#include "terminal/safe_text.h"
#include "text/final_answer.h"
#include "text/parts.h"
#include "text/reply.h"

enum { NO_CODE = 1 };

struct blocks_settings {
    struct reply_options reply;
    bool parts, json;
    struct opt_help help;
};

#define AT(member) offsetof(struct blocks_settings, member)

static const struct opt parts_options[] = {
    {.name = "parts",
     .kind = OPT_FLAG,
     .offset = AT(parts),
     .group = "How to read",
     .help = "the input is a message with parts as JSON (Gemini, ADK); --json prints the code and "
             "the message up to it"},
    {0},
};

static const struct opt general[] = {
    JSON_ROW(AT(json), "print every block with all its fields as JSON"),
    OPT_HELP_ROWS(AT(help)),
    {0},
};

static const struct opt *const tables[] = {reply_which_options, reply_how_options, parts_options,
                                           general, NULL};

struct call {
    const struct blocks_settings *set;
    struct reply_reader reader;
    struct buf text;
};

/* ---- output ---- */

static void put_code(struct str code)
{
    fwrite(code.p, 1, code.n, stdout);
    if (!str_ends(code, "\n"))
        putchar('\n');
}

static int cmd_blocks_complain(const char *what)
{
    AUTO_FREE char *lines = safe_text(str_from(what), true);

    fprintf(stderr, "glovebox blocks: %s\n", lines);
    return NO_CODE;
}

/* ---- text ---- */

static int print_document_of(const struct call *call, struct buf *complaint)
{
    json_t *document = reply_json(&call->reader, buf_str(&call->text), complaint);

    if (document)
        print_json(document);
    return complaint->n ? cmd_blocks_complain(complaint->p) : 0;
}

static int print_code(const struct call *call, struct buf *complaint)
{
    AUTO_BUF struct buf code = {0};

    buf_init(&code, 32 * call->text.n + 64);
    if (!reply_code(&call->reader, buf_str(&call->text), &code, NULL, complaint))
        return cmd_blocks_complain(complaint->p);
    put_code(buf_str(&code));
    return 0;
}

static int print_reply(const struct call *call)
{
    AUTO_BUF struct buf complaint = {0};

    buf_init(&complaint, call->text.n + (8 << 10));
    return call->set->json ? print_document_of(call, &complaint) : print_code(call, &complaint);
}

/* ---- messages ---- */

static void put_part(const struct call *call, const json_t *code)
{
    struct str text = {json_string_value(code), json_string_length(code)};
    AUTO_BUF struct buf fixed = {0};

    buf_init(&fixed, 4 * text.n);
    if (call->set->reply.fix && final_answer_fix(text, &fixed))
        text = buf_str(&fixed);
    put_code(text);
}

static int print_parts(const struct call *call, struct err *err)
{
    const struct reply_reader *reader = &call->reader;
    json_error_t where;
    json_t *content = json_loadb(call->text.p, call->text.n, JSON_ALLOW_NUL, &where);

    if (!json_is_array(json_object_get(content, "parts"))) {
        err_set(err, ERR_USAGE, "%s", content ? "the message has no list of parts" : where.text);
        json_decref(content);
        return -1;
    }
    json_t *code = parts_extract_code(content, reader->pair_n ? reader->pairs : blocks_adk_pairs,
                                      reader->pair_n ? reader->pair_n : BLOCKS_ADK_PAIRS);
    int status = code ? 0 : cmd_blocks_complain("there is no code in the message");
    if (call->set->json)
        print_json(json_pack("{s:O?, s:O}", "code", code, "content", content));
    else if (code)
        put_part(call, code);
    json_decref(code);
    json_decref(content);
    return status;
}

/* ---- the command ---- */

static int cmd_blocks_run(struct call *call, const struct opt_args *args, struct err *err)
{
    int profile = call->set->reply.profile;

    if (reply_open(&call->reader, &call->set->reply, err) < 0)
        return -1;
    if (call->set->parts && profile != REPLY_DEFAULT && profile != REPLY_ADK)
        return err_set(err, ERR_USAGE, "--parts requires --profile adk");
    if (reply_input_read(args, "a model's reply", &call->text, err) < 0)
        return -1;
    return call->set->parts ? print_parts(call, err) : print_reply(call);
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
    int status = cli_parse(&set, argc, argv, &args, &err);
    if (status == 0 && opt_help_asked(&settings.help))
        help_print_command(stdout, &command_blocks, &settings.help);
    else if (status == 0)
        status = cmd_blocks_run(&call, &args, &err);
    if (status < 0)
        status = cli_fail("blocks", &err);
    buf_done(&call.text);
    reply_done(&call.reader);
    opt_args_done(&args);
    opt_done(&set);
    return status;
}

const struct command command_blocks = {
    .name = "blocks",
    .summary = "extract the code from a model's reply",
    .usage = "glovebox blocks [OPTION]... [FILE | -]",
    .tables = tables,
    .files = true,
    .run = blocks_main,
};
