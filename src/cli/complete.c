/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/help.h"

/* The text before and after the part made from the tables. Bash splits words at '=', so that
 * --net=none arrives as three. */
static const char head[] =
    "# bash completion for glovebox: source <(glovebox help --completion)\n"
    "_glovebox_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
    "_glovebox_files() {\n"
    "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n"
    "_glovebox() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word\n"
    "    COMPREPLY=()\n"
    "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
    "        if [[ $word == -- ]]; then _glovebox_files -f; return; fi\n"
    "    done\n"
    "    if [[ $cur == = ]]; then cur=''\n"
    "    elif [[ $prev == = && COMP_CWORD -gt 2 ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n";
static const char tail[] = "}\n"
                           "complete -F _glovebox glovebox\n";

static bool names_file(const char *value)
{
    return strstr(value, "FILE") || strstr(value, "SRC");
}

static void print_choices(FILE *out, const struct opt *row)
{
    fputs("_glovebox_words '", out);
    for (size_t i = 0; row->choices[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", row->choices[i]);
    fputs("'; ", out);
}

/* One arm of `case $prev`: the words that may follow an option with a value. */
static void print_value(FILE *out, const struct opt *row)
{
    const char *value = help_value_name(row);

    fprintf(out, "            --%s", row->name);
    if (row->letter)
        fprintf(out, "|-%c", row->letter);
    fputs(") ", out);
    if (row->kind == OPT_CHOICE)
        print_choices(out, row);
    else if (names_file(value))
        fputs("_glovebox_files -f; ", out);
    else if (strstr(value, "DIR"))
        fputs("_glovebox_files -d; ", out);
    fputs("return;;\n", out);
}

static void print_command(FILE *out, const struct command *command)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    fprintf(out, "        %s) case $prev in\n", command->name);
    while ((row = opt_next(command->tables, &walk)))
        if (opt_takes_value(row) && command_shows(command, row))
            print_value(out, row);
    fputs("            esac\n            if [[ $cur == -* ]]; then _glovebox_words '", out);
    walk = (struct opt_walk){0};
    while ((row = opt_next(command->tables, &walk)))
        if (command_shows(command, row))
            fprintf(out, "--%s ", row->name);
    fputs("'; return; fi;;\n", out);
}

static void print_names(FILE *out, bool topics)
{
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "%s ", commands[i]->name);
    for (size_t i = 0; topics && help_topics[i].name; i++)
        fprintf(out, "%s ", help_topics[i].name);
}

void complete_print(FILE *out)
{
    fputs(head, out);
    fputs("    if ((COMP_CWORD == 1)); then _glovebox_words '", out);
    print_names(out, false);
    fputs("--help --version'; return; fi\n", out);
    fputs("    if [[ ${COMP_WORDS[1]} == help && $cur != -* ]]; then _glovebox_words '", out);
    print_names(out, true);
    fputs("'; return; fi\n    case ${COMP_WORDS[1]} in\n", out);
    for (size_t i = 0; commands[i]; i++)
        print_command(out, commands[i]);
    fputs("    esac\n    _glovebox_files -f\n", out);
    fputs(tail, out);
}
