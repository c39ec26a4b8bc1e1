/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "console/commands.h"
#include "console/options.h"
#include "console/reply_input.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "report/print_json.h"
#include "text/format.h"
#include "text/parts.h"

struct format_settings {
    int profile;
    char *problem, *solution;
    uint64_t limit;
    bool extract, parts, json, strict_stderr;
    struct opt_help help;
};

#define AT(member) offsetof(struct format_settings, member)

static const struct opt how_options[] = {
    {.name = "profile",
     .kind = OPT_CHOICE,
     .offset = AT(profile),
     .group = "How to write",
     .choices = format_profile_names,
     .help = "write the format of this system"},
    {.name = "limit",
     .kind = OPT_SIZE,
     .offset = AT(limit),
     .arg = "SIZE",
     .group = "How to write",
     .initial = "32k",
     .help = "markdown: maximum length of the text; 0 for no limit"},
    {.name = "problem",
     .kind = OPT_STRING,
     .offset = AT(problem),
     .arg = "TEXT",
     .group = "How to write",
     .help = "chapter: show the problem, the program (--solution) and its result"},
    {.name = "solution",
     .kind = OPT_STRING,
     .offset = AT(solution),
     .arg = "FILE",
     .group = "How to write",
     .help = "the program for --problem"},
    {.name = "strict-stderr",
     .kind = OPT_FLAG,
     .offset = AT(strict_stderr),
     .group = "How to write",
     .help = "agentos: a program that wrote to standard error failed, unless its tests passed"},
    {.name = "extract",
     .kind = OPT_FLAG,
     .offset = AT(extract),
     .group = "The other way",
     .excludes = "parts,problem",
     .help = "the input is text made by the markdown or adk profile; print the outputs in it"},
    {.name = "parts",
     .kind = OPT_FLAG,
     .offset = AT(parts),
     .group = "The other way",
     .excludes = "extract,problem",
     .help = "the input is a message with parts as JSON (Gemini, ADK); print its code or result "
             "as text"},
    {0},
};

static const struct opt general[] = {
    JSON_ROW(AT(json), "print JSON: the text, and whether the run failed; for adk a result part"),
    OPT_HELP_ROWS(AT(help)),
    {0},
};

static const struct opt *const tables[] = {how_options, general, NULL};

struct call {
    const struct format_settings *set;
    struct buf input, output;
};

static int cmd_format_put_text(struct str text)
{
    fwrite(text.p, 1, text.n, stdout);
    if (!str_ends(text, "\n"))
        putchar('\n');
    return 0;
}

static json_t *cmd_format_load(const struct call *call, struct err *err)
{
    json_error_t where;
    json_t *document = json_loadb(call->input.p, call->input.n, JSON_ALLOW_NUL, &where);

    if (!document)
        err_set(err, ERR_USAGE, "line %d: %s", where.line, where.text);
    return document;
}

/* ---- results ---- */

static json_t *as_json(const struct call *call, const json_t *run, struct str text)
{
    json_t *object = json_object();

    if (call->set->profile == FORMAT_ADK) {
        json_decref(object);
        return parts_result(!format_success(run), text);
    }
    if (call->set->profile == FORMAT_AGENTOS) {
        json_decref(object);
        return format_agentos_json(run, call->set->strict_stderr);
    }
    if (call->set->profile == FORMAT_CHAPTER && json_get_int(run, "total")) {
        json_decref(object);
        return format_chapter_tests(run);
    }
    if (call->set->profile == FORMAT_CHAPTER) {
        json_object_set_new(object, "success", json_boolean(format_success(run)));
        encoded_set_text(object, "output", text);
        json_object_set_new(object, "exit_code", json_integer(json_get_int(run, "exit_code")));
        json_object_set_new(object, "truncated", json_boolean(format_chapter_cuts(text)));
        return object;
    }
    encoded_set_text(object, "text", text);
    json_object_set_new(object, "is_error", json_boolean(!format_success(run)));
    return object;
}

static int add_solution(struct call *call, const json_t *run, struct err *err)
{
    AUTO_BUF struct buf code = {0};

    buf_init(&code, REPLY_INPUT_MAX);
    if (!call->set->solution || call->set->profile != FORMAT_CHAPTER)
        return err_set(err, ERR_USAGE, "--problem needs --profile chapter and --solution FILE");
    if (fd_read_file(call->set->solution, &code, err) < 0) {
        err->kind = ERR_USAGE;
        return -1;
    }
    format_solution(run, str_from(call->set->problem), buf_str(&code), &call->output);
    return 0;
}

