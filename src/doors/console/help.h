/* SPDX-License-Identifier: Apache-2.0
 *
 * Help, completion and the man page, made from the tables of commands, options and topics, and from
 * the texts in docs/help/, which tools/embed-help embeds in the program.
 *
 * A help text is plain: paragraphs with an empty line between, wrapped to the terminal; a line that
 * begins with two spaces stays as it is; a line "* term | meaning" is an item of a list.
 */
#ifndef CONSOLE_HELP_H
#define CONSOLE_HELP_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "console/command.h"
#include "options/opt.h"

/* docs/help/NAME.txt: the text that `glovebox help NAME` prints about a command or a topic. */
struct help_text {
    const char *name;
    const char *text;     /* a help text, or NULL */
    const char *examples; /* a help text, or NULL */
};

extern const struct help_text help_texts[]; /* ends with an empty row */

struct topic {
    const char *name;
    const char *summary;
    void (*more)(struct buf *b); /* appends help text made from tables, or NULL */
};

extern const struct topic help_topics[]; /* ends with an empty row */
/* The command or topic that people mean by a name: "packages" for "pip". Any other name as it is.
 */
const char *help_other_name(const char *name);

/* NULL if there is no such command. */
const struct command *help_find_command(const char *name);

void help_print_overview(FILE *out);
/* Prints the help of a command that --help or --help-all asked for: with --help, of a command with
 * many options, a page that fits on two screens. `asked` NULL: all of it. */
void help_print_command(FILE *out, const struct command *command, const struct opt_help *asked);
/* Prints the usage and the options used most, after a wrong usage. */
void help_print_short(FILE *out, const struct command *command);
/* Prints a help text, wrapped. */
void help_print_text(FILE *out, struct str text);
/* Prints the help of a command or a topic. -1 with ERR_USAGE and the nearest name. */
int help_print_named(FILE *out, const char *asked, struct err *err);

/* The man page glovebox(1), with the commands' names and the topics, and that of a command
 * (groff's man macros). */
void man_print(FILE *out);
void man_print_command(FILE *out, const struct command *command);

/* ---- for man.c ---- */

/* The row of a command or a topic; an empty row if there is no such file. */
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

/* Cuts the next block off a help text; false at the end of the text. */
bool help_next_block(struct str *rest, struct help_block *ret);
void help_add_topic(struct buf *b, const struct topic *topic);
/* The text of an option: its effect, its choices, and "(default 30s)". */
void help_add_option(struct buf *b, const struct opt *row);
/* The placeholder of an option's value; NULL if it takes none. */
const char *help_value_name(const struct opt *row);

#endif
