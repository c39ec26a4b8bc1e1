/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/printable.h"

#include "base/mem.h"
#include "tap.h"

static void test_text(void)
{
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"a\x1b[31mb\x1b[0mc", "abc"},
        {"\x1b]0;title\x07x", "x"},
        {"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
        {"\x1b]never ends", "never ends"},
        {"a\x1b", "a"},
        {"50%\rdone\r\nx", "50%\ndone\nx"},
        {"a\bb\x7f\x01\tc", "ab\tc"},
        {"\xc2\x9b"
         "31mx",
         "31mx"},
        {"\xe2\x80\xaetxt.exe", "txt.exe"},
        {"\xff\xc3\xa9\xe2\x82", "\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_FREE char *got = printable_text(str_from(rows[i].text));
        EQ_STR(got, rows[i].shown);
    }
}

static void test_word(void)
{
    AUTO_BUF struct buf b = {0};
    buf_init(&b, 100);
    printable_add_word(&b, STR("  one\ntwo three "), 5);
    EQ_STR(b.p, "one t...");
}

int main(void)
{
    RUN(test_text());
    RUN(test_word());
    return tap_done();
}
