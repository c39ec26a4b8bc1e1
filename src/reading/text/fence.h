/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads one line of Markdown, as far as code blocks need it: the marks before its content, and
 * whether the content is a fence.
 */
#ifndef TEXT_FENCE_H
#define TEXT_FENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct line {
    size_t start, end, next; /* end: before the line end; next: after it */
    bool crlf;
};

/* Reads the line at `at`; false at the end of the text. */
bool line_read(struct str text, size_t at, struct line *ret);

/* The quote marks, indentation and list markers before the content. */
struct line_lead {
    size_t at;       /* the offset of the content */
    unsigned quotes; /* how many '>' */
    size_t indent;   /* columns between the last mark and the content */
};

void line_lead(struct str text, const struct line *line, struct line_lead *ret);
/* As line_lead, for exactly `quotes` quote marks, and white space; false if there are fewer. */
bool line_lead_in(struct str text, const struct line *line, unsigned quotes, struct line_lead *ret);
/* The line inside `quotes` quote marks, without its first `columns` columns of white space. If a
 * tab reaches beyond these, *ret_spaces is the number of columns left of it. */
struct str line_undent(struct str text, const struct line *line, unsigned quotes, size_t columns,
                       size_t *ret_spaces);

enum { FENCE_MIN = 3 };

struct fence {
    char mark;       /* '`' or '~' */
    size_t n;        /* the number of marks */
    struct str info; /* the text after the marks, trimmed */
};

/* True if `rest`, the content up to the line's end, opens a block. */
bool fence_opens(struct str rest, struct fence *ret);
/* True if `rest` closes the block that `open` opened. */
bool fence_closes(struct str rest, const struct fence *open);
/* True for a whole block on one line, ```print(1)```, with nothing after it. */
bool fence_on_line(struct str rest, struct fence *ret, struct str *ret_code);
/* The offset of a ```python at the end of a line of prose, or -1. */
long fence_at_end(struct str rest);

/* Tracks Python's long strings, line by line. long_string_line returns true if the line ends in a
 * comment. */
struct long_string {
    char quote;   /* of the open string; 0 if none is open */
    bool lasting; /* it has three quotes, so it continues on the next line */
};
bool long_string_line(struct long_string *s, struct str line);

#endif
