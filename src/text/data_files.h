/* SPDX-License-Identifier: Apache-2.0
 *
 * Data for a program: tables that are looked at before the model writes it, as google/adk's code
 * executors do it with optimize_data_file, and JSON as variables.
 */
#ifndef TEXT_DATA_FILES_H
#define TEXT_DATA_FILES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Only text/csv is looked at. */
bool data_is_table(struct str name);

/* The variable for a file: "2023 sales.csv" is _2023_sales. */
void data_variable(struct str name, struct buf *ret);

struct data_table {
    struct str name;
    bool is_new; /* not explored before: a report is wanted */
};
/* The same for many files, ahead of another program. The variables go into the dict `program`,
 * which has that program's names. Of a file that cannot be read, only that is printed. */
int data_explore_all(const struct data_table *tables, size_t n, struct buf *ret);

/* ---- JSON as variables ---- */

struct data_binding {
    struct str name; /* an identifier */
    struct str file; /* beside the program */
    bool typed;      /* there are objects with "$type" in it */
};
/* Ahead of another program, as above, where typed JSON becomes the values that it stands for; for
 * Node a file that it loads first, and plain JSON. */
int data_bind_python(const struct data_binding *bindings, size_t n, struct buf *ret);
/* A program's first lines, by which `data` is what the JSON file holds. */
void data_load_python(struct str file, struct buf *ret);
int data_bind_node(const struct data_binding *bindings, size_t n, struct buf *ret);

#endif
