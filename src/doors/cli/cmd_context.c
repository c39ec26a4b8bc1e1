/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox context`: shows the document of `glovebox run --context`, clears its input files, and
 * resets error counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "console/commands.h"
#include "console/options.h"
#include "console/other_words.h"
#include "formats/json_get.h"
#include "report/print_json.h"
#include "terminal/safe_text.h"
#include "text/context.h"

struct context_settings {
    char *invocation;
    bool json;
    struct opt_help help;
};

#define AT(member) offsetof(struct context_settings, member)

static const struct opt options[] = {
    {.name = "invocation",
     .kind = OPT_STRING,
     .offset = AT(invocation),
     .arg = "ID",
     .group = "What to reset",
     .help = "reset the error count of this invocation only"},
    JSON_ROW(AT(json), "print the answer as JSON"),
    OPT_HELP_ROWS(AT(help)),
    {0},
};

static const struct opt *const tables[] = {options, NULL};

struct call {
    const struct context_settings *set;
    const char *path;
};

/* ---- show ---- */

static void cmd_context_put_text(const json_t *value)
{
    AUTO_FREE char *safe = safe_text(json_str(value), false);

    fputs(*safe ? safe : "\"\"", stdout);
}

static void put_count(const char *lead, json_int_t n, const char *what)
{
    printf("%s%" PRId64 " %s%s", lead, (int64_t)n, what, n == 1 ? "" : "s");
}

static void show_input(const json_t *file)
{
    const json_t *size = json_object_get(file, "size");

    fputs("  ", stdout);
    cmd_context_put_text(json_object_get(file, "name"));
    if (json_is_integer(size))
        put_count(": ", json_integer_value(size), "byte");
    else
        fputs(": the content is not in its encoding", stdout);
    putchar('\n');
}

static void show_invocation(const json_t *row)
{
    const json_t *processed = json_object_get(row, "processed_input_files"), *name;
    size_t i;

    fputs("  ", stdout);
    cmd_context_put_text(json_object_get(row, "id"));
    put_count(": ", json_integer_value(json_object_get(row, "errors")), "error");
    put_count(", ", json_integer_value(json_object_get(row, "results")), "result");
    json_array_foreach(processed, i, name)
    {
        fputs(i ? ", " : "; explored: ", stdout);
        cmd_context_put_text(name);
    }
    putchar('\n');
}

static void show_list(const json_t *list, const char *what, void (*show)(const json_t *row))
{
    const json_t *row;
    size_t i;

    put_count("", (json_int_t)json_array_size(list), what);
    puts(json_array_size(list) ? ":" : "");
    json_array_foreach(list, i, row)
    {
        show(row);
    }
}

static void show_text(const json_t *overview)
{
    fputs("execution id: ", stdout);
    cmd_context_put_text(json_object_get(overview, "execution_id"));
    putchar('\n');
    show_list(json_object_get(overview, "input_files"), "input file", show_input);
    show_list(json_object_get(overview, "invocations"), "invocation", show_invocation);
}

static int run_show(const struct call *call, struct err *err)
{
    struct context context;

    if (context_file_read(call->path, &context, err) < 0)
        return -1;
    json_t *overview = context_overview(&context);
    context_done(&context);
    if (call->set->json)
        return print_json(overview);
    show_text(overview);
    json_decref(overview);
    return 0;
}

/* ---- clear, reset ---- */

/* Opens an existing file: no file is created for a wrong path. */
static int cmd_context_open_file(const struct call *call, struct context_file *ret, struct err *err)
{
    struct context context;

    if (context_file_read(call->path, &context, err) < 0)
        return -1;
    context_done(&context);
    return context_file_open(call->path, -1, ret, err);
}

static int cmd_context_finish(const struct call *call, struct context_file *file, const char *done,
                              const char *what, size_t n, struct err *err)
{
    int status = n ? context_file_save(file, err) : 0;

    context_file_close(file);
    if (status < 0)
        return -1;
    if (call->set->json)
        return print_json(json_pack("{s:I}", done, (json_int_t)n));
    printf("%s ", done);
    put_count("", (json_int_t)n, what);
    putchar('\n');
    return 0;
}

static int run_clear(const struct call *call, struct err *err)
{
    struct context_file file;

    if (cmd_context_open_file(call, &file, err) < 0)
        return -1;
    size_t n = context_clear_inputs(&file.context);
    return cmd_context_finish(call, &file, "cleared", "input file", n, err);
}

static int run_reset(const struct call *call, struct err *err)
{
    const char *invocation = call->set->invocation;
    struct context_file file;
    size_t n;

    if (invocation && context_check_id(invocation, "--invocation", err) < 0)
        return -1;
    if (cmd_context_open_file(call, &file, err) < 0)
        return -1;
    if (invocation) {
        n = context_error_count(&file.context, invocation) != 0;
        context_reset_errors(&file.context, invocation);
    } else {
        n = context_reset_all_errors(&file.context);
    }
    return cmd_context_finish(call, &file, "reset", "error count", n, err);
}

/* ---- which subcommand ---- */

static const struct subcommand {
    const char *name, *meaning, *takes;
    int (*run)(const struct call *call, struct err *err);
} subcommands[] = {
    {"show", "the ids, input files and counts", ",json,help,", run_show},
    {"clear", "remove the input files", ",json,help,", run_clear},
    {"reset", "set error counts to 0", ",invocation,json,help,", run_reset},
};

static bool verb(size_t i, struct command_verb *ret)
{
    if (i >= ARRAY_LEN(subcommands))
        return false;
    *ret = (struct command_verb){.name = subcommands[i].name,
                                 .meaning = subcommands[i].meaning,
                                 .takes = subcommands[i].takes,
                                 .files = true};
    return true;
}

static const struct subcommand *find_subcommand(const char *name, struct err *err)
{
    struct suggestion near = {.word = str_from(name), .best = other_verb("context", name)};

    for (size_t i = 0; i < ARRAY_LEN(subcommands); i++) {
        if (strcmp(name, subcommands[i].name) == 0)
            return &subcommands[i];
        suggestion_try(&near, subcommands[i].name);
    }
    err_set(err, ERR_USAGE, "there is no 'context %.40s'; %s%s%s", name,
            near.best ? "did you mean '" : "write show, clear or reset", near.best ? near.best : "",
            near.best ? "'?" : "");
    return NULL;
}

static int cmd_context_dispatch(const struct context_settings *set, const struct opt_args *args,
                                struct err *err)
{
    size_t n = args->operand_n + args->rest_n;

    if (!n)
        return err_set(err, ERR_USAGE, "write show, clear or reset, and the context's file");
    const char *name = args->operand_n ? args->operands[0] : args->rest[0];
    const struct subcommand *sub = find_subcommand(name, err);
    if (!sub)
        return -1;
    if (n != 2)
        return err_set(err, ERR_USAGE, "'glovebox context %s' takes one file, the context",
                       sub->name);
    if (set->invocation && !strstr(sub->takes, ",invocation,"))
        return err_set(err, ERR_USAGE, "--invocation does not apply to 'glovebox context %s'",
                       sub->name);
    struct call call = {
        .set = set, .path = args->operand_n > 1 ? args->operands[1] : args->rest[args->rest_n - 1]};
    int status = sub->run(&call, err);
    if (status >= 0 && (fflush(stdout) != 0 || ferror(stdout)))
        status = err_sys(err, "write the answer");
    return status;
}

static int context_main(int argc, char **argv)
{
    struct context_settings settings = {0};
    struct opt_set set;
    struct opt_args args = {0};
    struct err err = {0};

    opt_init(&set, tables, &settings);
    int status = cli_parse(&set, argc, argv, &args, &err);
    if (status == 0 && opt_help_asked(&settings.help))
        help_print_command(stdout, &command_context, &settings.help);
    else if (status == 0)
        status = cmd_context_dispatch(&settings, &args, &err);
    if (status < 0)
        status = cli_fail("context", &err);
    opt_args_done(&args);
    opt_done(&set);
    return status;
}

const struct command command_context = {
    .name = "context",
    .summary = "show and change what an agent remembers between runs",
    .usage = "glovebox context show FILE\n"
             "glovebox context clear FILE\n"
             "glovebox context reset [--invocation ID] FILE",
    .tables = tables,
    .verb = verb,
    .run = context_main,
};
