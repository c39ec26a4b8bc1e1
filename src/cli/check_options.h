/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of `glovebox check` alone, over struct cli_settings.
 */
#ifndef CLI_CHECK_OPTIONS_H
#define CLI_CHECK_OPTIONS_H

#include "base/opt.h"

extern const struct opt check_what_options[], check_show_options[], check_other_options[];

#endif
