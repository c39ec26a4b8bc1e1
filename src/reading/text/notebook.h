/* SPDX-License-Identifier: Apache-2.0
 *
 * Jupyter notebooks, nbformat 3 and 4: reads their code cells, and stores a run's outputs in them.
 * Members that are not outputs or execution counts stay as they are.
 *
 * A notebook may come from anyone, and its outputs from a guest.
 */
#ifndef TEXT_NOTEBOOK_H
#define TEXT_NOTEBOOK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    NOTEBOOK_MAX = 64 << 20, /* bytes */
    NOTEBOOK_VALUES_MAX = 2000000,
    NOTEBOOK_CELLS_MAX = 5000,
};

/* A code cell that has code. */
struct notebook_cell {
    json_t *cell; /* borrowed */
    size_t index; /* its index among all cells, from 0 */
    char *code;
    bool may_fail; /* it has the tag "raises-exception" */
};

struct notebook {
    json_t *document;
    int format;        /* 3 or 4 */
    char language[40]; /* of its kernel, in lower case: "python", "r" */
    struct notebook_cell *cells;
    size_t n;
};

/* ERR_USAGE if the text is not a notebook, or is too large. Call notebook_done in every case. */
int notebook_read(struct str text, struct notebook *ret, struct err *err);
void notebook_done(struct notebook *nb);
/* True if the file's name is a notebook's. */
bool notebook_is_name(const char *file);

/* ---- outputs ---- */

/* Removes the outputs and counts of all code cells. */
void notebook_clear(struct notebook *nb);
void notebook_set_count(const struct notebook *nb, const struct notebook_cell *cell,
                        unsigned number);
/* Adds text of stream 1 or 2; continues the last output if that is of the same stream. Invalid
 * UTF-8 is replaced. */
void notebook_add_stream(const struct notebook *nb, const struct notebook_cell *cell, int stream,
                         struct str text);
/* Adds a bundle (backends/cell_wire.h): a value or a display. */
void notebook_add_bundle(const struct notebook *nb, const struct notebook_cell *cell,
                         const json_t *bundle, unsigned number);
/* Adds an error, with its traceback as lines. If standard error ends with the same traceback, it is
 * removed there. */
void notebook_add_error(const struct notebook *nb, const struct notebook_cell *cell,
                        const char *type, const char *message, const char *traceback);
/* The notebook as a string in Jupyter's layout; the caller frees. */
char *notebook_text(const struct notebook *nb);

#endif
