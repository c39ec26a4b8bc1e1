#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bash's side of sessions (src/wall/guests/cells_shell.sh)."""

import sys

from common import Language, has, run_table, test_all

BASH = Language("bash", ["-c"], "cells_shell_boot.sh", "cells_shell.sh", {
    "name": "bash", "call": "add 1", "show": "%s", "comment": "# nothing", "print": "printf '%%s\\n' '%s'", "any_name": False, "assign": "kept=here",
    "count": "wc -l", "children": "ls -l /proc/self/fd",
    "endless": ["sleep 30; echo no", "while :; do :; done", "sleep 30 | cat; echo no", "f() { sleep 30; f; }; f",
                "x=$(sleep 30); echo no", "set -e; sleep 30"],
    "final": "final_answer 7", "destroy": ["add() { echo mine; }", "unset -f add", "final_answer() { :; }", "add=3; final_answer=4"],
    "early": "while :; do :; done", "suicide": "kill -9 $BASHPID; sleep 20"})

STATE = (
    ("cd - 2> /dev/null || echo \"${OLDPWD-nowhere}\"; true", {"out": "nowhere\n"}), ("x=1; a=(1 2); declare -A m=([k]=v); f() { echo \"f $1\"; }; export E=env", {"out": ""}),
    ("f $x; echo ${a[1]} ${m[k]}; bash -c 'echo $E'", {"out": "f 1\n2 v\nenv\n"}),
    ("mkdir d; cd d; exec 5> t; alias hi='echo aliased'; shopt -s extglob nullglob", {}),
    ("echo five >&5; cat t; hi; echo ${PWD##*/}; shopt -q nullglob && echo null; echo *.no", {"out": "five\naliased\nd\nnull\n\n"}),
    ("declare top=1; f() { local inner=2; }; f", {}), ("echo $top$inner", {"out": "1\n"}),
    ("cat <<E\nhere $x\nE", {"out": "here 1\n"}), ("sleep 0.05 & wait $!; echo $?", {"out": "0\n"}),
    ("sleep 60 &\n", {}), ("jobs -p | wc -l; kill %1; wait", {"out": "1\n"}),
    ("set -o pipefail; IFS=,; y=a,b", {}), ("set -- $y; echo $2; false | true", {"exit": 1, "out": "b\n"}),
    ("unset IFS; set +o pipefail; false | true", {}), ("(exit 7)", {"exit": 7}), ("# only this", {}),
    ("echo $?", {"out": "7\n"}), ("echo \"${BASH_SOURCE[0]}\"; dirname \"${BASH_SOURCE[0]}\"", {"out": "cell 18\n.\n"}),
    ("trap 'echo usr' USR1; kill -USR1 $BASHPID", {"out": "usr\n"}), ("kill -USR1 $BASHPID", {"out": "usr\n"}),
    ("set -x; echo on", {"out": "on\n", "err": has("+ echo on")}), ("echo two", {"err": lambda t: t.count("\n") == 1}),
    ("set +x", {}), ("break; echo on; for i in 1 2; do break 2; done; continue; echo $i", {"out": "on\n1\n", "err": has("only meaningful")}),
    ("mapfile -t lines < new 2> /dev/null; for i in 1 2; do [ $i = 1 ] && continue; echo $i; done", {"out": "2\n"}),
    ("shopt -s nocasematch; set -C; set +C", {}), ("[[ A == a ]] && echo any", {"out": "any\n", "err": ""}), ("shopt -u nocasematch", {"err": ""}),
    ("set -C; echo 1 > new; echo 2 > new", {"exit": 1}), ("set +C; cat new", {"out": "1\n"}),
)
ERRORS = (
    ("nosuch", {"exit": 127, "err": "cell 1: line 1: nosuch: command not found\n"}),
    ("f() {\n  nosuch2\n}", {}), ("\n\nf", {"exit": 127, "err": "cell 2: line 2: nosuch2: command not found\n"}),
    ("echo a\nif fi\necho b", {"error": "SyntaxError", "place": (4, 2), "out": "a\n", "exit": 2,
                               "err": has("cell 4: line 2: syntax error near unexpected token `fi'")}),
    ("echo 'open", {"error": "SyntaxError", "exit": 2}),
    ("exit 3; echo no", {"exit": 3, "out": ""}), ("g() { for i in 1 2; do exit 4; done; }; while :; do g; echo no; done", {"exit": 4, "out": ""}),
    ("eval 'exit 5'; echo no", {"exit": 5, "out": ""}), ("(exit 6); x=$(exit 7); echo $?", {"out": "7\n"}),
    ("return 8; echo no", {"exit": 8, "out": ""}), ("exit; echo no", {"exit": 8, "out": ""}), ("exit 0; echo no", {"exit": 0, "ok": True, "out": ""}),
    ("exit nonsense", {"exit": 2, "err": has("numeric")}), ("false", {"exit": 1, "error": None}),
    ("set -e", {}), ("if false; then :; fi; false || echo on", {"out": "on\n"}),
    ("q() { false; echo no; }\n\nq\necho no", {"exit": 1, "error": "CommandFailed", "place": (17, 1), "out": ""}),
    ("case $- in *e*) echo still;; esac; ls | grep -q nothing | true; (false; echo no); echo no", {"exit": 1, "out": "still\n"}),
    ("set -e; exit 3; echo no", {"exit": 3, "out": "", "error": None}), ("[[ $- == *e* ]] && echo e", {"out": "e\n"}),
    ("trap 'echo err $?' ERR; false; echo no", {"exit": 1, "out": "err 1\n"}), ("trap - ERR; set +e; false; echo on", {"out": "on\n"}),
    ("v=kept; set -u; echo $nowhere; echo no", {"exit": 1, "error": "ShellError", "err": "cell 23: line 1: nowhere: unbound variable\n"}),
    ("set +u; echo $v; declare w=1; : ${nowhere:?gone}", {"exit": 1, "out": "kept\n", "err": has("gone")}),
    ("echo $w; f", {"out": "1\n", "exit": 127}), ("k() { local l=1; builtin exit 9; }; k", {"exit": 9, "error": "ShellError"}),
    ("declare after=2; echo $v", {"out": "kept\n"}), ("echo $after", {"out": "2\n"}), ("exit 3; echo no", {"exit": 3, "out": ""}),
    ("set -euo pipefail\ntrap 'echo bye' EXIT\necho $nowhere", {"exit": 1, "out": ""}), ("echo $v", {"out": "kept\n"}),
    ("echo x >&198", {"exit": 1}), ("echo x >&4", {"exit": 1}), ("set +eu; source /nowhere; echo on", {"out": "on\n"}),
)
TRAPS = (
    ("trap 'echo ERR $? at $LINENO of $BASH_COMMAND' ERR\nfalse\n\n(exit 4)", {"exit": 4, "out": "ERR 1 at 2 of false\nERR 4 at 4 of ( exit 4 )\n"}),
    ("# nothing", {"out": ""}), ("trap - ERR; set -e", {}), ("[ 1 = 2 ] && echo a", {"exit": 1, "error": None}), ("# nothing", {}),
    ("false", {"exit": 1, "error": "CommandFailed"}), ("# nothing", {"error": None, "exit": None}), ("", {}), ("set +e", {}),
    ("trap 'echo dbg $? at $LINENO' DEBUG; echo 1\n\n: | (exit 3)\necho 2", {"out": "dbg 0 at 1\n1\ndbg 0 at 3\ndbg 3 at 4\n2\n"}),
    ("f() { echo in f; exit 3; }; f", {"exit": 3, "out": "dbg 0 at 1\nin f\n"}),
    (":", {"ok": True, "out": "dbg 3 at 1\n"}), (":", {"out": "dbg 0 at 1\n"}),
    ("set -T; f() { :; }; f", {"out": "dbg 0 at 1\n" * 4}), ("add 1 2", {"out": lambda t: t.count("dbg") == 2}),
    ("set -e; trap 'echo err' ERR; false; echo no", {"exit": 1, "error": "CommandFailed", "out": has("err\n")}),
    ("set +e; trap - DEBUG ERR; echo 2", {"out": has("dbg")}), ("case $- in *T*) echo T;; esac; f; exit 2", {"exit": 2, "out": "T\n"}), ("set +T", {"out": ""}),
    ("trap 'echo usr1' USR1; trap 'echo term' TERM; kill -USR1 $$; echo k; kill $$", {"out": "usr1\nk\nterm\n"}),
    ("sh -c 'kill -USR1 $0' $$; sleep 0.5; echo k", {"out": "usr1\nk\n"}), ("sleep 20 & sleep 0.5; kill %1; wait $!", {"exit": 143}),
    ("trap - USR1 TERM; x=kept; kill -USR1 $$; echo no", {"ok": False, "error": "ShellError", "out": ""}), ("echo $x", {"out": "kept\n"}),
)
TOOLS = (
    ("add 1 2", {"out": "12\n"}), ("v=$(add é '\"x\\'); echo \"[$v]\"", {"out": "[é\"x\\]\n"}),
    ("fail", {"exit": 1, "err": "fail: ValueError: no\n"}), ("fail 2> /dev/null || echo handled", {"out": "handled\n"}),
    ("add a b | tr a-z A-Z; for i in 1 2; do add $i $i; done", {"out": "AB\n11\n22\n"}),
    ("set -x; add 1 2; fail; echo $?", {"out": "12\n1\n", "err": lambda t: "+ add 1 2" in t and "__cells_quote" not in t}),
    ("set +x; trap 'echo ERR at $LINENO' ERR\nfail", {"exit": 1, "out": "ERR at 2\n"}), ("trap - ERR; set -e; fail || echo on", {"out": "on\n"}),
    ("fail 1; echo no", {"error": "CommandFailed", "exit": 1, "out": "", "place": (9, 1), "message": has("'fail' ended")}),
    ("(fail; echo no); echo no", {"exit": 1, "out": ""}), ("echo $-", {"out": has("e")}), ("set +e", {}), ("add $'line\\nline' $'\\t\\x01'", {"out": "line\nline\t\x01\n"}),
    ("f() { final_answer \"a 'b'\" c; echo no; }; f; echo no", {"is_final_answer": True, "final_answer": "a 'b' c", "out": ""}),
    ("echo $(final_answer x)", {"is_final_answer": False, "err": has("subshell")}),
)
PUT = {"s": "a\"b\\\né😀\u0001/\\n", "n": 5, "z": 1.5, "b": True, "nothing": None, "l": ["a", 1, None, "x y", "*"],
       "o": {"k 1": "v", "é": 2}, "t": {"$type": "tuple", "items": [1, "]"]}, "d": {"$type": "date", "text": "2024-01-01"}}


