/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of the second reader. explain_read.c interprets the grammar, explain_words.c
 * writes messages and computes locations, explain_actions.c has the checks that the grammar cannot
 * express, explain.c decides which error is reported.
 *
 * The value of a rule is a number. 0: it has failed. VALUE_SOME: it has matched, and nothing else
 * matters. VALUE_TOKEN with the index of a token. Or the index of a form, which is the part of a
 * tree node that errors need: its kind, its first and last token, and some of its children.
 */
#ifndef PYTHON_EXPLAIN_PARTS_H
#define PYTHON_EXPLAIN_PARTS_H

#include "python/explain.h"

enum { VALUE_SOME = 1 };
#define VALUE_TOKEN ((uint32_t)1 << 31)

enum { FORM_ITEMS = N_COUNT }; /* the kind of a list of values */

struct form {
    uint8_t kind;         /* enum node_kind, or FORM_ITEMS */
    uint32_t first, last; /* tokens */
    uint32_t head, tail;  /* cells; 0: none */
};

struct cell {
    uint32_t value, next;
};

struct memo {
    uint32_t end, value, next;
    uint16_t rule;
};

struct frame;

struct reader {
    struct python_tree *tree;
    const struct tokens *tokens;
    bool field;          /* reads a field of an f-string, not a module */
    bool wrong;          /* true in the second reading, which also tries the wrong forms */
    bool failed;         /* an error has been found */
    bool lexical;        /* the lexer found it */
    bool answered;       /* a rule has ended, and `answer` is its value */
    uint32_t answer;     /* 0 if the rule has failed */
    uint32_t mark, fill; /* index of the next token; number of tokens looked at */
    size_t joined;       /* number of string tokens joined so far, with repetitions */
    uint8_t *depth;      /* depth of brackets after each token looked at */
    uint32_t *memos;     /* for each token the index of its newest memo */
    uint32_t memo_end;   /* from here on, no token has a memo */
    struct memo *memo;
    struct form *form;
    struct cell *cell;
    uint32_t memo_count, memo_room, form_count, form_room, cell_count, cell_room;
    struct frame *frames;
    size_t frame_count, frame_room;
    unsigned level; /* depth of recursion, as CPython's parser counts it */
};

/* ---- explain_form.c ---- */

void reader_init(struct reader *r, struct python_tree *tree, const struct tokens *tokens,
                 bool field);
void reader_done(struct reader *r);
/* Doubles the room for items of this size; sets an error past the tree's memory limit. */
void *reader_more(struct reader *r, void *p, uint32_t *room, size_t size);

uint32_t form_new(struct reader *r, unsigned kind, uint32_t first, uint32_t last);
void form_add(struct reader *r, uint32_t form, uint32_t child);
/* NULL if the value is not a form. */
const struct form *value_form(const struct reader *r, uint32_t value);
uint32_t value_first(const struct reader *r, uint32_t value); /* a token */
uint32_t value_last(const struct reader *r, uint32_t value);
/* The last child, or the value itself if it has no children. */
uint32_t value_last_item(const struct reader *r, uint32_t value);

/* ---- explain_read.c ---- */

/* Reads all tokens from the start; false if the program is invalid. */
bool reader_run(struct reader *r, bool wrong);

/* ---- explain_words.c ---- */

/* The location of an error as in CPython: columns in bytes, from 1; 0 or -1 is reported unchanged.
 */
struct error_place {
    uint32_t line, end_line;
    int64_t column, end_column;
};

/* These functions all return 0, like a rule that fails. `text` is in the grammar's notation; its
 * letters stand for slots of `values`. */
uint32_t explain_at(struct reader *r, enum python_error_kind kind, const struct error_place *place,
                    const char *text, const uint32_t *values);
uint32_t explain_range(struct reader *r, uint32_t first, uint32_t last, const char *text,
                       const uint32_t *values);
/* The error is at the end of a value, as CPython computes it for the key of a dictionary. */
uint32_t explain_after(struct reader *r, uint32_t value, const char *text, const uint32_t *values);
/* From a value to the current position. */
uint32_t explain_from(struct reader *r, uint32_t value, const char *text, const uint32_t *values);
/* At the last token that was looked at. */
uint32_t explain_last(struct reader *r, enum python_error_kind kind, const char *text,
                      const uint32_t *values);
/* At the next token. */
uint32_t explain_next(struct reader *r, const char *text, const uint32_t *values);
/* Reports an open bracket; `open` is one of tokens->open. */
uint32_t explain_open(struct reader *r, const struct open_bracket *open);
/* Reports the lexer's own error. */
uint32_t explain_lexical(struct reader *r);

/* ---- explain_actions.c: the functions that the grammar names with @ ---- */

struct match {      /* an alternative that has matched */
    uint32_t start; /* its first token; it ends before reader->mark */
    uint32_t a, b;  /* the values of its arguments */
};

typedef uint32_t explain_action(struct reader *r, const struct match *m);

explain_action explain_strings, explain_real, explain_imaginary, explain_not_equal;
explain_action explain_conversion, explain_template_conversion, explain_mixed_strings;
explain_action explain_field, explain_template_field;
explain_action explain_bound_of_tuple, explain_bound_of_spec;
explain_action explain_generator_alone, explain_generator_last, explain_positional_late;
explain_action explain_print_call, explain_comma_forgotten;
explain_action explain_assign_to, explain_loop_over, explain_delete;
/* 0, with an error, if a NUMBER has more digits than CPython converts. */
uint32_t explain_number(struct reader *r, uint32_t token);

#endif
