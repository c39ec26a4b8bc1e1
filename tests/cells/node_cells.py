#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""JavaScript's side of sessions (src/wall/guests/cells_node.js)."""

import base64
import sys
import time

from common import Language, has, run_table, test_all

NODE = Language("node", ["-e"], "cells_node_boot.js", "cells_node.js", {
    "name": "javascript", "call": "add(1)", "show": "console.log(%s())", "comment": "// nothing", "print": "console.log('%s')", "any_name": False,
    "assign": "var kept = 'here'",
    "count": "console.log(require('fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean).length)",
    "children": "process.stdout.write(require('child_process').spawnSync('ls', ['-l', '/proc/self/fd'], "
                "{stdio: ['ignore', 'pipe', 'inherit']}).stdout.toString().replace(/socket:/g, 'pipe:'))",
    "endless": ["for (;;);", "await new Promise(() => {})", "await null; for (;;);",
                "await new Promise(r => setTimeout(r, 200)); for (;;);",
                "const t = setInterval(() => {}, 5); await new Promise(() => {})"],
    "final": "final_answer(7)", "destroy": [
        "add = 3", "final_answer = 3", "const add = 4", "let final_answer = 5", "add = 6; final_answer = 7", "delete globalThis.add",
        "function add() {}", "class final_answer {}", "var add = 1", "const { add, final_answer } = { add: 1, final_answer: 2 }"],
    "early": "while (true) {}", "suicide": "process.kill(process.pid, 'SIGKILL'); for (;;);"})

