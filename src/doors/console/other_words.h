/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands and options of other programs, with what to type here instead.
 */
#ifndef CONSOLE_OTHER_WORDS_H
#define CONSOLE_OTHER_WORDS_H

#include "base/err.h"
#include "languages/language.h"
#include "options/opt.h"

/* Advice for a word that is used as a command's name; NULL if there is none. The caller frees. */
char *other_command_advice(const char *word);

/* Our verb for another program's verb: "close" for `session kill`. NULL if there is none. */
const char *other_verb(const char *command, const char *verb);

/* For opt_set.others of a command; NULL for a command that runs no program. */
const struct opt_other *other_options_of(const char *command);

/* 0, or -1 with ERR_USAGE for a file whose name shows that it is data or a document, or a program
 * in a language that runs here only if the user's config adds it: detection would take it for
 * another language and run it. 0, too, if the user has named the language (`asked`). */
int other_language_refuse(const char *file, const char *asked, const struct language_table *table,
                          struct err *err);
/* 0, or -1 with ERR_USAGE for a file that does not begin with text. */
int other_format_refuse(const char *file, struct str bytes, struct err *err);

#endif
