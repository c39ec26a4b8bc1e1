/* SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_CHECK_OPTIONS_H
#define CLI_CHECK_OPTIONS_H

#include "options/opt.h"

/* Options that only this command has, over struct cli_settings. */
extern const struct opt check_what_options[], check_show_options[], check_other_options[];

#endif
