/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "base/str.h"
#include "formats/mime.h"
#include "tap.h"

static const struct {
    struct str name;
    struct str head;
    const char *type;
} cases[] = {
    /* The name decides, whatever is inside and however it is written. */
    {STR("a.txt"), STR("\x89PNG\r\n\x1a\n"), "text/plain"},
    {STR("a.py"), STR(""), "text/x-python"},
    {STR("a.go"), STR(""), "text/x-go"},
    {STR("a.js"), STR(""), "text/javascript"},
    {STR("a.json"), STR(""), "application/json"},
    {STR("a.csv"), STR("\0\0"), "text/csv"},
    {STR("a.html"), STR(""), "text/html"},
    {STR("a.xml"), STR(""), "application/xml"},
    {STR("a.png"), STR(""), "image/png"},
    {STR("a.jpg"), STR(""), "image/jpeg"},
    {STR("a.jpeg"), STR(""), "image/jpeg"},
    {STR("a.gif"), STR(""), "image/gif"},
    {STR("a.pdf"), STR(""), "application/pdf"},
    {STR("PLOT.PNG"), STR(""), "image/png"},
    {STR("analysis.R"), STR(""), "text/x-r"},
    {STR("deep/er/a.tar.gz"), STR(""), "application/gzip"},
    {STR("a.xlsx"), STR("PK\3\4"),
     "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    /* No extension: folders with dots, dot-files, dots at the end. */
    {STR("v1.png/notes"), STR("hello"), "text/plain"},
    {STR(".png"), STR("hello"), "text/plain"},
    {STR("dir/.csv"), STR("hello"), "text/plain"},
    {STR("a."), STR("hello"), "text/plain"},
    {STR(""), STR(""), "text/plain"},
    {STR("a.unheard-of"), STR("hello"), "text/plain"},
    {STR("a.p\0ng"), STR("hello"), "text/plain"},
    {STR("\xff.\xff"), STR("hello"), "text/plain"},
    /* The content decides. */
    {STR("x"), STR("\x89PNG\r\n\x1a\n...."), "image/png"},
    {STR("x"), STR("\xff\xd8\xff\xe0"), "image/jpeg"},
    {STR("x"), STR("GIF89a"), "image/gif"},
    {STR("x"), STR("RIFF\1\2\3\4WEBPVP8 "), "image/webp"},
    {STR("x"), STR("RIFF\1\2\3\4WAVEfmt "), "audio/wav"},
    {STR("x"), STR("%PDF-1.7\n"), "application/pdf"},
    {STR("x"), STR("PK\3\4zzzz"), "application/zip"},
    {STR("x"), STR("\x1f\x8b\x08zz"), "application/gzip"},
    {STR("x"), STR("\x7f\x45LF\2\1\1"), "application/x-elf"},
    {STR("x"), STR("PAR1"), "application/vnd.apache.parquet"},
    /* A mark that is cut short is none. */
    {STR("x"), STR("%PDF"), "text/plain"},
    {STR("x"), STR("RIFF\1\2\3\4WEB"), "text/plain"},
    /* Text or not. */
    {STR("x"), STR(""), "text/plain"},
    {STR("x"), STR("gr\xc3\xbc\xc3\x9f"), "text/plain"},
    {STR("x"), STR("cut \xe2\x82"), "text/plain"},
    {STR("x"), STR("\xe9t\xe9 \xe0 la plage\n"), "text/plain"}, /* Latin-1 */
    {STR("x"), STR("\x1b[31mred\x1b[0m"), "text/plain"},
    {STR("x"), STR("a\0b"), "application/octet-stream"},
    {STR("x"), STR("\x01\x02\xff\xfe\xfd\xfc"), "application/octet-stream"},
};

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *got =
            mime_type(cases[i].name.p, cases[i].name.n, cases[i].head.p, cases[i].head.n);
        OK(tap_same(got, cases[i].type), "%zu: \"%s\" is %s", i, cases[i].name.p, cases[i].type);
    }

    /* Only the first 512 bytes count; a tar's mark lies within them. */
    char big[700];
    memset(big, 'a', sizeof big);
    big[600] = '\0';
    EQ_STR(mime_type("x", 1, big, sizeof big), "text/plain");
    big[511] = '\0';
    EQ_STR(mime_type("x", 1, big, sizeof big), "application/octet-stream");
    memcpy(big + 257, "ustar", 5);
    EQ_STR(mime_type("x", 1, big, sizeof big), "application/x-tar");
    EQ_STR(mime_type("x", 1, big, 260), "text/plain");
    return tap_done();
}
