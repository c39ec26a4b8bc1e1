/* SPDX-License-Identifier: Apache-2.0
 *
 * One line of Markdown, as far as code blocks need it: what stands before its content, and whether
 * that is a fence.
 */
#ifndef TEXT_FENCE_H
#define TEXT_FENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct line {
    size_t start, end, next; /* end: without its line end; next: after it */
    bool crlf;
};

/* The line at `at`; false at the end of the text. */
bool line_read(struct str text, size_t at, struct line *ret);

/* Quote marks, indentation and list markers before the content. */
struct line_lead {
    size_t at;       /* of the content */
    unsigned quotes; /* how many '>' */
    size_t indent;   /* columns between the last of them and the content */
};

void line_lead(struct str text, const struct line *line, struct line_lead *ret);
/* Only `quotes` quote marks, and white space; false when there are fewer. */
bool line_lead_in(struct str text, const struct line *line, unsigned quotes, struct line_lead *ret);
/* The line inside `quotes` quote marks without its first `columns` columns of white space. What is
 * left of a tab that goes beyond them is *ret_spaces. */
struct str line_undent(struct str text, const struct line *line, unsigned quotes, size_t columns,
                       size_t *ret_spaces);

enum { FENCE_MIN = 3 };

struct fence {
    char mark;       /* '`' or '~' */
    size_t n;        /* how many */
    struct str info; /* what follows, trimmed */
};

/* Whether `rest`, content up to the end of a line, opens a block. */
bool fence_opens(struct str rest, struct fence *ret);
/* Whether it closes the one that `open` opened. */
bool fence_closes(struct str rest, const struct fence *open);
/* A whole block on a line: ```print(1)```, with nothing behind it. */
bool fence_on_line(struct str rest, struct fence *ret, struct str *ret_code);
/* ```python at the end of a line of prose: where it begins, or -1. */
long fence_at_end(struct str rest);

/* Keeps track of Python's long strings, line after line. True when the line ends in a comment. */
struct long_string {
    char quote;   /* of the string that is open, 0 for none */
    bool lasting; /* three quotes */
};
bool long_string_line(struct long_string *s, struct str line);

#endif
