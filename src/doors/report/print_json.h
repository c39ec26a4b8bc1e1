/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON on standard output, with a line end.
 */
#ifndef REPORT_PRINT_JSON_H
#define REPORT_PRINT_JSON_H

#include <jansson.h>

/* Prints the value indented, and frees it. Returns 0, an exit status. */
int print_json(json_t *value);
/* Prints a result: indented on a terminal, otherwise on one line. */
void print_document(const json_t *document);

#endif
