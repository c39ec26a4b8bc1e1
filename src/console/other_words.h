/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands and options of other programs, with what to type here instead.
 */
#ifndef CONSOLE_OTHER_WORDS_H
#define CONSOLE_OTHER_WORDS_H

#include "base/err.h"
#include "base/opt.h"
#include "languages/language.h"

/* Advice for a word in the place of a command's name; NULL for any other. The caller frees. */
char *other_command_advice(const char *word);

/* The command's own verb for another program's: "close" for `session kill`. NULL for any other
 * word. */
const char *other_verb(const char *command, const char *verb);

/* For opt_set.others of a command; NULL for a command that runs no program. */
const struct opt_other *other_options_of(const char *command);

/* ERR_USAGE for a file that is data or a document by its name, or a program in a language that runs
 * here only if the user's config adds it: detection would take it for another language and run it.
 * 0 for any other file, and where the user has named the language (`asked`). */
int other_language_refuse(const char *file, const char *asked, const struct language_table *table,
                          struct err *err);
/* ERR_USAGE for a file that does not begin with text. */
int other_format_refuse(const char *file, struct str bytes, struct err *err);

#endif
