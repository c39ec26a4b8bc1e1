/* SPDX-License-Identifier: Apache-2.0 */
#include "program/fold.h"

#include "base/buf.h"
#include "base/mem.h"
#include "program/resolve.h"
#include "python/python.h"
#include "tap.h"

/* What the last statement's expression may stand for, as text. */
static void describe(const struct value *v, struct buf *b)
{
    static const char *const names[] = {
        [VALUE_UNKNOWN] = "?",       [VALUE_NONE] = "None",       [VALUE_FUNCTION] = "function",
        [VALUE_CLASS] = "class",     [VALUE_INSTANCE] = "object", [VALUE_METHOD] = "method",
        [VALUE_PARTIAL] = "partial", [VALUE_GETTER] = "getter",   [VALUE_DECODED] = "decoded",
        [VALUE_FLOAT] = "float",
    };

    switch ((int)v->kind) {
    case VALUE_BOOL:
        (void)buf_adds(b, v->integer ? "True" : "False");
        return;
    case VALUE_INT:
        (void)buf_addf(b, "%lld", (long long)v->integer);
        return;
    case VALUE_HUGE:
        (void)buf_addf(b, "huge %.0f", v->real < 1e15 ? v->real : 1e15);
        return;
    case VALUE_TEXT:
    case VALUE_BYTES:
        (void)buf_addf(b, "%s'%.*s'", v->kind == VALUE_BYTES ? "b" : "", (int)v->text.n, v->text.p);
        return;
    case VALUE_PATH:
        (void)buf_add_str(b, v->text);
        return;
    case VALUE_SPACE:
    case VALUE_ENDLESS:
        (void)buf_addf(b, "%s %.*s", v->kind == VALUE_SPACE ? "space" : "endless", (int)v->text.n,
                       v->text.p);
        return;
    case VALUE_LIST:
    case VALUE_DICT:
    case VALUE_ANY:
        (void)buf_adds(b, v->kind == VALUE_ANY ? "any(" : "[");
        for (size_t i = 0; i < v->n; i++) {
            (void)buf_adds(b, i ? ", " : "");
            describe(v->items[i], b);
        }
        (void)buf_adds(b, v->kind == VALUE_ANY ? ")" : "]");
        return;
    }
    (void)buf_adds(b, names[v->kind]);
}

static const char *value_of_last(const char *code)
{
    static char out[512];
    AUTO_BUF struct buf b = {0};
    struct python_tree tree;
    struct program program;
    struct resolver resolver = {0};

    buf_init(&b, sizeof out - 1);
    if (python_parse(str_from(code), &(struct python_options){0}, &tree) < 0 ||
        python_check(&tree) < 0) {
        python_tree_done(&tree);
        return "does not compile";
    }
    program_init(&program, &tree, false);
    struct node_list body = tree.module->module.body;
    resolver_init(&resolver, &program);
    describe(resolve(&resolver, body.at[body.n - 1]->value_of.value, program.module_scope), &b);
    snprintf(out, sizeof out, "%s", b.p);
    resolver_done(&resolver);
    program_done(&program);
    python_tree_done(&tree);
    return out;
}

