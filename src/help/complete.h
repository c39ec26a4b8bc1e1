/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion for shells. A small script of each shell asks `glovebox help --complete -- WORD...`,
 * which prints what the last word may become, so that all shells offer the same.
 */
#ifndef HELP_COMPLETE_H
#define HELP_COMPLETE_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* The script for "bash", "zsh" or "fish"; NULL is bash. */
int complete_print(FILE *out, const char *shell, struct err *err);

/* What the last word may become; the program's name is not among the words. A line for each: the
 * word, and after a tab what it means. ":files" and ":dirs" stand for names of files. */
void complete_words(FILE *out, char **words, size_t n);

/* Calls back for all values of this name (struct opt.values). */
typedef void complete_value_fn(void *ctx, const char *word, const char *meaning);
void complete_values(const char *values, complete_value_fn *fn, void *ctx);

#endif
