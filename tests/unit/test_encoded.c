/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "base/encoded.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tap.h"

static void adk(struct str in, const char *want)
{
    AUTO_BUF struct buf once = {0}, twice = {0};

    buf_init(&once, 1000);
    buf_init(&twice, 1000);
    OK(encoded_adk(in, &once) == 0, "it fits");
    EQ_STR(once.p, want);
    OK(encoded_adk(buf_str(&once), &twice) == 0 && str_eq(buf_str(&once), buf_str(&twice)),
       "once more changes nothing");
}

static void test_adk(void)
{
    adk(STR("hello"), "aGVsbG8=");
    adk(STR("aGVsbG8="), "aGVsbG8=");
    adk(STR("abcd"), "abcd");             /* the ambiguity that comes with it */
    adk(STR("aGVsbG9="), "YUdWc2JHOT0="); /* two bits too many: no base64 that anybody writes */
    adk(STR("a==="), "YT09PQ==");
    adk(STR("YQ==YQ=="), "WVE9PVlRPT0=");
    adk(STR("aGVs\nbG8="), "YUdWcwpiRzg9");
    adk(STR(""), "");
    adk(STR("\0\xff"), "AP8=");
}

static struct str string_of(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return (struct str){json_string_value(value), json_string_length(value)};
}

static void file_returns(struct str bytes, const char *encoding)
{
    json_t *file = encoded_file(STR("a.bin"), bytes);
    struct err err;
    AUTO_BUF struct buf back = {0};

    buf_init(&back, 1 << 16);
    OK(!encoding || str_is(string_of(file, "encoding"), encoding), "%zu bytes as %s", bytes.n,
       json_string_value(json_object_get(file, "encoding")));
    OK(encoded_read(string_of(file, "content"), string_of(file, "encoding"), &back, &err) == 0 &&
           str_eq(buf_str(&back), bytes),
       "there and back");
    EQ_INT(json_integer_value(json_object_get(file, "size")), bytes.n);
    json_decref(file);
}

static void test_files(void)
{
    char bytes[256];

    file_returns(STR("abcd"), "utf-8");
    file_returns(STR(""), "utf-8");
    file_returns(STR("gr\xc3\xbc\xc3\x9f"), "utf-8");
    file_returns(STR("a\0b"), "base64");
    file_returns(STR("\xff"), "base64");
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    for (size_t n = 0; n < sizeof bytes; n++)
        file_returns((struct str){bytes + 255 - n, n}, NULL);
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
    RUN(test_adk());
    RUN(test_files());
    refuses("abc", "base64");
    refuses("ab=c", "base64");
    refuses("ab!=", "base64");
    refuses("abcd", "rot13");
    refuses("more than ten bytes", "utf-8");
    return tap_done();
}
