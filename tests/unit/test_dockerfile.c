/* SPDX-License-Identifier: Apache-2.0
 *
 * The images that a Dockerfile builds on.
 */
#include "docker/dockerfile.h"

#include "base/buf.h"
#include "base/mem.h"
#include "tap.h"

static char *found(const char *text)
{
    struct dockerfile_images images;
    struct buf b;

    buf_init(&b, 64 << 10);
    dockerfile_images(str_from(text), &images);
    for (size_t i = 0; i < images.n; i++)
        (void)buf_addf(&b, "%s%s", i ? " " : "", images.names[i]);
    dockerfile_images_done(&images);
    return buf_take(&b);
}

static void test_images(void)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"FROM python:3.11-slim\nRUN make", "python:3.11-slim"},
        {"from r.example:5000/x\r\n", "r.example:5000/x"},
        {"# FROM no\n\n  FROM a/b@sha256:12 \n", "a/b@sha256:12"},
        {"FROM --platform=linux/amd64 a AS Build\nFROM build\nFROM b\nFROM a", "a b"},
        {"FROM scratch\nFROM \nFROM", ""},
        {"FROM a\nCOPY --chown=1:1 --from=r.example/b /x /y\nCOPY --from=0 x y\nCOPY --from x y",
         "a r.example/b"},
        {"FROM a AS one\nCOPY --from=ONE x y\nCOPY x y", "a"},
        {"FROM \\\n  # why\n\n  a:1 \\\n AS one\nFROM one", "a:1"},
        {"# escape=`\nFROM `\na\nRUN b\\\nFROM c", "a c"},
        {"# syntax=x\n#escape = `\nFROM `\na", "a"},
        {"\n# escape=`\nFROM a`", "a`"},
        {"ARG R=r.example:5000\nARG T\nFROM $R/x:${T:-2}", "r.example:5000/x:2"},
        {"ARG R='r.example' S=$R/y\nFROM \"${S}\"", "r.example/y"},
        {"ARG A=1\nARG A=2\nFROM x:${A:+on}-$A-${B:+no}-${A:-0}", "x:on-2--2"},
        {"FROM a\nARG B=c\nFROM b$B", "a b"},
        {"FROM ${A\nFROM $\nFROM ${}\n", "{A"},
        {"RUN echo FROM x\nFROMAGE x\n\\\n", ""},
        {"", ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_FREE char *got = found(rows[i].text);
        EQ_STR(got, rows[i].want);
    }
}

/* Nothing of it grows without end. */
static void test_many(void)
{
    struct dockerfile_images images;
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 4 << 20);
    for (int i = 0; i < 1000; i++)
        (void)buf_addf(&text, "ARG A%d=%d\nFROM image%d AS stage%d\n", i, i, i, i);
    for (int i = 0; i < 100000; i++)
        (void)buf_adds(&text, "FROM \\\n");
    dockerfile_images(buf_str(&text), &images);
    EQ_INT((int)images.n, DOCKERFILE_IMAGES_MAX);
    EQ_STR(images.names[15], "image15");
    dockerfile_images_done(&images);
    buf_clear(&text);
    (void)buf_adds(&text, "ARG A=0123456789\nFROM ");
    for (int i = 0; i < 1000; i++)
        (void)buf_adds(&text, "$A");
    dockerfile_images(buf_str(&text), &images);
    EQ_INT((int)images.n, 0);
}

int main(void)
{
    RUN(test_images());
    RUN(test_many());
    return tap_done();
}
