/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes to text: line ends, marks, what a coding line names; and errors of it, beside CPython's.
 */
#include "base/mem.h"
#include "python_oracle.h"
#include "syntax/lex.h"

enum { ANSWER_MAX = 64 << 20 };

static unsigned target; /* the oracle's, or our newest */

/* ---- by hand ---- */

static void check_text(struct str bytes, struct str want)
{
    struct python_tree tree = {.target = 12, .memory_limit = PYTHON_MEMORY};

    EQ_INT(source_read(&tree, bytes), 0);
    OK(str_eq(tree.text, want), "%zu bytes are read", bytes.n);
    EQ_INT(tree.text.p[tree.text.n], 0);
    python_tree_done(&tree);
}

static void test_text(void)
{
    check_text(STR(""), STR("\n"));
    check_text((struct str){NULL, 0}, STR("\n"));
    check_text(STR("a"), STR("a\n"));
    check_text(STR("a\n"), STR("a\n"));
    check_text(STR("a\r\nb\rc\r\r\nd\n\r"), STR("a\nb\nc\n\nd\n\n"));
    check_text(STR("\r"), STR("\n"));
    check_text(STR("\xEF\xBB\xBF"
                   "é\f\v"),
               STR("é\f\v\n"));
    check_text(STR("\xEF\xBB\xBF"), STR("\n"));
    check_text(STR("# coding: latin-1\r\xE9"), STR("# coding: latin-1\né\n"));
    check_text(STR("#\r\n# vim: fileencoding=cp1252 :\r\n\x80"),
               STR("#\n# vim: fileencoding=cp1252 :\n€\n"));
    check_text(STR("x\n# coding: nope\n"), STR("x\n# coding: nope\n"));
}

static void check_encoding(const char *text, const char *want)
{
    struct python_tree tree = {.target = 14, .memory_limit = PYTHON_MEMORY};

    EQ_INT(source_read(&tree, str_from(text)), 0);
    EQ_STR(tree.encoding, want);
    python_tree_done(&tree);
}

static void test_encoding(void)
{
    check_encoding("", "utf-8");
    check_encoding("# -*- coding: UTF_8-unix -*-", "utf-8");
    check_encoding("\xEF\xBB\xBF# coding=utf-8\n", "utf-8");
    check_encoding("\f \t# coding=\t Latin_1-unix", "iso-8859-1");
    check_encoding("\n#coding:koi8-r", "koi8-r");
    check_encoding("# coding : koi8-r\n# encoding coding:KOI8-R", "KOI8-R");
}

static void check_refused(struct str bytes, size_t limit, enum python_error_kind kind,
                          const char *want)
{
    struct python_tree tree = {.target = 14, .memory_limit = limit};

    EQ_INT(source_read(&tree, bytes), -1);
    EQ_INT(tree.error.kind, kind);
    OK(strstr(tree.error.message, want), "\"%s\" has \"%s\"", tree.error.message, want);
    python_tree_done(&tree);
}

static void test_refused(void)
{
    check_refused(STR("1234567890"), 64, PYTHON_MEMORY_ERROR, "too large");
    check_refused(STR("#coding:euc_jp\n"), PYTHON_MEMORY, PYTHON_SYNTAX_ERROR,
                  "save the file as UTF-8");
    check_refused(STR("#coding:latin-1\n\0"), PYTHON_MEMORY, PYTHON_SYNTAX_ERROR, "null bytes");
    check_refused(STR("#coding:no_name_of_an_encoding_is_as_long_as_this_one\n"), PYTHON_MEMORY,
                  PYTHON_SYNTAX_ERROR,
                  "unknown encoding: no_name_of_an_encoding_is_as_long_as_this_one");
    check_refused(STR("a\n'é\xE9'\n"), PYTHON_MEMORY, PYTHON_UNICODE_ERROR,
                  "Non-UTF-8 code starting with '\\xe9' on line 2");
}