def test_values(tap):
    with BASH.start(env={"GIVEN": "a 'é'"}) as g:
        tap.equal(g.run("echo \"$GIVEN\"; bash -c 'echo $GIVEN'").out, "a 'é'\n" * 2, "the environment of hello")
        tap.ok(g.set(PUT)["ok"], "set")
        cell = g.run("echo \"$n $z $b [$nothing] ${#l[@]} ${l[3]} ${l[4]} ${o[k 1]} ${o[é]} ${t[1]} $d\"")
        tap.equal(cell.out, "5 1.5 true [] 5 x y * v 2 ] 2024-01-01\n", "... is there")
        got = g.get(*PUT, "nowhere", "a b", "PATH")
        tap.equal(got["values"]["s"], PUT["s"], "a string there and back")
        tap.equal((got["values"]["l"], got["values"]["o"]), (["a", "1", "", "x y", "*"], {"k 1": "v", "é": "2"}), "arrays")
        tap.equal(got["missing"], ["nowhere", "a b"], "get of what is not there")
        g.run("bad=$'a\\xff\\xc3\\xa9\\x01'; readonly fixed=1")
        tap.equal(g.get("bad")["values"]["bad"], "a\ufffdé\x01", "what is no UTF-8")
        done = g.set({"fixed": 2})
        tap.ok(not done["ok"] and "readonly" in done["exception"]["message"], "a readonly variable", done)
        long = "é\"\\\n" * 20000
        tap.ok(g.set({"long": long})["ok"] and g.get("long")["values"]["long"] == long, "a long string")
        cell = g.run("cat | od -An -c | tr -s ' '", stdin=b"a\0b\n")
        tap.equal(cell.out, " a \\0 b \\n\n", "NUL bytes in the input")


