/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/mime.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"

static const struct {
    const char *extension;
    const char *type;
} by_name[] = {
    {"txt", "text/plain"},
    {"log", "text/plain"},
    {"md", "text/markdown"},
    {"markdown", "text/markdown"},
    {"rst", "text/x-rst"},
    {"tex", "text/x-tex"},
    {"csv", "text/csv"},
    {"tsv", "text/tab-separated-values"},
    {"html", "text/html"},
    {"htm", "text/html"},
    {"css", "text/css"},
    {"xml", "application/xml"},
    {"json", "application/json"},
    {"jsonl", "application/x-ndjson"},
    {"ndjson", "application/x-ndjson"},
    {"geojson", "application/geo+json"},
    {"ipynb", "application/x-ipynb+json"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"toml", "application/toml"},
    {"ini", "text/plain"},
    {"cfg", "text/plain"},
    {"conf", "text/plain"},
    {"diff", "text/x-diff"},
    {"patch", "text/x-diff"},
    {"py", "text/x-python"},
    {"pyi", "text/x-python"},
    {"go", "text/x-go"},
    {"js", "text/javascript"},
    {"mjs", "text/javascript"},
    {"ts", "text/x-typescript"},
    {"r", "text/x-r"},
    {"rmd", "text/markdown"},
    {"jl", "text/x-julia"},
    {"sh", "text/x-shellscript"},
    {"bash", "text/x-shellscript"},
    {"c", "text/x-c"},
    {"h", "text/x-c"},
    {"cc", "text/x-c++"},
    {"cpp", "text/x-c++"},
    {"hpp", "text/x-c++"},
    {"rs", "text/x-rust"},
    {"java", "text/x-java"},
    {"rb", "text/x-ruby"},
    {"lua", "text/x-lua"},
    {"sql", "application/sql"},
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},
    {"webp", "image/webp"},
    {"svg", "image/svg+xml"},
    {"bmp", "image/bmp"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"ico", "image/vnd.microsoft.icon"},
    {"avif", "image/avif"},
    {"pdf", "application/pdf"},
    {"ps", "application/postscript"},
    {"eps", "application/postscript"},
    {"rtf", "application/rtf"},
    {"epub", "application/epub+zip"},
    {"doc", "application/msword"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"xls", "application/vnd.ms-excel"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"ppt", "application/vnd.ms-powerpoint"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {"odp", "application/vnd.oasis.opendocument.presentation"},
    {"zip", "application/zip"},
    {"whl", "application/zip"},
    {"gz", "application/gzip"},
    {"tgz", "application/gzip"},
    {"bz2", "application/x-bzip2"},
    {"xz", "application/x-xz"},
    {"zst", "application/zstd"},
    {"7z", "application/x-7z-compressed"},
    {"tar", "application/x-tar"},
    {"jar", "application/java-archive"},
    {"parquet", "application/vnd.apache.parquet"},
    {"arrow", "application/vnd.apache.arrow.file"},
    {"feather", "application/vnd.apache.arrow.file"},
    {"sqlite", "application/vnd.sqlite3"},
    {"sqlite3", "application/vnd.sqlite3"},
    {"h5", "application/x-hdf5"},
    {"hdf5", "application/x-hdf5"},
    {"wasm", "application/wasm"},
    {"mp3", "audio/mpeg"},
    {"wav", "audio/wav"},
    {"flac", "audio/flac"},
    {"ogg", "audio/ogg"},
    {"m4a", "audio/mp4"},
    {"mp4", "video/mp4"},
    {"m4v", "video/mp4"},
    {"webm", "video/webm"},
    {"mov", "video/quicktime"},
    {"avi", "video/x-msvideo"},
    {"mkv", "video/x-matroska"},
    {"ttf", "font/ttf"},
    {"otf", "font/otf"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
};

/* A file of this type has `mark` at offset `at`. */
static const struct {
    size_t at;
    struct str mark;
    const char *type;
} by_content[] = {
    {0, {"\x89PNG\r\n\x1a\n", 8}, "image/png"},
    {0, {"\xff\xd8\xff", 3}, "image/jpeg"},
    {0, {"GIF87a", 6}, "image/gif"},
    {0, {"GIF89a", 6}, "image/gif"},
    {8, {"WEBPVP8", 7}, "image/webp"},
    {8, {"WAVEfmt ", 8}, "audio/wav"},
    {0, {"%PDF-", 5}, "application/pdf"},
    {0, {"PK\3\4", 4}, "application/zip"},
    {0, {"PK\5\6", 4}, "application/zip"}, /* an empty archive */
    {0, {"\x1f\x8b\x08", 3}, "application/gzip"},
    {0, {"BZh", 3}, "application/x-bzip2"},
    {0, {"\xfd\x37zXZ\0", 6}, "application/x-xz"},
    {0, {"\x28\xb5\x2f\xfd", 4}, "application/zstd"},
    {257, {"ustar", 5}, "application/x-tar"},
    {0, {"PAR1", 4}, "application/vnd.apache.parquet"},
    {0, {"ARROW1\0", 7}, "application/vnd.apache.arrow.file"},
    {0, {"SQLite format 3\0", 16}, "application/vnd.sqlite3"},
    {0, {"\x89HDF\r\n\x1a\n", 8}, "application/x-hdf5"},
    {0, {"\x7f\x45LF", 4}, "application/x-elf"},
    {0, {"\0asm", 4}, "application/wasm"},
    {0, {"OggS", 4}, "audio/ogg"},
    {0, {"fLaC", 4}, "audio/flac"},
    {0, {"ID3", 3}, "audio/mpeg"},
    {4, {"ftyp", 4}, "video/mp4"},
};

/* The part after the last dot of the last component; empty for ".profile" and "README". */
static struct str extension_of(struct str name)
{
    for (size_t i = name.n; i-- > 1 && name.p[i] != '/';)
        if (name.p[i] == '.')
            return name.p[i - 1] == '/' ? (struct str){"", 0} : str_slice(name, i + 1, name.n);
    return (struct str){"", 0};
}

/* True for UTF-8 (the end of the head may have split a character), and for bytes that are all
 * possible in a one-byte encoding of text. */
static bool looks_like_text(struct str head)
{
    if (head.n && memchr(head.p, '\0', head.n))
        return false;
    if (head.n - utf8_valid_prefix(head) < 4)
        return true;
    for (size_t i = 0; i < head.n; i++) {
        unsigned char c = (unsigned char)head.p[i];
        bool white = c >= '\b' && c <= '\r';
        if (c < ' ' && !white && c != 0x1b)
            return false;
    }
    return true;
}

const char *mime_type_of_name(const char *name, size_t n)
{
    struct str extension = extension_of((struct str){name, n});

    for (size_t i = 0; extension.n && i < ARRAY_LEN(by_name); i++)
        if (str_is_nocase(extension, by_name[i].extension))
            return by_name[i].type;
    return NULL;
}

const char *mime_type(const char *name, size_t n, const void *head, size_t head_n)
{
    struct str bytes = {head, head_n < MIME_HEAD ? head_n : MIME_HEAD};
    const char *named = mime_type_of_name(name, n);

    if (named)
        return named;
    for (size_t i = 0; i < ARRAY_LEN(by_content); i++) {
        size_t end = by_content[i].at + by_content[i].mark.n;
        if (str_eq(str_slice(bytes, by_content[i].at, end), by_content[i].mark))
            return by_content[i].type;
    }
    return looks_like_text(bytes) ? "text/plain" : "application/octet-stream";
}
