/* SPDX-License-Identifier: Apache-2.0
 *
 * Help, completion and the man page, made from the tables of commands, options and topics, and from
 * the texts in src/help/, which tools/embed-help embeds in the program.
 *
 * A help text is plain: paragraphs with an empty line between, wrapped to the terminal; a line that
 * begins with two spaces stays as it is; a line "* term | meaning" is an item of a list.
 */
#ifndef HELP_HELP_H
#define HELP_HELP_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "console/command.h"

/* src/help/NAME.txt: what `glovebox help NAME` prints of a command or a topic. */
struct help_text {
    const char *name;
    const char *text;     /* a help text, or NULL */
    const char *examples; /* the same */
};

extern const struct help_text help_texts[]; /* ends with an empty row */

struct topic {
    const char *name;
    const char *summary;
    void (*more)(struct buf *b); /* appends help text made from tables, or NULL */
};

extern const struct topic help_topics[]; /* ends with an empty row */

/* NULL if it does not exist. */
const struct command *help_find_command(const char *name);

void help_print_overview(FILE *out);
void help_print_command(FILE *out, const struct command *command);
/* The usage and the options used most, after a wrong usage. */
void help_print_short(FILE *out, const struct command *command);
/* Prints a help text, wrapped. */
void help_print_text(FILE *out, struct str text);
/* A command or a topic. -1 with ERR_USAGE and the nearest name. */
int help_print_named(FILE *out, const char *name, struct err *err);

/* A man page (groff's man macros). */
void man_print(FILE *out);

/* ---- for man.c ---- */

/* The row of a command or a topic; an empty one if there is no such file. */
const struct help_text *help_find_text(const char *name);

enum help_kind {
    HELP_PARAGRAPH,
    HELP_VERBATIM,
    HELP_ITEM,
};

struct help_block {
    enum help_kind kind;
    struct str term; /* of an item */
    struct str text;
};

/* Cuts the next piece off a help text; false at the text's end. */
bool help_next_block(struct str *rest, struct help_block *ret);
void help_add_topic(struct buf *b, const struct topic *topic);
/* The text of an option: its effect, its choices, and "(default 30s)". */
void help_add_option(struct buf *b, const struct opt *row);
/* The placeholder of an option's value; NULL if it takes none. */
const char *help_value_name(const struct opt *row);

#endif