STATE = (
    ("let x = 1; const y = 2; class A { b() { return 7 } }; function f() { return x }", {"value": None}),
    ("let x = 3; const y = 5; x + y + f()", {"value": 11}),
    ("class A { b() { return 8 } }; new A().b()", {"value": 8}),
    ("const fs = require('fs'); fs.mkdirSync('d'); process.chdir('d'); var ticks = 0; "
     "var timer = setInterval(() => ticks++, 1); var file = fs.openSync('t', 'w+');", {}),
    ("await new Promise(r => setTimeout(r, 30)); ticks > 3", {"value": True}),
    ("clearInterval(timer); fs.writeSync(file, 'abc'); [process.cwd().split('/').pop(), fs.readFileSync('t', 'utf8')]",
     {"value": ["d", "abc"]}),
    ("await 5", {"value": 5}), ("const z = await Promise.resolve(6)", {"value": None}), ("z", {"value": 6}),
    ("{a: 1}", {"value": {"a": 1}}), ("{let q = 3; q}", {"value": 3}), ("'a'; // one", {"value": "a"}),
    ("if (true) 4; else 5", {"value": 4}), ("x = 9;", {"value": 9}), ("undefined", {"value": None, "text": None}),
    ("null", {"value": None, "text": "null"}), ("Object.keys(globalThis).includes('display')", {"value": False}),
    ("console.log('é'); console.error('to stderr')", {"out": "é\n", "err": "to stderr\n"}),
    ("for (let i = 0; i < 3000; i++) console.log('x'.repeat(100))", {"out": lambda t: len(t) == 303000}),
)
AGAIN = (
    ("let a = 1, A = 1; var v = 1; function f() {} class C {}; const k = 1; function see() { return [a, v] }", {}),
    ("const a = 2, $b = 1", {}), ("see()", {"value": [2, 1]}), ("let a = 3; a", {"value": 3}), ("var a = 4; see()", {"value": [4, 1]}),
    ("const v = 2; let f = 3", {}), ("see().concat(f)", {"value": [4, 2, 3]}), ("const f = 4\nconst C = await 5\nf + C", {"value": 9}),
    ("'const v'; const { v, w: [b] } = { v: 6, w: [7] }; [v, b]", {"value": [6, 7]}),
    ("const $b = 2; let a = $b\nthrow new Error('x')", {"error": "Error", "place": (10, 2)}), ("a + $b", {"value": 4}),
    ("let k = 2", {"error": "SyntaxError", "message": "Identifier 'k' has already been declared", "place": (12, 1)}),
    ("let n = 1; let n = 2", {"error": "SyntaxError", "message": has("declared")}), ("const a = 8; eval('let d; let d')", {"error": "SyntaxError"}),
    ("eval('a++; let a; let a'); const a = 7; await 1", {"error": "SyntaxError"}),
    ("a", {"value": 8}), ("k", {"value": 1}), ("const k = 3; k", {"value": 3}),
)
MODULES = (
    ("import path from 'path'\nimport { join as j, basename } from 'node:path'\nimport * as os from \"os\"; import 'fs';\n"
     "[j('a', basename('/x/b')), typeof path.join, os.EOL]", {"value": ["a/b", "function", "\n"]}),
    ("const { sep } = await import('path'); sep", {"value": "/"}),
    ("import {\n  join, // one\n  resolve,\n} from 'path'\nthrow new Error(join('x', 'y'))",
     {"error": "Error", "message": "x/y", "place": lambda p: p[1] == 5}),
    ("require('fs').writeFileSync('m.mjs', 'export const v = 7; export default 8'); import d, { v } from './m.mjs'; [d, v]",
     {"value": [8, 7]}),
    ("export const k = 5; export default function ff() { return 6 }\nk + ff()", {"value": 11}),
    ("`${1 + `${2}`} import('x')` + /import\\(\"/.source + 'import (' // import x from 'y'", {"value": "12 import('x')import\\(\"import ("}),
    ("import.meta.url.slice(0, 8)", {"value": "file:///"}),
    ("import {x} from './nowhere.mjs'", {"error": "Error", "message": has("nowhere.mjs")}),
    ("const o = { import: 1, export: 2 }; o.import + o.export", {"value": 3}),
)
ERRORS = (
    ("throw new Error('boom')", {"error": "Error", "message": "boom", "place": (1, 1), "err": has("Error: boom")}),
    ("function g() {\n  null.x\n}\n\n", {}),
    ("g()", {"error": "TypeError", "place": (2, 2), "trace": has("  null.x\n       ^")}),
    ("g()", {"ok": False, "trace": lambda t: "cell 4:1:1" in t and "inspector" not in t and "glovebox" not in t}),
    ("let q = ;", {"error": "SyntaxError", "place": (5, 1), "trace": has("let q = ;\n        ^")}),
    ("1\n2\nfoo bar", {"error": "SyntaxError", "place": (6, 3)}),
    ("foo(`", {"error": "SyntaxError", "place": (7, 1), "trace": has("foo(`\n     ^")}),
    ("[1,\n  2 \n\n", {"error": "SyntaxError", "place": (8, 2), "trace": has("  2 \n   ^")}),
    ("async function w() { await null; throw new RangeError('w') }\nawait w()", {"error": "RangeError", "place": (9, 1)}),
    ("let kept = 1; nowhere; kept = 2", {"error": "ReferenceError"}), ("kept", {"value": 1}),
    ("throw 5", {"error": "number", "message": "5"}), ("throw {a: 1}", {"error": "Object", "message": "{ a: 1 }"}),
    ("throw null", {"ok": False}), ("JSON.parse('{bad')", {"error": "SyntaxError", "place": (15, 1)}),
    ("function deep() { deep() } deep()", {"error": "RangeError"}),
    ("throw Object.defineProperty(new Error(), 'stack', { get() { throw 1 } })", {"ok": False}),
    ("process.exit(3); console.log('no')", {"exit": 3, "ok": False, "out": ""}),
    ("process.exit()", {"exit": 0, "ok": True}),
    ("await new Promise(r => setTimeout(() => process.exit(7), 2))", {"exit": 7}),
    ("setTimeout(() => { throw new Error('late') }, 1); 1", {"value": 1}),
    ("await new Promise(r => setTimeout(r, 30)); 2", {"value": 2}),
    ("Promise.reject(new Error('nobody')); await new Promise(r => setTimeout(r, 5)); 3", {"value": 3, "err": has("nobody")}),
)
HEARD = (
    ("var wait = () => new Promise(r => setTimeout(r, 20)), hear = (e) => console.log('heard ' + e.message)", {}),
    ("process.on('uncaughtException', hear); setTimeout(() => { throw new Error('x') }, 1); await wait()", {"out": "heard x\n", "err": ""}),
    ("Promise.reject(new Error('y')); await wait()", {"out": "heard y\n", "err": ""}),
    ("process.on('unhandledRejection', e => console.log('rejected')); Promise.reject(1); await wait()", {"out": "rejected\n", "err": ""}),
    ("process.off('uncaughtException', hear); setTimeout(() => { throw new Error('x') }, 1); await wait()", {"out": "", "err": has("Uncaught")}),
    ("function f() { return new Error('own') }; const e = f(); e.stack", {"value": "Error: own\n    at f (cell-6:1:23)\n    at cell-6:1:53"}),
    ("console.log(e)", {"out": lambda t: "cell-6:1:23" in t and "glovebox" not in t and "node:" not in t}),
    ("try { add() } catch (e) { e.stack }", {"value": has("Error: none\n    at cell-8:1:7")}),
    ("await null; new Error('z').stack", {"value": lambda v: v.startswith("Error: z\n    at cell-9:1:13") and "glovebox" not in v}),
)
TOOLS = (
    ("const r = add(1, 2); r + await add(3, 4)", {"value": 10}),
    ("add('é', 'x')", {"value": "éx"}),
    ("fail(1)", {"error": "ValueError", "message": "no", "place": (3, 1)}),
    ("try { fail(1) } catch (e) { e.name + e.message }", {"value": "ValueErrorno"}),
    ("add(new Map([[1n, 2]]), 'x'.repeat(2000000))", {"error": "RangeError"}),
    ("await new Promise(r => setTimeout(() => r(add(5, 6)), 2))", {"value": 11}),
    ("try { final_answer({ a: [1] }) } catch {} ; 5", {"is_final_answer": True, "final_answer": {"a": [1]}}),
    ("final_answer(1); console.log('no')", {"is_final_answer": True, "final_answer": 1, "out": ""}),
    ("setTimeout(() => final_answer(2), 1); await new Promise(() => {})", {"is_final_answer": True, "final_answer": 2}),
)
VALUES = (
    ("[1.5, -0, NaN, -Infinity, 2 ** 53, 1e300]", [1.5, -0.0, {"$type": "float", "text": "nan"},
                                                 {"$type": "float", "text": "-inf"}, 2.0 ** 53, 1e300]),
    ("[1n, -(2n ** 70n)]", [1, {"$type": "int", "hex": "-0x400000000000000000"}]),
    ("new Date(0)", {"$type": "datetime", "text": "1970-01-01T00:00:00.000+00:00"}),
    ("new Map([[1, { a: 2 }]])", {"$type": "dict", "items": [[1, {"a": 2}]]}),
    ("new Set(['a'])", {"$type": "set", "items": ["a"]}), ("Buffer.from('hi')", {"$type": "bytes", "base64": "aGk="}),
    ("({ $type: 1 })", {"$type": "dict", "items": [["$type", 1]]}),
    ("[undefined, , null]", [None, None, None]), ("'a\\ud800'", {"$type": "str", "base64": "Ye2ggA=="}),
    ("new Float64Array([1, 2])", {"$type": "ndarray", "class": "float64", "shape": [2], "items": [1, 2]}),
    ("new (class P { constructor() { this.a = 1 } })", {"$type": "other", "class": "P", "repr": "P { a: 1 }"}),
    ("var c = {}; c.c = c", {"$type": "other", "class": "Object", "repr": "<ref *1> { c: [Circular *1] }"}),
)
PUT = {"a": {"$type": "int", "hex": "0xff"}, "b": {"$type": "int", "hex": "0xffffffffffffffffffff"}, "c": [1, None, "é"],
       "d": {"$type": "bytes", "base64": "aGk="}, "e": {"$type": "date", "text": "2024-02-29"},
       "f": {"$type": "dict", "items": [[1, 2]]}, "g": {"$type": "float", "text": "nan"},
       "h": {"$type": "ndarray", "class": "float64", "shape": [2, 2], "items": [1, 2, 3, 4]}, "l": 1, "k": 2}
