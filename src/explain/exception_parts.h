/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the readers of exception.c's table share: each reader fills in a struct
 * reading, with views of the text that it was given.
 */
#ifndef EXPLAIN_EXCEPTION_PARTS_H
#define EXPLAIN_EXCEPTION_PARTS_H

#include <stdint.h>

#include "explain/exception.h"

struct reading_frame {
    struct str file; /* below the work folder */
    struct str function;
    int64_t line;
};

/* The outermost and the innermost of the user's own frames. */
enum { READING_FRAMES = 6 };

struct reading_error {
    struct str type, message;
    struct reading_frame frames[READING_FRAMES]; /* outermost first */
    size_t frame_count;
    int64_t column, top_column;      /* in the innermost and the outermost frame; 0 unknown */
    struct str shown;                /* the line of the innermost frame as the trace shows it */
    struct str marks;                /* the line below it, with its carets */
    struct str top_shown, top_marks; /* the same of the outermost frame */
};

struct reading {
    const struct exception_input *in;
    struct str traceback;
    struct reading_error error, cause; /* a cause without a type: there is no cause */
    bool cause_inside;
};

/* False when there is no error. *ret is zeroed but for `in`. */
typedef bool exception_reader(struct reading *ret);
exception_reader exception_read_python, exception_read_node, exception_read_r, exception_read_shell;

/* "ValueError", "json.decoder.JSONDecodeError": dotted identifiers. */
bool reading_is_name(struct str s);
/* The number at the beginning of s; 0 for no digits or too many. */
int64_t reading_number(struct str s);
/* Adds a frame inside the earlier ones; when there are too many, frames are dropped from the
 * middle. */
void reading_push(struct reading_error *e, struct reading_frame frame);
/* The n-th line of the program's text; false if it does not exist. */
bool reading_program_line(const struct exception_input *in, int64_t n, struct str *ret);
/* The number of the only line that contains the text; 0 for none or several. */
int64_t reading_line_with(const struct exception_input *in, struct str text);

#endif