# Names of our own, once, and those that bash itself looks at.
READONLY = ("file kind length part left most n s i c code line cell status ok final first name raw items names values args "
            "arg body text is_final interrupted options id IFS LC_ALL")


def test_readonly(tap):
    with BASH.start(tools=[{"name": "add"}], final_answer=True) as g:
        g.run("echo precious > data; file=$PWD/data; readonly %s; IFS=$'\\n\\t' LC_ALL=C" % READONLY.replace("IFS LC_ALL", ""))
        cell = g.run("readonly IFS=$'\\n\\t,0123456789' LC_ALL=C.UTF-8; cat < \"$file\"")
        tap.equal((cell.out, cell.err), ("precious\n", ""), "readonly names leave files alone", cell)
        cell = g.run("v=é€😀; printf '%s\\n' \"$v\" \"${#v}\"")
        tap.equal((cell.out, cell.err), ("é€😀\n3\n", ""), "... and cells")
        tap.equal(g.run("nosuch").exit, 127, "... and errors")
        cell = g.run("add é 'x y'", tools={"add": lambda args, kwargs: args[0] + args[1]})
        tap.equal((cell.out, cell.err), ("éx y\n", ""), "... and tools", cell)
        values = {"l": ["é", " x\t"], "o": {"€": "\u00e9\u0001"}, "t": "é€😀" * 300}
        tap.ok(g.set(values)["ok"], "... and set")
        tap.equal(g.get("l", "o", "t")["values"], values, "... and get")
        g.run("bad=$'a\\xff\\xc3\\xa9'")
        tap.equal(g.get("bad")["values"]["bad"], "a\ufffdé", "... and what is no UTF-8")
        cell = g.run("od -An -c | tr -s ' '", stdin=" a\0é\n".encode())
        tap.equal((cell.out, cell.err), (" a \\0 303 251 \\n\n", ""), "... and the input", cell)
        tap.equal(g.run("# comment").err, "", "... and comments")
        tap.equal(g.run("final_answer a b").final_answer, "a b", "... and answers")


