/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON on standard output, with the end of its line.
 */
#ifndef CONSOLE_PRINT_JSON_H
#define CONSOLE_PRINT_JSON_H

#include <jansson.h>

/* Indented. Frees the value. Returns 0, an exit status. */
int print_json(json_t *value);
/* A result: indented on a terminal, on one line for a program. */
void print_document(const json_t *document);

#endif