static const struct {
    const char *code, *want;
} cases[] = {
    /* texts */
    {"'sys' + 'tem'", "'system'"},
    {"'ab' * 3", "'ababab'"},
    {"'metsys'[::-1]", "'system'"},
    {"'xsystemx'[1:-1]", "'system'"},
    {"'abc'[-1] + 'abc'[0]", "'ca'"},
    {"'h\xC3\xA9!'[1]", "'\xC3\xA9'"},
    {"'h\xC3\xA9!'[::-1]", "'!\xC3\xA9h'"},
    {"''.join(['s', 'y'])", "'sy'"},
    {"'-'.join('abc')", "'a-b-c'"},
    {"''.join(chr(c) for c in [115, 121])", "'sy'"},
    {"''.join([chr(c + 1) for c in (114, 120)])", "'sy'"},
    {"''.join(map(chr, [115, 121]))", "'sy'"},
    {"''.join(map(lambda c: chr(c ^ 1), [114, 120]))", "'sy'"},
    {"''.join(reversed('ys'))", "'sy'"},
    {"'SYSTEM'.lower()", "'system'"},
    {"'sXystXem'.replace('X', '')", "'system'"},
    {"' os '.strip()", "'os'"},
    {"'a,b'.split(',')[1]", "'b'"},
    {"'a b  c'.split()", "['a', 'b', 'c']"},
    {"'{}{}'.format('sys', 'tem')", "'system'"},
    {"'{1}{0}{x}'.format('b', 'a', x='c')", "'abc'"},
    {"'{0:>5}'.format('b')", "?"},
    {"'sy%s' % 'stem'", "'system'"},
    {"'%s%c%d' % ('a', 98, 3)", "'ab3'"},
    {"f\"{'sys'}tem\"", "'system'"},
    {"x = 'tem'\nf'sys{x}'", "'system'"},
    {"'abc'.translate(str.maketrans('abc', 'xyz'))", "'xyz'"},
    {"str(1) + str(True)", "'1True'"},
    {"'x'.removeprefix('x') + 'y'", "'y'"},
    {"str.join('', ['o', 's'])", "'os'"},
    {"'os'.encode().decode()", "'os'"},
    {"b'os'.hex()", "'6f73'"},
    {"chr(0x65) + chr(0x20ac)", "'e\xE2\x82\xAC'"},
    {"ord('e')", "101"},
    {"int('65', 16)", "101"},
    /* decoders */
    {"import base64\nbase64.b64decode('c3lzdGVt').decode()", "'system'"},
    {"import base64\nbase64.b32decode(b'ON4XG5DFNU======')", "b'system'"},
    {"import codecs\ncodecs.decode('flfgrz', 'rot13')", "'system'"},
    {"import codecs\ncodecs.decode('flfgrz', 'ROT_13')", "'system'"},
    {"bytes.fromhex('6f 73').decode('ascii')", "'os'"},
    {"import binascii\nbinascii.unhexlify('6f73')", "b'os'"},
    {"bytes([111, 115]).decode()", "'os'"},
    {"import zlib\nzlib.decompress(x)", "decoded"},
    {"import zlib, base64\nzlib.decompress(base64.b64decode(x)).decode()", "decoded"},
    /* numbers */
    {"2 + 3 * 4 - 20 // 3", "8"},
    {"-7 // 2", "-4"},
    {"-7 % 3", "2"},
    {"~5 & 0xff | 1 << 8", "506"},
    {"2**10", "1024"},
    {"(-2)**3", "-8"},
    {"9**9**9", "huge 1228093895"},
    {"1 << 10**10", "huge 10000000001"},
    {"1**10**10", "1"},
    {"9223372036854775807 + 1", "huge 65"},
    {"not 0", "True"},
    {"1 // 0", "?"},
    {"len('abc')", "3"},
    {"list(range(0, 7, 3))", "[0, 3, 6]"},
    {"[1, 2][5]", "?"},
    /* what names stand for */
    {"import os as o\no.system", "os.system"},
    {"import os.path as p\np.join", "os.path.join"},
    {"import os.path\nos.system", "os.system"},
    {"from os import system as s\ns", "os.system"},
    {"from os import *\nsystem", "os.system"},
    {"import posix\nposix.system", "os.system"},
    {"import io\nio.open", "builtins.open"},
    {"eval", "builtins.eval"},
    {"nothing_known", "?"},
    {"x = eval\nx", "builtins.eval"},
    {"x = eval\nx = exec\nx", "any(builtins.eval, builtins.exec)"},
    {"x, (y, z) = 1, (2, eval)\nz", "builtins.eval"},
    {"x, y = 1, eval\ny", "builtins.eval"},
    {"for f in (eval, exec): pass\nf", "any(builtins.eval, builtins.exec)"},
    {"(x := eval)\nx", "builtins.eval"},
    {"x = 'sys'\nx += 'tem'\nx", "any('sys', 'system')"},
    {"__builtins__['eval']", "builtins.eval"},
    {"globals()['__builtins__'].eval", "builtins.eval"},
    {"import os\nvars(os)['system']", "os.system"},
    {"import os\nos.__dict__.get('system')", "os.system"},
    {"import sys\nsys.modules.get('os').system", "os.system"},
    {"__import__('os').system", "os.system"},
    {"__import__('os.path').system", "os.system"},
    {"import importlib\nimportlib.import_module('os.path').join", "os.path.join"},
    {"import random\nrandom._os", "os"},
    {"import socket\nsocket.socket", "socket.socket"},
    {"print.__self__.eval", "builtins.eval"},
    {"[eval][0]", "builtins.eval"},
    {"{'a': 1, 'e': eval}['e']", "builtins.eval"},
    {"dict(e=eval)['e']", "builtins.eval"},
    {"eval if x else exec", "any(builtins.eval, builtins.exec)"},
    {"eval if 0 else exec", "builtins.exec"},
    {"x or eval", "builtins.eval"},
    {"def f(): return eval\nf()", "builtins.eval"},
    {"def f(a, b='tem'): return a + b\nf('sys')", "'system'"},
    {"(lambda s: s[::-1])('metsys')", "'system'"},
    {"(lambda *, k: k)", "function"},
    {"class A:\n    run = eval\nA.run", "builtins.eval"},
    {"class A:\n    run = eval\nA().run", "builtins.eval"},
    {"import operator, os\noperator.attrgetter('system')(os)", "os.system"},
    {"import functools\nfunctools.partial(getattr, 1)", "partial"},
    {"import os\nobject.__getattribute__(os, 'system')", "os.system"},
    {"from pathlib import Path\n(Path('a') / 'b').unlink", "pathlib.Path().unlink"},
    {"import itertools\nitertools.count()", "endless itertools.count"},
    {"import itertools\nitertools.repeat(1, 2)", "?"},
    {"iter(int, 1)", "endless iter"},
    {"iter(int, 0)", "?"},
    {"a = b\nb = a\na", "?"},
    {"f = lambda: f()\nf()", "?"},
    {"def f(os): pass\nos", "?"},
};

static void test_cases(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *got = value_of_last(cases[i].code);
        if (!OK(strcmp(got, cases[i].want) == 0, "%zu: %s", i, cases[i].want))
            printf("# %s\n# got %s\n", cases[i].code, got);
    }
}

/* What grows by leaps is given up, and soon. */
static void test_limits(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 20);
    (void)buf_adds(&b, "x = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'\n");
    for (int i = 0; i < 40; i++)
        (void)buf_adds(&b, "x = x + x\n");
    (void)buf_adds(&b, "len(x)");
    OK(value_of_last(b.p) != NULL, "a text that doubles forty times");

    buf_clear(&b);
    (void)buf_adds(&b, "f0 = lambda: 1\n");
    for (int i = 1; i < 60; i++)
        (void)buf_addf(&b, "f%d = lambda: [f%d(), f%d()]\n", i, i - 1, i - 1);
    (void)buf_adds(&b, "f59()");
    OK(value_of_last(b.p) != NULL, "calls that double sixty times");
    EQ_STR(value_of_last("('a' * 60000 + 'b' * 60000)[0]"), "?");
    EQ_STR(value_of_last("'a' * 10**12"), "?");
    EQ_STR(value_of_last("list(range(10**12))"), "builtins.list()");
}

int main(void)
{
    RUN(test_cases());
    RUN(test_limits());
    return tap_done();
}
