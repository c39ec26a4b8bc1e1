/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "console/command.h"
#include "help/help.h"

extern const struct command command_run;
extern const struct command command_session;
extern const struct command command_repl;
extern const struct command command_check;
extern const struct command command_test;
extern const struct command command_blocks;
extern const struct command command_format;
extern const struct command command_context;
extern const struct command command_mcp;
extern const struct command command_doctor;
extern const struct command command_serve;
extern const struct command command_log;
extern const struct command command_help;

#endif
