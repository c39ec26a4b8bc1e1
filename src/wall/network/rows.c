/* SPDX-License-Identifier: Apache-2.0 */
#include "network/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wire.h"

void net_book_init(struct net_book *ret)
{
    *ret = (struct net_book){.rows = xcalloc(NET_ROWS_MAX + 1, sizeof *ret->rows),
                             .open = xcalloc(NET_ROWS_MAX + 1, sizeof *ret->open)};
    snprintf(ret->rows[NET_ROWS_MAX].host, sizeof ret->rows->host, "(others)");
}

void net_book_done(struct net_book *book)
{
    free(book->rows);
    free(book->open);
    *book = (struct net_book){0};
}

static bool is_alike(const struct net_row *a, const struct net_row *b)
{
    return a->port == b->port && a->allowed == b->allowed && strcmp(a->host, b->host) == 0 &&
           strcmp(a->reason, b->reason) == 0;
}

static bool is_free(const struct net_book *book, size_t row)
{
    return row >= book->used || (!book->open[row] && !book->rows[row].host[0]);
}

size_t net_book_note(struct net_book *book, const struct net_row *like)
{
    size_t row = NET_ROWS_MAX;

    for (size_t i = 0; i < book->used; i++)
        if (!is_free(book, i) && is_alike(&book->rows[i], like)) {
            row = i;
            break;
        }
    for (size_t i = 0; row == NET_ROWS_MAX && i < NET_ROWS_MAX; i++)
        if (is_free(book, i)) {
            row = i;
            book->rows[i] = *like;
            book->rows[i].count = book->rows[i].bytes_in = book->rows[i].bytes_out = 0;
            book->used = i < book->used ? book->used : i + 1;
        }
    if (like->address[0])
        memcpy(book->rows[row].address, like->address, sizeof like->address);
    if (row == NET_ROWS_MAX) /* one refusal among the others makes the row one */
        book->rows[row].allowed =
            like->allowed && (book->rows[row].allowed || !book->rows[row].count);
    book->rows[row].count++;
    book->open[row]++;
    return row;
}

void net_book_leave(struct net_book *book, size_t row)
{
    book->open[row]--;
}

static void put_row(struct buf *b, const struct net_row *row)
{
    wire_put_cstr(b, row->host);
    wire_put_cstr(b, row->address);
    wire_put_cstr(b, row->reason);
    wire_put_u32(b, row->port);
    wire_put_u32(b, row->allowed);
    wire_put_u64(b, row->count);
    wire_put_u64(b, row->bytes_in);
    wire_put_u64(b, row->bytes_out);
}

static bool has_changed(const struct net_row *row)
{
    return row->count || row->bytes_in || row->bytes_out;
}

void net_book_take(struct net_book *book, struct buf *ret)
{
    uint32_t n = 0;

    for (size_t i = 0; i <= NET_ROWS_MAX; i++)
        n += has_changed(&book->rows[i]);
    wire_put_u32(ret, n);
    for (size_t i = 0; i <= NET_ROWS_MAX; i++) {
        struct net_row *row = &book->rows[i];
        if (has_changed(row))
            put_row(ret, row);
        row->count = row->bytes_in = row->bytes_out = 0;
        if (i < NET_ROWS_MAX && !book->open[i])
            *row = (struct net_row){0};
    }
}

static void get_text(struct wire *w, char *out, size_t n)
{
    struct str text = wire_str(w);

    if (text.n >= n || (text.n && memchr(text.p, '\0', text.n)))
        w->bad = true;
    else
        snprintf(out, n, "%.*s", (int)text.n, text.p);
}

static void get_row(struct wire *w, struct net_row *row)
{
    get_text(w, row->host, sizeof row->host);
    get_text(w, row->address, sizeof row->address);
    get_text(w, row->reason, sizeof row->reason);
    uint32_t port = wire_u32(w);
    row->port = (uint16_t)port;
    row->allowed = wire_u32(w) == 1;
    row->count = wire_u64(w);
    row->bytes_in = wire_u64(w);
    row->bytes_out = wire_u64(w);
    w->bad |= port > UINT16_MAX;
}

void net_rows_done(struct net_rows *rows)
{
    free(rows->list);
    *rows = (struct net_rows){0};
}

int net_rows_read(struct str bytes, struct net_rows *ret, struct err *err)
{
    struct wire w = {.rest = bytes};
    uint32_t n = wire_count(&w, 44);

    *ret = (struct net_rows){0};
    if (n > NET_ROWS_MAX + 1)
        w.bad = true;
    struct net_row *rows = xcalloc(n <= NET_ROWS_MAX + 1 ? n + 1 : 1, sizeof *rows);
    for (uint32_t i = 0; i < n && !w.bad; i++)
        get_row(&w, &rows[i]);
    if (!wire_ok(&w)) {
        free(rows);
        return err_set(err, ERR_BUG, "glovebox-net sent a damaged report");
    }
    *ret = (struct net_rows){rows, n};
    return 0;
}
