/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the second reader share. explain_read.c interprets the grammar, explain_words.c
 * puts an error into words and places, explain_actions.c holds what the grammar cannot say itself,
 * explain.c decides which error it is.
 *
 * What a rule is worth is a number: 0, it has failed; VALUE_SOME, it has matched, and how does
 * not matter; VALUE_TOKEN and the index of a token; or a form, which is as much of a tree node as
 * the errors need: its kind, its first and last token, and some of its children.
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
    bool wrong;          /* the second reading: the wrong forms count */
    bool failed;         /* an error has been found */
    bool lexical;        /* ... by the lexer */
    bool answered;       /* a rule has come to an end, */
    uint32_t answer;     /* worth this */
    uint32_t mark, fill; /* the next token; how many have been looked at */
    size_t joined;       /* tokens of strings that have been joined, counted each time */
    uint8_t *depth;      /* of brackets after each token looked at */
    uint32_t *memos;     /* for each token: its newest; */
    uint32_t memo_end;   /* none from here on */
    struct memo *memo;
    struct form *form;
    struct cell *cell;
    uint32_t memo_count, memo_room, form_count, form_room, cell_count, cell_room;
    struct frame *frames;
    unsigned frame_count, frame_room;
    unsigned level; /* as CPython's parser counts its recursion */
};

/* ---- explain_form.c ---- */

void reader_init(struct reader *r, struct python_tree *tree, const struct tokens *tokens,
                 bool field);
void reader_done(struct reader *r);
/* Twice the room for items of that size; an error past the tree's memory limit. */
void *reader_more(struct reader *r, void *p, uint32_t *room, size_t size);

uint32_t form_new(struct reader *r, unsigned kind, uint32_t first, uint32_t last);
void form_add(struct reader *r, uint32_t form, uint32_t child);
/* NULL when the value is no form. */
const struct form *value_form(const struct reader *r, uint32_t value);
uint32_t value_first(const struct reader *r, uint32_t value); /* a token */
uint32_t value_last(const struct reader *r, uint32_t value);
/* The last child; the value itself when it has none. */
uint32_t value_last_item(const struct reader *r, uint32_t value);

/* ---- explain_read.c ---- */

/* Reads all of it, again from the start; false when it is wrong. */
bool reader_run(struct reader *r, bool wrong);

/* ---- explain_words.c ---- */

/* Where an error is, in CPython's way: columns in bytes, from 1; 0 or -1 are said as they are. */
struct place {
    uint32_t line, end_line;
    int64_t column, end_column;
};

/* All of these return 0, as a rule that fails does. The text is as in the grammar, its letters
 * being slots of `values`. */
uint32_t explain_at(struct reader *r, enum python_error_kind kind, const struct place *place,
                    const char *text, const uint32_t *values);
uint32_t explain_range(struct reader *r, uint32_t first, uint32_t last, const char *text,
                       const uint32_t *values);
/* From the end of a value, as CPython computes it for the key of a dictionary. */
uint32_t explain_after(struct reader *r, uint32_t value, const char *text, const uint32_t *values);
/* From a value to where reading is. */
uint32_t explain_from(struct reader *r, uint32_t value, const char *text, const uint32_t *values);
/* At the last token looked at. */
uint32_t explain_last(struct reader *r, enum python_error_kind kind, const char *text,
                      const uint32_t *values);
/* At the token to be read. */
uint32_t explain_next(struct reader *r, const char *text, const uint32_t *values);
/* `open` is one of tokens->open. */
uint32_t explain_open(struct reader *r, const struct open_bracket *open);
/* The lexer's own. */
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
/* 0 and an error when a NUMBER has more digits than CPython converts. */
uint32_t explain_number(struct reader *r, uint32_t token);

#endif