TAKEN = ("[a, typeof b, c[2], d.toString(), e.toISOString(), f.get(1), Number.isNaN(g), h, l, k]",
         [255, "bigint", "é", "hi", "2024-02-29T00:00:00.000Z", 2, True, [[1, 2], [3, 4]], 1, 2])


def test_values(tap):
    with NODE.start() as g:
        for text, want in VALUES:
            tap.equal(g.run(text).value, want, "value of " + text)
        g.run("let l = 0; const k = 0; var v = { x: 1 }")
        tap.ok(g.set(PUT)["ok"], "set")
        cell = g.run(TAKEN[0])
        tap.equal(cell.value, TAKEN[1], "... is there", cell)
        got = g.get("l", "k", "v", "c", "nowhere", "a b")
        tap.equal((got["values"], got["missing"]), ({"l": 1, "k": 2, "v": {"x": 1}, "c": [1, None, "é"]}, ["nowhere", "a b"]),
                  "get")
        g.run("var round = {}; round.round = round")
        tap.ok("contains itself" in g.get("round")["failed"]["round"], "get of what cannot be sent")


def test_rich(tap):
    png = b"\x89PNG\r\n\x1a\n"
    with NODE.start() as g:
        cell = g.run("display({ a: 1 }, 'x'); display({ toHTML() { return '<b>é</b>' } }); [1, 2]")
        tap.equal([d["data"] for d in cell.displays[:2]],
                  [{"text/plain": "{ a: 1 }", "application/json": {"a": 1}}, {"text/plain": "'x'"}], "display")
        tap.equal(cell.displays[2]["data"]["text/html"], "<b>é</b>", "an object's own HTML")
        tap.equal(cell.results, [{"kind": "value", "data": {"text/plain": "[ 1, 2 ]", "application/json": [1, 2]},
                                  "metadata": {}, "dropped": []}], "the value's bundle")
        cell = g.run("display(Buffer.from('%s', 'base64'))" % base64.b64encode(png).decode())
        tap.equal(cell.displays[0]["data"]["image/png"], base64.b64encode(png).decode(), "a picture")
        for text in ("'x'.repeat(2e6)", "Array(300000).fill(1)"):
            cell = g.run(text)
            tap.ok(cell.value["$type"] == "other" and " of length " in cell.value["repr"] and "at most 1024 KiB" in cell.value["repr"],
                   "no room for " + text, str(cell)[:300])
        cell = g.run("display({ toHTML() { return 'x'.repeat(5e6) } })")
        tap.equal([d["mime"] for d in cell.displays[0]["dropped"]], ["text/html"], "too large is said to be dropped")
        cell = g.run("for (let i = 0; i < 60; i++) display(i)")
        tap.ok(len(cell.displays) == 51 and cell.displays[-1]["dropped"], "too many, too")
        tap.ok(g.run("new Proxy({}, { get() { throw 1 } })").ok and g.run("({ get a() { throw 1 } })").done, "hostile objects")


