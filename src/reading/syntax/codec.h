/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodings that a `coding:` line may name, as Python knows them (tools/make-codecs). Encodings
 * with one byte for each character are decoded; of the others only the names are known.
 */
#ifndef SYNTAX_CODEC_H
#define SYNTAX_CODEC_H

#include "base/buf.h"
#include "syntax/source.h"

enum codec_kind {
    CODEC_UNKNOWN,
    CODEC_UTF8,
    CODEC_ASCII,
    CODEC_TABLE,
    CODEC_OTHER,   /* has characters of several bytes; not decoded */
    CODEC_NO_TEXT, /* not an encoding of text, but of bytes: hex, zlib */
};

struct codec {
    enum codec_kind kind;
    const uint16_t *chars; /* for CODEC_TABLE: the character of each byte, or CODEC_NO_CHAR */
};

enum { CODEC_NO_CHAR = 0xFFFF };

/* Finds an encoding by any of its names; case and punctuation do not matter. */
struct codec codec_find(struct str name);
/* Decodes bytes and appends them to *ret, whose limit must suffice (three times the bytes). -1 if
 * the bytes are not valid in the encoding: *ret_message then has CPython's message, in the arena.
 */
int codec_decode(const struct codec *codec, struct str bytes, struct arena *arena, struct buf *ret,
                 const char **ret_message);

#endif
