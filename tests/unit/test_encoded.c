/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_write.h"
#include "tap.h"

static void returns(struct str bytes)
{
    struct err err;
    AUTO_BUF struct buf content = {0}, back = {0};

    buf_init(&content, 1 << 16);
    buf_init(&back, 1 << 16);
    (void)base64_add(&content, bytes);
    OK(encoded_read(buf_str(&content), STR("base64"), &back, &err) == 0 &&
           str_eq(buf_str(&back), bytes),
       "%zu bytes there and back", bytes.n);
}

static void test_bytes(void)
{
    char bytes[256];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    for (size_t n = 0; n < sizeof bytes; n++)
        returns((struct str){bytes + 255 - n, n});
}

static void test_text(void)
{
    json_t *o = json_object();

    encoded_set_text(o, "plain", STR("gr\xc3\xbc\xc3\x9f"));
    encoded_set_text(o, "odd", STR("a\xff"));
    AUTO_FREE char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
    EQ_STR(text,
           "{\"odd\":\"a\xef\xbf\xbd\",\"odd_base64\":\"Yf8=\",\"plain\":\"gr\xc3\xbc\xc3\x9f\"}");
    json_decref(o);
}

/* JSON that we write may be shown on a terminal, and its texts are a guest's. */
static void test_hidden(void)
{
    const char *text = "\x1B\x7F \xC2\x9B"
                       "31m \xE2\x80\xAE \xF3\xA0\x80\x81 \xC3\xA9 \xE6\xBC\xA2";
    json_t *v = json_string(text);
    AUTO_FREE char *written = json_write(v, false);
    json_t *again = json_loads(written, JSON_DECODE_ANY, NULL);

    EQ_STR(written, "\"\\u001B\\u007F \\u009B31m \\u202E \\uDB40\\uDC01 \xC3\xA9 \xE6\xBC\xA2\"");
    EQ_STR(json_string_value(again), text);
    json_decref(v);
    json_decref(again);
}

static void refuses(const char *content, const char *encoding)
{
    struct err err = {0};
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 10);
    OK(encoded_read(str_from(content), str_from(encoding), &b, &err) < 0 && err.msg[0],
       "%s as %s: %s", content, encoding, err.msg);
}

int main(void)
{
    RUN(test_bytes());
    RUN(test_text());
    RUN(test_hidden());
    refuses("abc", "base64");
    refuses("ab=c", "base64");
    refuses("ab!=", "base64");
    refuses("abcd", "rot13");
    refuses("more than ten bytes", "utf-8");
    return tap_done();
}
