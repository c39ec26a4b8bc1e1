/* SPDX-License-Identifier: Apache-2.0 */
#include "hosting/tokens.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"

uint64_t token_number(const char *owner)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (; *owner; owner++)
        hash = (hash ^ (unsigned char)*owner) * 1099511628211u;
    return hash;
}

static void sum_of(struct str token, char ret[SHA256_HEX])
{
    sha256_of(token.p, token.n, ret);
}

static int check_file(const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return err_sys(err, "read --token-file %.200s", path);
    if (st.st_mode & 077)
        return err_set(err, ERR_USAGE,
                       "--token-file %.200s: other users can read it "
                       "(mode %04o); chmod "
                       "600 it",
                       path, st.st_mode & 07777);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return err_set(err, ERR_USAGE, "--token-file %.200s: it belongs to another user", path);
    return 0;
}

static bool tokens_is_name(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
              (s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] && strchr("._-", s.p[i]))))
            return false;
    return s.n > 0 && s.n < TOKEN_NAME;
}

/* Returns the position of the first blank, or the length. */
static size_t word_end(struct str s)
{
    size_t n = 0;

    while (n < s.n && s.p[n] != ' ' && s.p[n] != '\t')
        n++;
    return n;
}

static int tokens_add_line(struct token_list *list, struct str line, struct err *err)
{
    size_t cut = word_end(line);
    bool named = cut < line.n;
    struct str name = named ? str_slice(line, 0, cut) : STR(TOKEN_NAMELESS);
    struct str token = named ? str_trim(str_slice(line, cut, line.n)) : line;

    if (token.n < TOKEN_MIN || word_end(token) < token.n)
        return err_set(err, ERR_USAGE, "a token has no blanks and at least %d characters",
                       TOKEN_MIN);
    if (named && !tokens_is_name(name))
        return err_set(err, ERR_USAGE, "a name before a token has up to %d of A-Z a-z 0-9 . _ -",
                       TOKEN_NAME - 1);
    if (list->n == TOKENS_MAX)
        return err_set(err, ERR_USAGE, "there are more than %d tokens", TOKENS_MAX);
    list->at = xrealloc_array(list->at, list->n + 1, sizeof *list->at);
    struct token *t = &list->at[list->n];
    *t = (struct token){0};
    memcpy(t->name, name.p, name.n);
    sum_of(token, t->sum);
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].sum, t->sum) == 0 && strcmp(list->at[i].name, t->name) != 0)
            return strcmp(list->at[i].name, TOKEN_NAMELESS) == 0
                       ? err_set(err, ERR_USAGE, "this token is there without a name already")
                       : err_set(err, ERR_USAGE,
                                 "this token has the name '%s' already; each name needs a token of "
                                 "its own",
                                 list->at[i].name);
    list->n++;
    return 0;
}

int token_list_read(const char *path, struct token_list *ret, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    struct str rest, line;

    *ret = (struct token_list){0};
    buf_init(&text, 1 << 20);
    if (check_file(path, err) < 0 || fd_read_file(path, &text, err) < 0)
        return -1;
    rest = buf_str(&text);
    for (unsigned number = 1; str_next_line(&rest, &line); number++) {
        line = str_trim(line);
        if (line.n && line.p[0] != '#' && tokens_add_line(ret, line, err) < 0)
            return err_wrap(err, "--token-file %.200s:%u", path, number);
    }
    explicit_bzero(text.p, text.n);
    return ret->n ? 0
                  : err_set(err, ERR_USAGE, "--token-file %.200s: there is no token in it", path);
}

void token_list_done(struct token_list *list)
{
    free(list->at);
    *list = (struct token_list){0};
}

unsigned token_list_names(const struct token_list *list)
{
    unsigned names = 0;

    for (size_t i = 0, k; i < list->n; i++) {
        for (k = 0; k < i && strcmp(list->at[i].name, list->at[k].name) != 0;)
            k++;
        names += k == i;
    }
    return names;
}

/* Compares hashes, every byte of every token, so that the time does not depend on the token. */
const struct token *token_list_find(const struct token_list *list, struct str authorization)
{
    const struct token *found = NULL;
    char sum[SHA256_HEX];

    if (authorization.n < 7 || !str_is_nocase(str_slice(authorization, 0, 7), "bearer "))
        return NULL;
    sum_of(str_trim(str_slice(authorization, 7, authorization.n)), sum);
    for (size_t i = 0; i < list->n; i++) {
        volatile unsigned char differs = 0;
        for (size_t k = 0; k < SHA256_HEX - 1; k++)
            differs |= (unsigned char)(sum[k] ^ list->at[i].sum[k]);
        if (!differs)
            found = &list->at[i];
    }
    return found;
}
