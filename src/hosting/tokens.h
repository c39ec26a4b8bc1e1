/* SPDX-License-Identifier: Apache-2.0
 *
 * Who may ask: tokens out of a file, of which only sums are kept.
 */
#ifndef HOSTING_TOKENS_H
#define HOSTING_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"

enum { TOKEN_NAME = 33, TOKEN_MIN = 16, TOKENS_MAX = 1000 };

/* Whose sessions are of tokens without a name: nobody's name, and not "", which is the host's own
 * over the Unix socket. */
#define TOKEN_NAMELESS "*"

struct token {
    char name[TOKEN_NAME]; /* whose sessions */
    char sum[SHA256_HEX];
};
struct token_list {
    struct token *at;
    size_t n;
};

/* "TOKEN" or "NAME TOKEN" a line; '#' begins a comment. The file may be
 * readable for its owner only, who is us or root. */
int token_list_read(const char *path, struct token_list *ret, struct err *err);
void token_list_done(struct token_list *list);
/* How many different names the tokens have. */
unsigned token_list_names(const struct token_list *list);

/* The one that "Bearer TOKEN" is, or NULL. Takes as long for a wrong one as for
 * a right one. */
const struct token *token_list_find(const struct token_list *list, struct str authorization);

#endif