static int add_result(struct call *call, const json_t *run, struct err *err)
{
    const struct format_settings *set = call->set;

    if (set->strict_stderr && set->profile != FORMAT_AGENTOS)
        return err_set(err, ERR_USAGE, "--strict-stderr requires --profile agentos");
    if (set->problem || set->solution)
        return add_solution(call, run, err);
    if (set->json && set->profile == FORMAT_ADK)
        format_adk_part(run, &call->output);
    else if (set->profile == FORMAT_MARKDOWN)
        (void)format_for_model(run, set->limit ? set->limit : SIZE_MAX, &call->output);
    else
        (void)format_result(run, (enum format_profile)set->profile, &call->output);
    return 0;
}

static int print_result(struct call *call, struct err *err)
{
    json_t *run = cmd_format_load(call, err);
    int status = -1;

    if (run && format_check(run, err) == 0 && add_result(call, run, err) == 0) {
        if (call->output.overflow)
            err_set(err, ERR_LIMIT, "the text is larger than %zu MiB", call->output.limit >> 20);
        else if (call->set->json || call->set->profile == FORMAT_AGENTOS)
            status = print_json(as_json(call, run, buf_str(&call->output)));
        else
            status = cmd_format_put_text(buf_str(&call->output));
    }
    json_decref(run);
    return status;
}

/* ---- from text to outputs ---- */

static void add_output(void *ctx, struct str output)
{
    json_array_append_new(ctx, json_text(output));
}

static void put_output(void *ctx, struct str output)
{
    *(size_t *)ctx += 1;
    fwrite(output.p, 1, output.n, stdout);
}

static int print_outputs(const struct call *call, struct err *err)
{
    enum format_profile profile = (enum format_profile)call->set->profile;
    size_t n = 0;

    if (profile != FORMAT_MARKDOWN && profile != FORMAT_ADK)
        return err_set(err, ERR_USAGE, "--extract requires --profile markdown or adk");
    if (call->set->json) {
        json_t *list = json_array();
        format_extract(buf_str(&call->input), profile, add_output, list);
        return print_json(list);
    }
    format_extract(buf_str(&call->input), profile, put_output, &n);
    if (!n)
        fputs("glovebox format: there is no output in the text\n", stderr);
    return n ? 0 : 1;
}

static int print_message(const struct call *call, struct err *err)
{
    json_t *content = cmd_format_load(call, err);

    if (!content)
        return -1;
    if (!json_is_array(json_object_get(content, "parts"))) {
        json_decref(content);
        return err_set(err, ERR_USAGE, "the message has no list of parts");
    }
    parts_to_text(content, &blocks_adk_pairs[0], &format_adk_pair);
    return print_json(content);
}

/* ---- the command ---- */

static int run(struct call *call, const struct opt_args *args, struct err *err)
{
    if (reply_input_read(args, "a result", &call->input, err) < 0)
        return -1;
    if (call->set->extract)
        return print_outputs(call, err);
    return call->set->parts ? print_message(call, err) : print_result(call, err);
}

static int format_main(int argc, char **argv)
{
    struct format_settings settings = {0};
    struct call call = {.set = &settings};
    struct opt_set set;
    struct opt_args args = {0};
    struct err err;

    opt_init(&set, tables, &settings);
    buf_init(&call.input, REPLY_INPUT_MAX);
    buf_init(&call.output, 4 * REPLY_INPUT_MAX);
    int status = cli_parse(&set, argc, argv, &args, &err);
    if (status == 0 && opt_help_asked(&settings.help))
        help_print_command(stdout, &command_format, &settings.help);
    else if (status == 0)
        status = run(&call, &args, &err);
    if (status < 0)
        status = cli_fail("format", &err);
    buf_done(&call.input);
    buf_done(&call.output);
    opt_args_done(&args);
    opt_done(&set);
    return status;
}

const struct command command_format = {
    .name = "format",
    .summary = "turn a result into text for the model",
    .usage = "glovebox format [OPTION]... [RESULT.json | -]\n"
             "glovebox format --extract [--profile markdown|adk] [FILE | -]\n"
             "glovebox format --parts [MESSAGE.json | -]",
    .tables = tables,
    .files = true,
    .run = format_main,
};