/* Wherever the wrong byte stands, it is found there. */
static void test_each_place(void)
{
    char text[80];
    int wrong = 0;

    for (int at = 0; at < 70; at++) {
        memset(text, at % 2 ? 'a' : 'b', sizeof text);
        if (at > 3)
            memcpy(text + at - 2, "é", 2);
        text[at] = '\xFF';
        struct python_tree tree = {.target = 14, .memory_limit = PYTHON_MEMORY};
        wrong += source_read(&tree, (struct str){text, sizeof text}) == 0 ||
                 tree.error.column != at + 1 - (at > 3);
        python_tree_done(&tree);
    }
    EQ_INT(wrong, 0);
}

/* ---- errors, beside CPython ---- */

static const struct str wrong[] = {
    STR("# coding: nope\n"),
    STR("#coding:nope"),
    STR("\n  # coding: nope"),
    STR("#!/usr/bin/python\n# coding: nope\n"),
    STR("# -*- vim: set fileencoding=nope : -*-\n"),
    STR("# This is xcoding: nope\n"),
    STR("# coding: a b coding: nope\n"),
    STR("# coding:- \n"),
    STR("# coding: ..\n"),
    STR("\f# coding: nope\n"),
    STR("# coding: cp1252-unix\n"),
    STR("# coding: mbcs\n"),
    STR("# coding: rot13\n"),
    STR("# coding: Hex\n"),
    STR("# coding: base-64\n"),
    STR("\xEF\xBB\xBF# coding: latin-1\n"),
    STR("\xEF\xBB\xBF# coding: utf8\n"),
    STR("\xEF\xBB\xBF\n  # coding: latin-1 é yy\n"),
    STR("\xEF\xBB\xBF# coding: nope\n"),
    STR("# coding: ascii\nx=\"\xE9\""),
    STR("# coding: us-ascii\r\n\r\n\"\xFF\""),
    STR("# coding: cp1252\nx=\"\x81\""),
    STR("# coding: 1252\n\x81 = ="),
    STR("# coding: utf8\nx=\"\xC3"),
    STR("# coding: utf8\nx=\"\xE2\x82\""),
    STR("# coding: utf8\nx=\"\xF0\x9F\x98\""),
    STR("# coding: utf8\nx=\"\xED\xA0\x80\""),
    STR("# coding: utf8\nx=\"\xE0\x80\x80\""),
    STR("# coding: utf8\nx=\"\xF4\x90\x80\x80\""),
    STR("# coding: utf8\nx=\"\xF0\x80\""),
    STR("# coding: utf8\nx=\"\xF1\x80\x80"
        "a\""),
    STR("# coding: utf8\nx=\"\xC0\x80\""),
    STR("# coding: utf8\n\x80"),
    STR("# coding: utf--8\n\xFF"),
    STR("# coding: u8\n\xF5"),
    STR("# coding: cp65001\n\xFF"),
    STR("x\0y"),
    STR("\0"),
    STR("#\0"),
    STR("\xEF\xBB\xBF\0"),
};

static const char ask_errors[] =
    "import sys\n"
    "for case in sys.stdin.read().split():\n"
    "    try:\n"
    "        compile(bytes.fromhex(case), '', 'exec')\n"
    "        print('right', end='\\0')\n"
    "    except SyntaxError as e:\n"
    "        print('%s %d:%d-%d:%d %s' % (type(e).__name__, e.lineno or 0, e.offset or 0,\n"
    "                                     e.end_lineno or 0, e.end_offset or 0, e.msg), "
    "end='\\0')\n"
    "    except ValueError as e:\n"
    "        print('%s 0:0-0:0 %s' % (type(e).__name__, e), end='\\0')\n";

static void compare_error(struct str bytes, struct str want)
{
    struct python_tree tree = {.target = target, .memory_limit = PYTHON_MEMORY};
    const struct python_error *e = &tree.error;
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 10000);
    if (source_read(&tree, bytes) < 0)
        buf_addf(&got, "%s %u:%d-%u:%d %s", python_error_name(e->kind), e->line, e->column,
                 e->end_line, e->end_column, e->message);
    if (!OK(str_eq(buf_str(&got), want), "told as CPython tells it"))
        printf("# of %.*s\n# got %s, want %.*s\n", (int)bytes.n, bytes.p, got.p, (int)want.n,
               want.p);
    python_tree_done(&tree);
}

