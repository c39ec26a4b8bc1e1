/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox check --list-rules`, `--explain` and `--list-profiles`: on standard output.
 */
#ifndef CLI_CHECK_RULES_H
#define CLI_CHECK_RULES_H

#include <stdbool.h>

#include "base/err.h"

void check_list_rules(bool json);
void check_list_profiles(bool json);
/* -1 with ERR_USAGE and the nearest name. */
int check_explain(const char *id, bool json, struct err *err);

#endif
