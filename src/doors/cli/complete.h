/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion for shells. Each shell has a small script that calls `glovebox help --complete --
 * WORD...`, which prints the possible continuations of the last word, so that all shells offer the
 * same.
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* Prints the script for "bash", "zsh" or "fish"; NULL is bash. -1 with *err. */
int complete_print(FILE *out, const char *shell, struct err *err);

/* Prints the possible continuations of the last word, one line each: the word, and after a tab its
 * meaning. ":files" and ":dirs" stand for names of files and folders. `words` does not include the
 * program's name. */
void complete_words(FILE *out, char **words, size_t n);

/* Calls back for all values of this name (struct opt.values). */
typedef void complete_value_fn(void *ctx, const char *word, const char *meaning);
void complete_values(const char *values, complete_value_fn *fn, void *ctx);

#endif
