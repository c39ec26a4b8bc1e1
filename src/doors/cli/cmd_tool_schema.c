/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "agent/tool_call.h"
#include "console/commands.h"
#include "console/options.h"
#include "report/print_json.h"

struct schema_settings {
    int format;
    struct opt_help help;
};

#define AT(member) offsetof(struct schema_settings, member)

static const struct opt schema_options[] = {
    {.name = "format",
     .kind = OPT_CHOICE,
     .offset = AT(format),
     .group = "Output",
     .choices = tool_form_names,
     .help = "write the tool in the form of this API"},
    OPT_HELP_ROWS(AT(help)),
    {0},
};

static const struct opt *const tables[] = {schema_options, NULL};

static int print_schema(const struct schema_settings *set)
{
    json_t *schema = tool_form_schema((enum tool_form)set->format);

    print_document(schema);
    json_decref(schema);
    return 0;
}

static int schema_main(int argc, char **argv)
{
    struct schema_settings set = {0};
    struct opt_set options;
    struct opt_args args = {0};
    struct err err;
    int status = -1;

    opt_init(&options, tables, &set);
    if (opt_parse(&options, argc, argv, &args, &err) == 0) {
        status = 0;
        if (opt_help_asked(&set.help))
            help_print_command(stdout, &command_tool_schema, &set.help);
        else if (args.operand_n || args.rest_n)
            status = err_set(&err, ERR_USAGE, "takes no argument; name the API with --format");
        else
            status = print_schema(&set);
    }
    if (status < 0)
        status = cli_fail("tool-schema", &err);
    opt_args_done(&args);
    opt_done(&options);
    return status;
}

const struct command command_tool_schema = {
    .name = "tool-schema",
    .summary = "the schema of the tool execute_code, for a model's API",
    .usage = "glovebox tool-schema [--format API]",
    .tables = tables,
    .run = schema_main,
};
