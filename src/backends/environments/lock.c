/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/lock.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "environments/requirement.h"

enum { HASHES_MAX = 10000 };
#define HASH "--hash=sha256:"

struct hashes {
    char **items;
    size_t count;
};

static bool is_hash(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!strchr("0123456789abcdef", text.p[i]))
            return false;
    return text.n == SHA256_HEX - 1;
}

static int add_hash(struct hashes *h, struct str hex, struct err *err)
{
    if (!is_hash(hex))
        return err_set(err, ERR_USAGE, "a hash has not 64 hexadecimal digits");
    if (h->count == HASHES_MAX)
        return err_set(err, ERR_LIMIT, "there are more than %d hashes", HASHES_MAX);
    h->items = xrealloc_array(h->items, h->count + 2, sizeof *h->items);
    h->items[h->count++] = xstrndup(hex.p, hex.n);
    h->items[h->count] = NULL;
    return 0;
}

/* The words from the first that begins with "--" on are options. */
static int take_line(struct str line, struct buf *requirements, struct hashes *h, struct err *err)
{
    long at = line.n && line.p[0] == '-' ? 0 : str_find(line, STR(" --"));
    struct str options = at < 0 ? (struct str){0} : str_slice(line, (size_t)at, line.n), word;

    line = at < 0 ? line : str_slice(line, 0, (size_t)at);
    while (str_next(&options, ' ', &word)) {
        if (!word.n || str_is(word, "\\"))
            continue;
        if (word.p[0] == '#')
            break;
        if (!str_starts(word, HASH))
            return err_set(err, ERR_USAGE, "'%.*s': of options, only " HASH "HEX is read",
                           (int)(word.n < 60 ? word.n : 60), word.p);
        if (add_hash(h, str_slice(word, strlen(HASH), word.n), err) < 0)
            return -1;
    }
    if (buf_add_str(requirements, line) < 0 || buf_addc(requirements, '\n') < 0)
        return err_set(err, ERR_LIMIT, "the list is too long");
    return 0;
}

int env_lock_read(struct str text, struct buf *ret_requirements, char ***ret_hashes,
                  struct err *err)
{
    struct hashes h = {0};
    struct str line;
    AUTO_BUF struct buf whole = {0};
    int result = 0;

    buf_init(&whole, text.n + 2);
    while (result == 0 && str_next_line(&text, &line)) {
        bool goes_on = str_ends(line, "\\");
        (void)buf_add_str(&whole, str_slice(line, 0, line.n - goes_on));
        (void)buf_addc(&whole, ' ');
        if (goes_on && text.n)
            continue;
        result = take_line(str_trim(buf_str(&whole)), ret_requirements, &h, err);
        buf_clear(&whole);
    }
    if (result < 0)
        requirements_done(h.items);
    else
        *ret_hashes = h.items;
    return result;
}
