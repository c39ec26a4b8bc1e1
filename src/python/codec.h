/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodings that a `coding:` line may name, as Python knows them (tools/make-codecs). Those with
 * one byte for each character are decoded; of the others it is known that they exist.
 */
#ifndef PYTHON_CODEC_H
#define PYTHON_CODEC_H

#include "base/buf.h"
#include "python/python.h"

enum codec_kind {
    CODEC_UNKNOWN,
    CODEC_UTF8,
    CODEC_ASCII,
    CODEC_TABLE,
    CODEC_OTHER,   /* has characters of several bytes */
    CODEC_NO_TEXT, /* makes bytes of bytes: hex, zlib */
};

struct codec {
    enum codec_kind kind;
    const uint16_t *chars; /* of a CODEC_TABLE: what each byte is; CODEC_NO_CHAR for nothing */
};

enum { CODEC_NO_CHAR = 0xFFFF };

/* By any of its names; case and punctuation do not matter. */
struct codec codec_find(struct str name);
/* Decodes bytes to the end of *ret, whose limit must suffice (three times the bytes). -1 when they
 * are not in the encoding: *ret_message says so in CPython's words, in the arena. */
int codec_decode(const struct codec *codec, struct str bytes, struct arena *arena, struct buf *ret,
                 const char **ret_message);

#endif
