/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands and options that other programs have: what to type here instead.
 */
#ifndef CLI_OTHER_WORDS_H
#define CLI_OTHER_WORDS_H

#include "base/opt.h"

/* What to say of a word that stands where a command's name should; NULL for any other. The caller
 * frees. */
char *other_command_advice(const char *word);

/* For opt_set.others of a command; NULL for one that runs nothing. */
const struct opt_other *other_options_of(const char *command);

/* The language of a file that is never run here unless the user's config adds it, from its name;
 * NULL for any other. */
const char *other_language(const char *file);

#endif
