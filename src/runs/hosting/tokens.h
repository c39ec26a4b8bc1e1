/* SPDX-License-Identifier: Apache-2.0
 *
 * Authentication: tokens from a file, of which only hashes are kept.
 */
#ifndef HOSTING_TOKENS_H
#define HOSTING_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"

enum { TOKEN_NAME = 33, TOKEN_MIN = 16, TOKENS_MAX = 1000 };

/* The owner of sessions under tokens without a name. No token can have this name, and it is not "",
 * which is the host's own user on the Unix socket. */
#define TOKEN_NAMELESS "*"

/* Returns a number for an owner, for code below that does not know names. */
uint64_t token_number(const char *owner);

struct token {
    char name[TOKEN_NAME]; /* the owner of its sessions */
    char sum[SHA256_HEX];
};
struct token_list {
    struct token *at;
    size_t n;
};

/* Reads a file in which each line is "TOKEN" or "NAME TOKEN"; '#' begins a comment. Only its owner
 * may have permission to read it, and the owner must be our user or root. */
int token_list_read(const char *path, struct token_list *ret, struct err *err);
void token_list_done(struct token_list *list);
/* Returns the number of different names among the tokens. */
unsigned token_list_names(const struct token_list *list);

/* Finds the token in "Bearer TOKEN"; NULL if it is unknown. An invalid token takes as long as a
 * valid one. */
const struct token *token_list_find(const struct token_list *list, struct str authorization);

#endif
