/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations for the readers in exception.c's table: each reader fills in a struct reading, whose
 * strings point into the text that it was given.
 */
#ifndef EXPLAIN_EXCEPTION_PARTS_H
#define EXPLAIN_EXCEPTION_PARTS_H

#include <stdint.h>

#include "explain/exception.h"

struct reading_frame {
    struct str file; /* its path in the work folder */
    struct str function;
    int64_t line;
};

/* Only the outermost and the innermost of the user's own frames are kept. */
enum { READING_FRAMES = 6 };

struct reading_error {
    struct str type, message;
    struct reading_frame frames[READING_FRAMES]; /* outermost first */
    size_t frame_count;
    int64_t column, top_column;      /* in the innermost and the outermost frame; 0 if unknown */
    struct str shown;                /* the line of the innermost frame as the traceback shows it */
    struct str marks;                /* the line below it, with its carets */
    struct str top_shown, top_marks; /* the same two for the outermost frame */
};

struct reading {
    const struct exception_input *in;
    struct str traceback;
    struct reading_error error, cause; /* a cause without a type: no cause */
    bool cause_inside;
};

/* False if there is no error. The caller has set *ret to zero, except `in`. */
typedef bool exception_reader(struct reading *ret);
exception_reader exception_read_python, exception_read_node, exception_read_r, exception_read_shell,
    exception_read_pattern;

/* True for dotted identifiers: "ValueError", "json.decoder.JSONDecodeError". */
bool reading_is_name(struct str s);
/* Returns the number at the beginning of s; 0 if there are no digits, or too many. */
int64_t reading_number(struct str s);
/* Adds a frame as the innermost one. If there are too many, frames from the middle are dropped. */
void reading_push(struct reading_error *e, struct reading_frame frame);
/* Returns in *ret the n-th line of the program's text; false if it does not exist. */
bool reading_program_line(const struct exception_input *in, int64_t n, struct str *ret);
/* Returns the number of the only line that contains the text; 0 if there is none, or several. */
int64_t reading_line_with(const struct exception_input *in, struct str text);

#endif
