/* SPDX-License-Identifier: Apache-2.0 */
#include "network/hello.h"

#include <string.h>

#include "base/ascii.h"

enum {
    RECORD_FIRST = 20,
    RECORD_HANDSHAKE = 22,
    RECORD_LAST = 24,
    RECORD_HEAD = 5,
    RECORD_MAX = 1 << 14,
    HANDSHAKE_CLIENT_HELLO = 1,
    HANDSHAKE_HEAD = 4,
    EXTENSION_NAME = 0,
    EXTENSION_ECH = 0xfe0d,
    EXTENSION_ESNI = 0xffce, /* its predecessor */
    NAME_OF_HOST = 0,
};

/* Bytes that are cut off at the front; a cut that is too long makes all later ones fail. */
struct cutter {
    struct str rest;
    bool bad;
};

static struct str cut(struct cutter *c, size_t n)
{
    if (c->bad || n > c->rest.n) {
        c->bad = true;
        return (struct str){"", 0};
    }
    struct str part = str_slice(c->rest, 0, n);
    c->rest = str_slice(c->rest, n, c->rest.n);
    return part;
}

/* A big-endian number of `size` bytes. */
static size_t cut_number(struct cutter *c, size_t size)
{
    struct str bytes = cut(c, size);
    size_t n = 0;

    for (size_t i = 0; i < bytes.n; i++)
        n = n << 8 | (unsigned char)bytes.p[i];
    return n;
}

/* Bytes with their length before them. */
static struct str cut_vector(struct cutter *c, size_t size)
{
    return cut(c, cut_number(c, size));
}

/* ---- records ---- */

/* True if TLS begins with another record than that of a handshake, such as an alert. Some servers
 * read on to the hello that follows, so its name would not be seen here. */
static bool begins_otherwise(struct str bytes)
{
    unsigned char type = bytes.n ? (unsigned char)bytes.p[0] : 0;

    return type >= RECORD_FIRST && type <= RECORD_LAST && type != RECORD_HANDSHAKE;
}

/* The hello of SSL 2.0 that offers TLS: it has no server name. */
static bool is_old_hello(struct str bytes)
{
    return bytes.n >= 4 && ((unsigned char)bytes.p[0] & 0x80) && bytes.p[2] == 1 && bytes.p[3] <= 3;
}

/* Cuts a record off. Returns HELLO_WHOLE with its content; HELLO_NOT_TLS if it is no record. */
static enum hello_kind cut_record(struct str *bytes, struct str *ret_content)
{
    bool is_tls_1 = bytes->n < 2 || bytes->p[1] == 3;

    if (is_old_hello(*bytes))
        return HELLO_BAD;
    if (begins_otherwise(*bytes) && is_tls_1)
        return bytes->n < 2 ? HELLO_MORE : HELLO_BAD;
    if ((bytes->n && (unsigned char)bytes->p[0] != RECORD_HANDSHAKE) || !is_tls_1)
        return HELLO_NOT_TLS;
    if (bytes->n < RECORD_HEAD)
        return HELLO_MORE;
    struct cutter c = {.rest = str_slice(*bytes, 3, bytes->n)};
    size_t length = cut_number(&c, 2);
    if (length == 0 || length > RECORD_MAX)
        return HELLO_BAD;
    if (length > c.rest.n)
        return HELLO_MORE;
    *ret_content = cut(&c, length);
    *bytes = c.rest;
    return HELLO_WHOLE;
}

/* HELLO_WHOLE if the joined bytes have the whole message. */
static enum hello_kind look_at_joined(const char *joined, size_t n)
{
    struct cutter c = {.rest = {joined, n}};

    if (n < HANDSHAKE_HEAD)
        return HELLO_MORE;
    if (cut_number(&c, 1) != HANDSHAKE_CLIENT_HELLO)
        return HELLO_BAD;
    size_t whole = cut_number(&c, 3);
    if (whole > HELLO_MAX - HANDSHAKE_HEAD)
        return HELLO_BAD;
    return whole <= c.rest.n ? HELLO_WHOLE : HELLO_MORE;
}

/* Joins the content of the records at the start of the bytes: a hello may be in several. */
static enum hello_kind join(struct str bytes, char out[HELLO_MAX], size_t *ret_n)
{
    struct str content;
    size_t n = 0;

    for (;;) {
        enum hello_kind kind = cut_record(&bytes, &content);
        if (kind == HELLO_NOT_TLS)
            return n ? HELLO_BAD : HELLO_NOT_TLS;
        if (kind != HELLO_WHOLE)
            return kind;
        if (content.n > HELLO_MAX - n)
            return HELLO_BAD;
        memcpy(out + n, content.p, content.n);
        n += content.n;
        *ret_n = n;
        kind = look_at_joined(out, n);
        if (kind != HELLO_MORE)
            return kind;
    }
}

/* ---- the message ---- */

/* Reads the extension with the server's name: a list that holds exactly one name. */
static bool read_server_name(struct str content, struct hello *ret)
{
    struct cutter c = {.rest = content};
    struct cutter list = {.rest = cut_vector(&c, 2)};
    size_t kind = cut_number(&list, 1);
    struct str name = cut_vector(&list, 2);

    if (c.bad || c.rest.n || list.bad || list.rest.n || kind != NAME_OF_HOST)
        return false;
    if (name.n && name.p[name.n - 1] == '.')
        name.n--;
    if (name.n == 0 || name.n > NET_NAME_MAX || ret->name[0])
        return false;
    for (size_t i = 0; i < name.n; i++)
        ret->name[i] = ascii_lower(name.p[i]);
    ret->name[name.n] = '\0';
    return strlen(ret->name) == name.n; /* no NUL in it */
}

static bool read_extensions(struct str extensions, struct hello *ret)
{
    struct cutter c = {.rest = extensions};
    bool named = false;

    while (c.rest.n && !c.bad) {
        size_t kind = cut_number(&c, 2);
        struct str content = cut_vector(&c, 2);
        if (c.bad)
            return false;
        if (kind == EXTENSION_ECH || kind == EXTENSION_ESNI)
            ret->hides = true;
        if (kind != EXTENSION_NAME)
            continue;
        if (named || !read_server_name(content, ret))
            return false;
        named = true;
    }
    return !c.bad;
}

static bool read_message(struct str message, struct hello *ret)
{
    struct cutter c = {.rest = message};

    (void)cut(&c, 2 + 32);       /* version, random */
    (void)cut_vector(&c, 1);     /* session */
    (void)cut_vector(&c, 2);     /* ciphers */
    (void)cut_vector(&c, 1);     /* compression */
    if (!c.bad && c.rest.n == 0) /* extensions may be missing */
        return true;
    struct str extensions = cut_vector(&c, 2);
    return !c.bad && c.rest.n == 0 && read_extensions(extensions, ret);
}

enum hello_kind hello_read(struct str bytes, struct hello *ret)
{
    static _Thread_local char joined[HELLO_MAX];
    size_t n = 0;

    *ret = (struct hello){0};
    enum hello_kind kind = join(bytes, joined, &n);
    if (kind != HELLO_WHOLE)
        return kind;
    struct cutter c = {.rest = {joined, n}};
    (void)cut(&c, 1);
    struct str message = cut_vector(&c, 3);
    return !c.bad && read_message(message, ret) ? HELLO_WHOLE : HELLO_BAD;
}
