/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONSOLE_REPORT_WALL_H
#define CONSOLE_REPORT_WALL_H

#include "console/report.h"

/* Prints the document's `missing`: the layers of the wall that a run did not have. On a host, or
 * with a backend that runs programs elsewhere: after each run, with the reason. In a container,
 * where they are the same for every run: once a day, with the remedy, and never beside a document
 * that has them in 'missing'. */
void report_wall(const struct report *how, const json_t *doc);

#endif
