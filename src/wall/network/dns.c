/* SPDX-License-Identifier: Apache-2.0 */
#include "network/dns.h"

#include <string.h>

#include "base/ascii.h"

enum {
    HEAD = 12,
    TYPE_A = 1,
    TYPE_ANY = 255,
    CLASS_IN = 1,
    IS_ANSWER = 0x80,     /* of byte 2 */
    WANTS_RECURSION = 1,  /* of byte 2 */
    HAS_RECURSION = 0x80, /* of byte 3 */
    LABEL_MAX = 63,
    TTL_S = 60,
};

static unsigned number_at(struct str m, size_t at)
{
    return (unsigned)(unsigned char)m.p[at] << 8 | (unsigned char)m.p[at + 1];
}

static char plain(char c)
{
    return ascii_is_word(c) || c == '-' ? ascii_lower(c) : '?';
}

/* Reads the name at *at, moves *at past it. A question has no compressed names. */
static bool read_labels(struct str m, size_t *at, char ret[NET_NAME_MAX + 1])
{
    size_t n = 0;

    for (;;) {
        if (*at >= m.n)
            return false;
        size_t length = (unsigned char)m.p[(*at)++];
        if (length == 0)
            break;
        if (length > LABEL_MAX || length > m.n - *at || n + (n > 0) + length > NET_NAME_MAX)
            return false;
        if (n)
            ret[n++] = '.';
        for (size_t i = 0; i < length; i++)
            ret[n++] = plain(m.p[(*at)++]);
    }
    ret[n] = '\0';
    return true;
}

bool dns_question_read(struct str m, struct dns_question *ret)
{
    size_t at = HEAD;

    *ret = (struct dns_question){.code = DNS_MALFORMED};
    if (m.n < HEAD || m.n > DNS_QUERY_MAX || (unsigned char)m.p[2] & IS_ANSWER)
        return false;
    if (((unsigned char)m.p[2] >> 3 & 15) != 0) {
        ret->code = DNS_NO_VERB;
        return true;
    }
    if (number_at(m, 4) != 1 || !read_labels(m, &at, ret->name) || m.n - at < 4) {
        ret->name[0] = '\0';
        return true;
    }
    unsigned type = number_at(m, at), class = number_at(m, at + 2);
    ret->end = at + 4;
    ret->code = class == CLASS_IN ? DNS_FINE : DNS_NO_NAME;
    ret->wants_v4 = type == TYPE_A || type == TYPE_ANY;
    return true;
}

static size_t put(char *out, size_t at, const void *p, size_t n)
{
    memcpy(out + at, p, n);
    return at + n;
}

/* A question takes at most HEAD + 255 + 4 bytes, so everything has room. */
size_t dns_answer(struct str m, const struct dns_question *q, enum dns_code code,
                  const struct net_address *address, char ret[DNS_ANSWER_MAX])
{
    static const unsigned char record[] = {0xc0, HEAD, 0, TYPE_A, 0, CLASS_IN,
                                           0,    0,    0, TTL_S,  0, 4};
    size_t end = q->end > HEAD ? q->end : HEAD;

    memset(ret, 0, HEAD);
    memcpy(ret, m.p, end > HEAD ? end : 2);
    ret[2] = (char)(IS_ANSWER | ((unsigned char)m.p[2] & (0x78 | WANTS_RECURSION)));
    ret[3] = (char)(HAS_RECURSION | (unsigned)code);
    memset(ret + 4, 0, 8);
    ret[5] = end > HEAD;
    if (code != DNS_FINE || !address || !q->wants_v4)
        return end;
    ret[7] = 1;
    end = put(ret, end, record, sizeof record);
    return put(ret, end, address->bytes + 12, 4);
}
