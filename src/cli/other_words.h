/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands and options of other programs, with what to type here instead.
 */
#ifndef CLI_OTHER_WORDS_H
#define CLI_OTHER_WORDS_H

#include "base/opt.h"

/* Advice for a word in the place of a command's name; NULL for any other. The caller frees. */
char *other_command_advice(const char *word);

/* The verb of a command's that is meant by another program's: "close" for `session kill`; or
 * NULL. */
const char *other_verb(const char *command, const char *verb);

/* For opt_set.others of a command; NULL for a command that runs no program. */
const struct opt_other *other_options_of(const char *command);

/* The language of a file, from its name, if that language never runs here unless the user's config
 * adds it; NULL for any other file. */
const char *other_language(const char *file);

#endif
