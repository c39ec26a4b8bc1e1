/* SPDX-License-Identifier: Apache-2.0 */
#include "console/command.h"

#include <stdio.h>
#include <string.h>

#include "request/setting.h"

bool command_lists(const char *names, unsigned session, const struct opt *row)
{
    const struct setting *setting = setting_find(row->name);
    char name[80];

    snprintf(name, sizeof name, ",%.70s,", row->name);
    return strstr(names, name) || (setting && setting->session & session);
}

bool command_shows(const struct command *command, const struct opt *row)
{
    return !(row->flags & OPT_HIDDEN) &&
           (!command->takes || command_lists(command->takes, command->session, row));
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
