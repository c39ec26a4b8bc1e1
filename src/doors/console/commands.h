/* SPDX-License-Identifier: Apache-2.0
 *
 * All commands; each is defined by its file, cmd_NAME.c.
 */
#ifndef CONSOLE_COMMANDS_H
#define CONSOLE_COMMANDS_H

#include "console/command.h"
#include "console/help.h"

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
extern const struct command command_env;
extern const struct command command_log;
extern const struct command command_help;

/* Commands that ask a model, or that are made for an agent's own tools. */
#define TASK(id, name, ...) extern const struct command command_##name;
#include "request/verbs.def"
extern const struct command command_review;
extern const struct command command_usage;
extern const struct command command_tool_schema;
extern const struct command command_tool_call;

#endif
