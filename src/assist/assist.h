/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands that ask a model, or that an agent's own tools are made of.
 */
#ifndef ASSIST_ASSIST_H
#define ASSIST_ASSIST_H

#include "console/command.h"
#include "help/help.h"

extern const struct command command_math;
extern const struct command command_generate;
extern const struct command command_solve;
extern const struct command command_review;
extern const struct command command_usage;
extern const struct command command_tool_schema;
extern const struct command command_tool_call;
extern const struct command command_analyze;
extern const struct command command_fix;
extern const struct command command_transform;

#endif
