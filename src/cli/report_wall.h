/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_REPORT_WALL_H
#define CLI_REPORT_WALL_H

#include "cli/report.h"

/* From a document's `missing`: which layers of the wall a run had to do without. On a host: after
 * each run, with the reason. In a container, where it is the same for every run: once a day, with
 * what would bring them, and never beside a document that has it in 'missing'. */
void report_wall(const struct report *how, const json_t *missing);

#endif
