/* SPDX-License-Identifier: Apache-2.0 */
#include "console/command.h"

#include <stdio.h>
#include <string.h>

#include "request/setting.h"

enum { TABLES_MAX = 24 };

const struct command *const *commands;

static size_t add_tables(const struct opt **to, size_t n, const struct opt *const *tables)
{
    for (; tables && *tables && n + 1 < TABLES_MAX; tables++)
        to[n++] = *tables;
    return n;
}

const struct opt *const *command_reads(const struct command *command)
{
    static const struct opt *all[TABLES_MAX];
    size_t n = 0;

    if (command->verbs)
        all[n++] = verb_options(command->verbs);
    n = add_tables(all, n, command->tables);
    all[add_tables(all, n, command->reads)] = NULL;
    return all;
}

const struct opt *const *command_tables(const struct command *command)
{
    static const struct opt *made[64][TABLES_MAX];
    size_t at = 0, n = 0;

    while (commands[at] != command)
        at++;
    if (!made[at][0]) {
        if (command->verbs)
            made[at][n++] = verb_options(command->verbs);
        (void)add_tables(made[at], n, command->tables);
    }
    return made[at];
}

bool command_lists(const char *names, const struct opt *row)
{
    char name[80];

    snprintf(name, sizeof name, ",%.70s,", row->name);
    return strstr(names, name);
}

bool command_verb_takes(unsigned verbs, const struct opt *row)
{
    return !setting_find(row->name) ||
           opt_find((const struct opt *const[]){verb_options(verbs), NULL}, str_from(row->name));
}

bool command_was_given(const struct opt_set *set, const char *option)
{
    return opt_source_of(set, option)->from == OPT_FROM_COMMAND;
}

int command_refuse_others(const struct opt_set *set, command_takes takes, const void *ctx,
                          const char *command, struct err *err)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(set->tables, &walk)))
        if (command_was_given(set, row->name) && !takes(ctx, row))
            return err_set(err, ERR_USAGE, "--%s does not apply to 'glovebox %s'", row->name,
                           command);
    return 0;
}