static void test_errors(void)
{
    AUTO_BUF struct buf cases = {0};
    AUTO_BUF struct buf answer = {0};
    struct str want;

    buf_init(&cases, ANSWER_MAX);
    buf_init(&answer, ANSWER_MAX);
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        for (size_t k = 0; k < wrong[i].n; k++)
            buf_addf(&cases, "%02x", (unsigned char)wrong[i].p[k]);
        buf_addc(&cases, '\n');
    }
    if (!OK(oracle_ask(ask_errors, buf_str(&cases), &answer), "CPython was asked"))
        return;
    struct str answers = buf_str(&answer);
    for (size_t i = 0; i < ARRAY_LEN(wrong) && str_next(&answers, '\0', &want); i++)
        compare_error(wrong[i], want);
}

/* ---- encodings, beside CPython ---- */

/* For each name of an encoding with one byte for each character: a text with all of them (but line
 * ends), as bytes and decoded. */
static const char ask_encodings[] =
    "import codecs, encodings, encodings.aliases as a, pkgutil, sys\n"
    "names = {m.name for m in pkgutil.iter_modules(encodings.__path__)} | set(a.aliases)\n"
    "for name in sorted(names - {'aliases', 'mbcs', 'oem', 'dbcs', 'ansi'}):\n"
    "    try:\n"
    "        info = codecs.lookup(name)\n"
    "        module = __import__('encodings.' + a.aliases.get(name, name), fromlist=['*'])\n"
    "    except (LookupError, ImportError):\n"
    "        continue\n"
    "    if not hasattr(module, 'decoding_table') and info.name not in ('ascii', 'iso8859-1'):\n"
    "        continue\n"
    "    good = bytes(b for b in range(1, 256) if b not in b'\\r\\n' and\n"
    "                 bytes([b]).decode(name, 'ignore') not in ('', '\\r', '\\n', '\\0'))\n"
    "    text = b'# coding: %s\\n%s\\n' % (name.encode(), good)\n"
    "    try:\n"
    "        print(text.hex(), text.decode(name).encode().hex())\n"
    "    except UnicodeDecodeError: # (not even its name can be written in it)\n"
    "        pass\n";

static void add_bytes(struct buf *b, struct str hex)
{
    for (size_t i = 0; i + 1 < hex.n; i += 2) {
        struct str byte = str_slice(hex, i, i + 2);
        buf_addc(b, (char)oracle_hex(&byte));
    }
}

static bool same_text(struct str line)
{
    struct python_tree tree = {.target = target, .memory_limit = PYTHON_MEMORY};
    AUTO_BUF struct buf bytes = {0};
    AUTO_BUF struct buf want = {0};
    struct str hex;

    buf_init(&bytes, 10000);
    buf_init(&want, 10000);
    (void)str_next(&line, ' ', &hex);
    add_bytes(&bytes, hex);
    add_bytes(&want, line);
    if (want.n && want.p[want.n - 1] != '\n')
        buf_addc(&want, '\n');
    bool same = source_read(&tree, buf_str(&bytes)) == 0 && str_eq(tree.text, buf_str(&want));
    if (!same)
        printf("# %s: %s\n", bytes.p, tree.error.message ? tree.error.message : "differs");
    python_tree_done(&tree);
    return same;
}

static void test_encodings(void)
{
    AUTO_BUF struct buf answer = {0};
    struct str line;
    int names = 0, differ = 0;

    buf_init(&answer, ANSWER_MAX);
    OK(oracle_ask(ask_encodings, STR(""), &answer), "CPython was asked");
    for (struct str lines = buf_str(&answer); str_next_line(&lines, &line); names++)
        differ += !same_text(line);
    EQ_INT(differ, 0);
    OK(names > 250, "%d names of encodings", names);
}

int main(void)
{
    target = oracle_target() ? oracle_target() : PYTHON_NEWEST;
    RUN(test_text());
    RUN(test_encoding());
    RUN(test_refused());
    RUN(test_each_place());
    if (oracle_target()) {
        RUN(test_errors());
        RUN(test_encodings());
    } else {
        SKIP("needs a Python");
    }
    return tap_done();
}
