/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_REPORT_WALL_H
#define REPORT_REPORT_WALL_H

#include "report/report.h"

/* Prints the document's `missing`: the layers of the wall that a run did not have. On a host, or
 * with a backend that runs programs elsewhere, after each run and with the reason. In a container,
 * where each run lacks the same layers: once a day, with the remedy, and never if the printed
 * document has 'missing'. */
void report_wall(const struct report *how, const json_t *doc);

#endif