def test_between(tap):
    with NODE.start() as g:
        g.run("class Map {}; let Object = 1, Buffer, process, JSON, Error, Promise, setTimeout, setImmediate, Number, String")
        cell = g.run("[1, new Date(0), 'é']")
        tap.ok(cell.ok and cell.value[2] == "é" and cell.results, "a cell's own names are not ours", cell)
        tap.ok(g.set({"v": 1})["ok"] and g.get("v")["values"] == {"v": 1}, "... nor for set and get")
    with NODE.start() as g:
        first = g.run("setTimeout(() => { throw new Error('meanwhile') }, 100)")
        time.sleep(0.2)
        g.settle()
        cell = g.run("1")  # a busy machine may not have ended the first before
        tap.ok(cell.ok and "meanwhile" in first.err + cell.err, "an error between cells is told in the next", first, cell)
        number = g.begin("await new Promise(r => process.stdin.on('data', d => r(String(d))))", stdin="typed")
        tap.equal(g.finish(number).value, "typed", "process.stdin")


def test(tap):
    if NODE.missing(tap):
        return
    tools = {"add": lambda args, kwargs: args[0] + args[1], "fail": lambda args, kwargs: [][1] if 0 else refuse()}
    for table in (STATE, AGAIN, MODULES, ERRORS, TOOLS):
        with NODE.start(tools=[{"name": "add"}, {"name": "fail"}], final_answer=True) as g:
            run_table(tap, g, table, tools)
    with NODE.start(tools=[{"name": "add"}]) as g:
        run_table(tap, g, HEARD, {"add": lambda args, kwargs: refuse("none")})
    test_values(tap)
    test_rich(tap)
    test_between(tap)
    test_all(tap, NODE)


def refuse(why="no"):
    raise ValueError(why)


if __name__ == "__main__":
    sys.exit("see run.py")
