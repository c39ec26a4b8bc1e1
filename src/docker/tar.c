/* SPDX-License-Identifier: Apache-2.0 */
#include "docker/tar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 100, LONG_NAME = 'L', LONG_TARGET = 'K' };

static const char zeros[2 * TAR_BLOCK];

/* The field of the sum counts as blanks. */
static void add_block(struct buf *b, const struct tar_entry *entry, char kind)
{
    char head[TAR_BLOCK] = "";
    unsigned sum = 0;

    memcpy(head, entry->name, strnlen(entry->name, NAME_MAX_BYTES));
    snprintf(head + 100, 24, "%07o", entry->mode & 0777);
    memcpy(head + 108, "0000000\0000000000", 16);
    snprintf(head + 124, 12, "%011" PRIo64, entry->size);
    memcpy(head + 136, "00000000000", 12);
    memset(head + 148, ' ', 8);
    head[156] = kind;
    if (entry->target)
        memcpy(head + 157, entry->target, strnlen(entry->target, NAME_MAX_BYTES));
    memcpy(head + 257, "ustar\00000", 9);
    for (size_t i = 0; i < sizeof head; i++)
        sum += (unsigned char)head[i];
    snprintf(head + 148, 8, "%06o", sum);
    (void)buf_add(b, head, sizeof head);
}

/* An entry before the entry: its content is the name, with a NUL at the end. */
static void add_long(struct buf *b, const char *text, char kind)
{
    size_t n = strlen(text) + 1;

    if (n <= NAME_MAX_BYTES)
        return;
    add_block(b, &(struct tar_entry){.name = "././@LongLink", .size = n}, kind);
    (void)buf_add(b, text, n);
    tar_add_padding(b, n);
}

void tar_add_head(struct buf *b, const struct tar_entry *entry)
{
    add_long(b, entry->name, LONG_NAME);
    if (entry->target)
        add_long(b, entry->target, LONG_TARGET);
    add_block(b, entry, entry->kind ? (char)entry->kind : TAR_FILE);
}

void tar_add_padding(struct buf *b, uint64_t size)
{
    (void)buf_add(b, zeros, (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
}

void tar_add_end(struct buf *b)
{
    (void)buf_add(b, zeros, sizeof zeros);
}
