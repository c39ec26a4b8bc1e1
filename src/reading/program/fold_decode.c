/* SPDX-License-Identifier: Apache-2.0
 *
 * The decoders with which programs hide names and code. Their results are marked as decoded. The
 * results of decoders that are not computed here (zlib, marshal and similar) are only known to be
 * decoded.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "program/fold.h"

static const struct value *bytes_of(struct fold *f, const char *p, size_t n)
{
    return fold_text(f, VALUE_BYTES, (struct str){p, n}, true);
}

/* Decodes digits of `bits` bits each. `digit` returns the value of a character, or -1 to skip
 * it. */
static const struct value *digits(struct fold *f, struct str s, int (*digit)(char c), unsigned bits)
{
    uint32_t held = 0;
    unsigned have = 0;
    size_t n = 0;

    if (s.n > VALUE_MAX_TEXT * 2 || !fold_pay(f, s.n))
        return &value_decoded;
    char *out = arena_alloc(f->arena, s.n + 1);
    for (size_t i = 0; i < s.n && s.p[i] != '='; i++) {
        int d = digit(s.p[i]);
        if (d < 0)
            continue;
        held = held << bits | (uint32_t)d;
        have += bits;
        if (have >= 8) {
            have -= 8;
            out[n++] = (char)(held >> have);
        }
    }
    const struct value *v = bytes_of(f, out, n);
    return v->kind == VALUE_BYTES ? v : &value_decoded;
}

/* Accepts both alphabets, the standard and the URL-safe one. */
static int digit64(char c)
{
    return base64_digit(c == '-' ? '+' : c == '_' ? '/' : c);
}

static int digit32(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a';
    return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

static int digit16(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const struct value *decoded_digits(struct fold *f, const struct value *x,
                                          int (*digit)(char c), unsigned bits)
{
    if (x->kind != VALUE_TEXT && x->kind != VALUE_BYTES)
        return &value_decoded;
    return digits(f, x->text, digit, bits);
}

const struct value *fold_base64(struct fold *f, const struct value *x)
{
    return decoded_digits(f, x, digit64, 6);
}

const struct value *fold_base32(struct fold *f, const struct value *x)
{
    return decoded_digits(f, x, digit32, 5);
}

const struct value *fold_hex(struct fold *f, const struct value *x)
{
    return decoded_digits(f, x, digit16, 4);
}

static const struct value *rot13(struct fold *f, const struct value *x)
{
    char *room;
    struct value *v = fold_room(f, VALUE_TEXT, x->text.n, &room);

    if (!v)
        return &value_decoded;
    for (size_t i = 0; i < x->text.n; i++) {
        char c = x->text.p[i], first = (char)(c & 0x20 ? 'a' : 'A');
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        room[i] = (char)(letter ? first + (c - first + 13) % 26 : c);
    }
    v->decoded = true;
    return v;
}

static const struct value *latin1(struct fold *f, const struct value *x)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, VALUE_MAX_TEXT);
    for (size_t i = 0; i < x->text.n; i++) {
        unsigned char c = (unsigned char)x->text.p[i];
        if (c >= 0x80)
            (void)buf_addc(&b, (char)(0xC0 | c >> 6));
        (void)buf_addc(&b, (char)(c >= 0x80 ? 0x80 | (c & 0x3F) : c));
    }
    return b.overflow ? &value_unknown : fold_text(f, VALUE_TEXT, buf_str(&b), x->decoded);
}

static const struct value *utf8(struct fold *f, const struct value *x)
{
    return utf8_valid(x->text) ? fold_text(f, VALUE_TEXT, x->text, x->decoded) : &value_unknown;
}

static const struct value *opaque(struct fold *f, const struct value *x)
{
    (void)f;
    (void)x;
    return &value_decoded;
}

static const struct {
    const char *name;
    const struct value *(*decode)(struct fold *f, const struct value *x);
} codecs[] = {
    {"utf8", utf8},         {"ascii", utf8},         {"latin1", latin1},
    {"iso88591", latin1},   {"rot13", rot13},        {"hex", fold_hex},
    {"hexcodec", fold_hex}, {"base64", fold_base64}, {"base64codec", fold_base64},
    {"zlib", opaque},       {"zlibcodec", opaque},   {"zip", opaque},
    {"bz2", opaque},        {"bz2codec", opaque},    {"uu", opaque},
};

/* The codec's name in lower case without punctuation: "Rot_13" is "rot13". */
static struct str plain_name(struct str codec, char out[16])
{
    size_t n = 0;

    for (size_t i = 0; i < codec.n && n < 15; i++) {
        if (isalnum((unsigned char)codec.p[i]))
            out[n++] = (char)tolower((unsigned char)codec.p[i]);
    }
    return (struct str){out, n};
}

const struct value *fold_decode(struct fold *f, const struct value *x, struct str codec)
{
    char room[16];
    struct str name = plain_name(codec, room);

    if (x->kind == VALUE_DECODED)
        return x;
    if ((x->kind != VALUE_TEXT && x->kind != VALUE_BYTES) || !fold_pay(f, x->text.n / 4 + 1))
        return &value_unknown;
    for (size_t i = 0; i < ARRAY_LEN(codecs); i++) {
        if (str_is(name, codecs[i].name))
            return codecs[i].decode(f, x);
    }
    return &value_unknown;
}
