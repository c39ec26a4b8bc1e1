/* SPDX-License-Identifier: Apache-2.0
 *
 * Data for a program: tables that are explored before the model writes the program, as google/adk's
 * code executors do with optimize_data_file; and JSON files as variables.
 */
#ifndef TEXT_DATA_FILES_H
#define TEXT_DATA_FILES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* True if the file can be explored: only text/csv. */
bool data_is_table(struct str name);

/* Appends the name of a file's variable: "2023 sales.csv" becomes _2023_sales. */
void data_variable(struct str name, struct buf *ret);

struct data_table {
    struct str name;
    bool is_new; /* not explored yet: print a report */
};
/* Appends code that explores many files before a program runs. It sets the variables in the dict
 * `program`, which holds the program's global names. If a file cannot be read, it prints only that.
 */
int data_explore_all(const struct data_table *tables, size_t n, struct buf *ret);

/* ---- JSON as variables ---- */

struct data_binding {
    struct str name; /* an identifier */
    struct str file; /* in the program's folder */
    bool typed;      /* it has objects with "$type" */
};
/* Appends code to run before a program, which sets the variables. In Python, typed JSON becomes the
 * values that it stands for. For Node it is a file that is loaded first, with plain JSON only. */
int data_bind_python(const struct data_binding *bindings, size_t n, struct buf *ret);
/* Appends the first lines of a program: they set `data` from the JSON file. */
void data_load_python(struct str file, struct buf *ret);
int data_bind_node(const struct data_binding *bindings, size_t n, struct buf *ret);

#endif
