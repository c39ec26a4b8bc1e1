/* SPDX-License-Identifier: Apache-2.0
 *
 * Data that comes with a message: taken out of it into files, and looked at by a program before the
 * model writes one, as google/adk's code executors do it with optimize_data_file.
 */
#ifndef TEXT_DATA_FILES_H
#define TEXT_DATA_FILES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Only text/csv is looked at. */
bool data_is_table(struct str name);

/* CSV inside the user's messages becomes files: the part j of content i becomes the text
 * "\nAvailable file: `data_{i+1}_{j+1}.csv`\n". Other contents and parts stay. Returns the files as
 * encoded_file has them, a new list; NULL with ERR_USAGE, and the contents as they were, when some
 * data is no base64. */
json_t *data_take_inline(json_t *contents, struct err *err);

/* The variable for a file: "2023 sales.csv" is _2023_sales. */
void data_variable(struct str name, struct buf *ret);
/* A Python string literal, for bytes that are UTF-8. */
int data_quote(struct str text, struct buf *ret);

/* The program that looks at one file: our helper, `var = read_csv('name')`, `explore_df(var)`. */
int data_explore_code(struct str name, struct buf *ret);
/* "Processing input file: `name`", which is said before. */
int data_explore_notice(struct str name, struct buf *ret);

struct data_table {
    struct str name;
    bool is_new; /* not explored before: a report is wanted */
};
/* The same for many files, ahead of another program whose names are the dict `program`: there the
 * variables go. A file that cannot be read is told, and nothing else. */
int data_explore_all(const struct data_table *tables, size_t n, struct buf *ret);

/* ---- JSON as variables ---- */

struct data_binding {
    struct str name; /* an identifier */
    struct str file; /* beside the program */
};
/* Ahead of another program, as above; for Node a file that it loads first. */
int data_bind_python(const struct data_binding *bindings, size_t n, struct buf *ret);
int data_bind_node(const struct data_binding *bindings, size_t n, struct buf *ret);

#endif