def test_traps(tap):
    g = BASH.start()
    g.run("trap 'echo bye; echo bye >&2' EXIT; trap 'echo d >&2' DEBUG")
    tap.equal(g.run("trap - DEBUG; exit 3").exit, 3, "exit with an EXIT trap")
    folder = g.folder.name
    with open(folder + "/mark", "w"):
        pass
    g.run("trap 'rm mark' EXIT")
    g.run("exit 1")
    tap.equal(g.run("ls mark").out, "mark\n", "an EXIT trap waits")
    g.run("exec 9>&1; sleep 0")
    g.close(60)
    with BASH.start() as g:
        g.run("trap 'echo gone > gone' EXIT")
        g.send_bytes(b"")
        import os
        os.close(g.to)
        g.to = os.open("/dev/null", os.O_WRONLY)
        g.wait()
        tap.ok(os.path.exists(g.folder.name + "/gone"), "... for the session's end")


def test(tap):
    if BASH.missing(tap):
        return
    tools = {"add": lambda args, kwargs: args[0] + args[1], "fail": lambda args, kwargs: refuse()}
    for table in (STATE, ERRORS, TRAPS, TOOLS):
        with BASH.start(tools=[{"name": "add"}, {"name": "fail"}], final_answer=True) as g:
            run_table(tap, g, table, tools)
    test_values(tap)
    test_readonly(tap)
    test_traps(tap)
    test_all(tap, BASH)


def refuse():
    raise ValueError("no")


if __name__ == "__main__":
    sys.exit("see run.py")
